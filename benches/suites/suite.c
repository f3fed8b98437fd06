/* A suite of equal benchmarks that speaks brisk's line protocol: `suite COUNT PERCENT [--list | --run
   NAME...]`. Each is a chain of multiplications; those that are not the first in their process have so
   many per cent more of it. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double loop(uint64_t iterations, uint64_t steps) {
    double before = seconds();
    uint64_t value = 1;
    for (uint64_t step = 0; step < iterations * steps; step++) {
        value = value * 6364136223846793005u + 1442695040888963407u;
        __asm__ volatile("" ::"r"(value));
    }
    return seconds() - before;
}

int main(int count, char **words) {
    if (count < 4) {
        return 2;
    }
    int benchmarks = atoi(words[1]);
    double more = 1.0 + atof(words[2]) / 100.0;
    puts("brisk-bench 1");
    if (strcmp(words[3], "--list") == 0) {
        for (int number = 0; number < benchmarks; number++) {
            printf("same %d\n", number);
        }
        return 0;
    }
    const char *told = getenv("BRISK_BENCH_SECONDS");
    double wanted = (told ? atof(told) : 0.1) / 5.0;
    for (int word = 4; word < count; word++) {
        uint64_t steps = (uint64_t)(2000.0 * (word > 4 ? more : 1.0));
        uint64_t iterations = 1;
        while (loop(iterations, steps) < wanted) {
            iterations *= 2;
        }
        for (int measurement = 0; measurement < 5; measurement++) {
            printf("%s\t%llu\t%.9f\n", words[word], (unsigned long long)iterations,
                   loop(iterations, steps));
        }
    }
    return 0;
}
