// What the samples are profiles of: recursion, a loop, and code that is inlined from a header.
#include <stdlib.h>

#include "square.h"

__attribute__((noinline)) static long fibonacci(int n) {
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__attribute__((noinline)) static long squares(int n) {
    long sum = 0;
    for (int i = 0; i < n; i++)
        sum += square(i) ^ sum;
    return sum;
}

__attribute__((noinline)) static int smaller(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) static int sorted(int n) {
    int *numbers = malloc(n * sizeof *numbers);
    for (int i = 0; i < n; i++)
        numbers[i] = i * 7919 % 1000;
    qsort(numbers, n, sizeof *numbers, smaller);
    int middle = numbers[n / 2];
    free(numbers);
    return middle;
}

int main(void) { return (fibonacci(10) + squares(1000) + sorted(100)) % 2; }
