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

/* Open addressing: a free place has no letters. */
static size_t place(const char *letters) {
    unsigned long hash = 5381;
    for (const char *at = letters; *at; at++) hash = hash * 33 + (unsigned char)*at;
    size_t i = hash & (room - 1);
    while (words[i].letters && strcmp(words[i].letters, letters) != 0) i = (i + 1) & (room - 1);
    return i;
}

static void grow(void) {
    struct word *old = words;
    size_t places = room;
    room = room ? 2 * room : 64;
    words = calloc(room, sizeof *words);
    for (size_t i = 0; i < places; i++)
        if (old[i].letters) words[place(old[i].letters)] = old[i];
    free(old);
}

/* Words that differ in their capitals only are the same word. */
static const char *fold(const char *letters)
    char *folded = strdup(letters);
    for (size_t i = 0; i < strlen(folded); i++) folded[i] = tolower((unsigned char)folded[i]);
    return folded;
}

static void count(const char *given) {
    const char *letters = fold(given);
    if (2 * known >= room) grow();
    struct word *word = &words[place(letters)];
    if (!word->letters) {
        word->letters = (char *)letters;
        known++;
    }
    word->count++;
}

int main(int argc, char **argv) {
    FILE *text = argc > 1 ? fopen(argv[1], "r") : stdin;
    if (!text) {
        perror(argv[1]);
        return 1;
    }
    static char block[1 << 16];
    char letters[256];
    size_t length = 0, got;
    while ((got = fread(block, 1, sizeof block, text)) > 0) {
        for (size_t i = 0; i < got; i++) {
            if (block[i] != ' ' && block[i] != '\n') {
                if (length < 255) letters[length++] = block[i];
            } else if (length > 0) {
                letters[length] = 0;
                count(letters);
                length = 0;
            }
        }
    }
    if (length > 0) {
        letters[length] = 0;
        count(letters);
    }
    size_t full = 0;
    for (size_t i = 0; i < room; i++)
        if (words[i].letters) words[full++] = words[i];
    qsort(words, known, sizeof *words, by_count);
    for (size_t i = 0; i < known && i < 10; i++) printf("%ld %s\n", words[i].count, words[i].letters);
    return 0;
}
