/* Counts the reads of memory of everything that is compiled with
   -sanitizer-coverage-trace-loads: the work that a parser does, on every machine the same.
   In C, so that the counting is not counted. */
#include <stdint.h>

static uint64_t reads;

uint64_t brisk_fuzz_reads(void) { return reads; }

void __sanitizer_cov_load1(uint8_t *at) { (void)at; reads++; }
void __sanitizer_cov_load2(uint16_t *at) { (void)at; reads++; }
void __sanitizer_cov_load4(uint32_t *at) { (void)at; reads++; }
void __sanitizer_cov_load8(uint64_t *at) { (void)at; reads++; }
void __sanitizer_cov_load16(__uint128_t *at) { (void)at; reads++; }
