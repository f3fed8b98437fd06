/* A program of known work: so many steps of a chain of multiplications that no compiler can
   shorten (Knuth's MMIX generator; each step needs the one before). */
#include <stdint.h>
#include <stdlib.h>

int main(int count, char **words) {
    uint64_t steps = count > 1 ? strtoull(words[1], NULL, 10) : 0;
    uint64_t value = 1;
    for (uint64_t step = 0; step < steps; step++) {
        value = value * 6364136223846793005u + 1442695040888963407u;
        __asm__ volatile("" ::"r"(value));
    }
    return 0;
}
