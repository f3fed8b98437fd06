/* Sets every bit of the sixteen vector registers of x86-64, or none. Returns 0, or -1 on other processors. */
#ifndef DWT_REGISTERS_H
#define DWT_REGISTERS_H

int registers_fill(void);
int registers_clear(void);

#endif
