/* A suite whose benchmark `stack` depends on where its process's stack begins, and `static` does not.
 *
 *     cc -O1 stack-offset.c -o suite && brisk bench --runs 80 --order alone --filter stack ./suite
 *
 * Each load of eight bytes waits for the one before. In `stack` their address is 12 bytes behind a
 * multiple of 16, so that in one of four processes every load crosses a line of 64 bytes. The
 * fastest of many loops is told, because a busy machine makes some of them slow.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

__attribute__((noinline)) static char *follow(char *at, long times) {
    for (long i = 0; i < times; i++) {
        char *next;
        memcpy(&next, at, sizeof next);
        at = next;
        /* Lest the compiler see that it is always the same. */
        __asm__ volatile("" : "+r"(at));
    }
    return at;
}

static char still[64] __attribute__((aligned(64)));

int main(int argc, char **argv) {
    char room[64] __attribute__((aligned(16)));
    puts("brisk-bench 1");
    if (argc > 1 && strcmp(argv[1], "--list") == 0) {
        puts("stack\nstatic");
        return 0;
    }
    for (int k = 2; k < argc; k++) {
        char *at = strcmp(argv[k], "stack") == 0 ? room + 12 : still + 12;
        const long times = 1000000;
        double least = 1e9;
        memcpy(at, &at, sizeof at);
        for (int again = 0; again < 60; again++) {
            double before = now();
            if (follow(at, times) != at) return 1;
            double took = now() - before;
            if (took < least) least = took;
        }
        printf("%s\t%ld\t%.9f\n", argv[k], times, least);
    }
    return 0;
}
