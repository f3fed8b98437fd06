/* How often each word occurs in a text: the ten most frequent ones. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct word {
    char *letters;
    long count;
};

static struct word *words;
static size_t known, room;

static int by_count(const void *a, const void *b) {
    const struct word *one = a, *other = b;
    if (one->count != other->count) return one->count < other->count ? 1 : -1;
    return strcmp(one->letters, other->letters);
}

static void count(const char *letters) {
    for (size_t i = 0; i < known; i++) {
        if (strcmp(words[i].letters, letters) == 0) {
            words[i].count++;
            return;
        }
    }
    if (known == room) {
        room = room ? 2 * room : 64;
        words = realloc(words, room * sizeof *words);
    }
    words[known].letters = strdup(letters);
    words[known++].count = 1;
}

int main(int argc, char **argv) {
    FILE *text = argc > 1 ? fopen(argv[1], "r") : stdin;
    if (!text) {
        perror(argv[1]);
        return 1;
    }
    char letters[256];
    while (fscanf(text, "%255s", letters) == 1) count(letters);
    qsort(words, known, sizeof *words, by_count);
    for (size_t i = 0; i < known && i < 10; i++) printf("%ld %s\n", words[i].count, words[i].letters);
    return 0;
}
