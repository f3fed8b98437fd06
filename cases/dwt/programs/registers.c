#include "registers.h"

#ifdef __x86_64__

#define EACH(instruction)                                                                              \
    instruction(0) instruction(1) instruction(2) instruction(3) instruction(4) instruction(5)          \
    instruction(6) instruction(7) instruction(8) instruction(9) instruction(10) instruction(11)        \
    instruction(12) instruction(13) instruction(14) instruction(15)
#define FILL(n) "pcmpeqd %%xmm" #n ", %%xmm" #n "\n"
#define CLEAR(n) "xorps %%xmm" #n ", %%xmm" #n "\n"
#define ALL                                                                                            \
    "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",  \
        "xmm12", "xmm13", "xmm14", "xmm15"

int registers_fill(void)
{
    __asm__ volatile(EACH(FILL) ::: ALL);
    return 0;
}

int registers_clear(void)
{
    __asm__ volatile(EACH(CLEAR) ::: ALL);
    return 0;
}

#else

int registers_fill(void)
{
    return -1;
}

int registers_clear(void)
{
    return -1;
}

#endif
