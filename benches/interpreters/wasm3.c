/* wasm3 as a command: `wasm3 FILE` calls the export `run`, which has no parameters, and prints
 * its result. wasm3 itself is a library; Python's package of it would add Python's start. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "wasm3.h"

static void check(M3Result result) {
    if (result) {
        fprintf(stderr, "wasm3: %s\n", result);
        exit(1);
    }
}

static uint8_t *contents(const char *path, uint32_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) {
        perror(path);
        exit(1);
    }
    long end = ftell(file);
    uint8_t *bytes = end > 0 ? malloc((size_t)end) : NULL;
    rewind(file);
    if (!bytes || fread(bytes, 1, (size_t)end, file) != (size_t)end) {
        perror(path);
        exit(1);
    }
    fclose(file);
    *size = (uint32_t)end;
    return bytes;
}

int main(int count, char **arguments) {
    if (count != 2) {
        fprintf(stderr, "usage: wasm3 FILE\n");
        return 2;
    }
    uint32_t size;
    uint8_t *bytes = contents(arguments[1], &size);
    IM3Environment environment = m3_NewEnvironment();
    IM3Runtime runtime = m3_NewRuntime(environment, 1 << 20, NULL);
    IM3Module module;
    IM3Function run;
    check(m3_ParseModule(environment, &module, bytes, size));
    check(m3_LoadModule(runtime, module));
    check(m3_FindFunction(&run, runtime, "run"));
    check(m3_CallV(run));
    if (m3_GetRetCount(run) == 0) {
        return 0;
    }
    uint64_t bits = 0;
    const void *results[] = {&bits};
    check(m3_GetResults(run, 1, results));
    if (m3_GetRetType(run, 0) == c_m3Type_f64) {
        double number;
        m3_GetResultsV(run, &number);
        printf("%f\n", number);
    } else {
        printf("%" PRIu32 "\n", (uint32_t)bits);
    }
    return 0;
}
