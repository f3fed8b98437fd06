/* The least that starting a program and waiting for it can cost: posix_spawn and
 * wait4 in a loop. Prints the wall time of each run in nanoseconds, one a line.
 * The measure of what crates/measure adds; built and run by overhead.rs. */
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static long long now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    int runs = atoi(argv[1]);
    long long *wall = malloc(runs * sizeof *wall);
    for (int run = 0; run < runs; run++) {
        pid_t pid;
        int status;
        struct rusage usage;
        long long started = now_ns();
        if (posix_spawn(&pid, argv[2], NULL, NULL, argv + 2, environ) != 0) return 1;
        if (wait4(pid, &status, 0, &usage) != pid) return 1;
        wall[run] = now_ns() - started;
    }
    for (int run = 0; run < runs; run++) printf("%lld\n", wall[run]);
    return 0;
}
