/* The least that running a program can cost: posix_spawn and wait4 in a loop.
   Prints the median wall time of a run in nanoseconds, and the runs per second. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}

static int ascending(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

int main(int count, char **words) {
    if (count < 3) return 2;
    int runs = atoi(words[1]);
    double *walls = malloc(runs * sizeof *walls);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    double begin = seconds();
    for (int run = 0; run < runs; run++) {
        pid_t child;
        int status;
        struct rusage usage;
        double start = seconds();
        if (posix_spawn(&child, words[2], &actions, NULL, words + 2, environ) != 0) return 1;
        wait4(child, &status, 0, &usage);
        walls[run] = seconds() - start;
    }
    double total = seconds() - begin;
    qsort(walls, runs, sizeof *walls, ascending);
    printf("%.0f %.3f\n", walls[runs / 2] * 1e9, runs / total);
    return 0;
}
