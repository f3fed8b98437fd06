#ifndef DWT_WAVE_H
#define DWT_WAVE_H

/* All layers for the steps `from <= t < to`. Step t brings in pair t of the signal, periodically, and
   ends with two numbers, which belong to the samples 2 t + 1 - layers and the one behind it. Those of
   the first step go to low[0] and high[0], of the next one to low[stride] and high[stride]. */
void wave(const double *cs, int layers, const double *signal, int n, double *low, double *high,
          long stride, long from, long to);

#endif
