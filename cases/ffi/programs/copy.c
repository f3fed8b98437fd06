#include "copy.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

double *allocate_numbers(const double *from, int length) {
    (void)from;
    return malloc((size_t)length * sizeof(double));
}

void copy_numbers_into(double *to, const double *from, int length) {
    for (int i = 0; i < length; i++) {
        to[i] = from[i];
    }
}

double *copy_numbers(const double *from, int length) {
    double *to = allocate_numbers(from, length);
    if (to != NULL) {
        copy_numbers_into(to, from, length);
    }
    return to;
}

void nothing(void) {}

/* How many of the blocks could be had. */
static int take(void **blocks, int pieces, size_t bytes) {
    int had = 0;
    while (had < pieces && (blocks[had] = malloc(bytes)) != NULL) {
        memset(blocks[had], 1, bytes);
        had++;
    }
    return had;
}

static void give_back(void **blocks, int pieces) {
    while (pieces > 0) {
        free(blocks[--pieces]);
    }
}

void *leave_a_hole(int pieces, int length) {
    size_t bytes = (size_t)length * sizeof(double);
    void **blocks = calloc((size_t)pieces, sizeof *blocks);
    if (blocks == NULL) {
        return NULL;
    }
    /* glibc makes the first large blocks mappings of their own. Once one was freed, it has blocks
       of this size in its heap. */
    give_back(blocks, take(blocks, pieces, bytes));
    int had = take(blocks, pieces, bytes);
    void *above = had == pieces ? malloc(bytes) : NULL;
    give_back(blocks, had);
    free(blocks);
    return above;
}

static long frees;

void free_and_count(void *block) {
    frees++;
    free(block);
}

long frees_so_far(void) { return frees; }

long minor_faults(void) {
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_minflt : -1;
}
