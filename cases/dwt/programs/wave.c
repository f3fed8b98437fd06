#include "wave.h"

#include <stdlib.h>
#include <string.h>

#include "dwt.h"

/* The layers of the filter that is measured: the compiler makes code of its own for this number, with
   all that is held in registers. */
enum { MEASURED = 6 };

static long wrapped(long t, long pairs)
{
    long within = t % pairs;
    return within < 0 ? within + pairs : within;
}

/* Layer k makes, in step t, a first and a second number from the second one of layer k - 1 in the step
   before, which is `held`, and from the first one in this step. */
static inline void through(int layers, const double *cs, double *held, double *first, double *second)
{
    double a = *first, b = *second;
    *first = cs[0] * a + cs[1] * b;
    *second = cs[1] * a - cs[0] * b;
    for (int k = 1; k < layers; k++) {
        double before = held[k - 1], now = *first;
        held[k - 1] = *second;
        *first = cs[2 * k] * before + cs[2 * k + 1] * now;
        *second = cs[2 * k + 1] * before - cs[2 * k] * now;
    }
}

static inline void pass(int layers, const double *cs, double *held, const double *signal, long pairs,
                        double *low, double *high, long stride, long from, long to)
{
    long pair = wrapped(from - (layers - 1), pairs);
    /* So many steps back begins what the first result is made of. */
    for (int i = 1; i < layers; i++) {
        double first = signal[2 * pair], second = signal[2 * pair + 1];
        through(layers, cs, held, &first, &second);
        pair = pair + 1 == pairs ? 0 : pair + 1;
    }
    for (long i = 0; i < to - from; i++) {
        double first = signal[2 * pair], second = signal[2 * pair + 1];
        through(layers, cs, held, &first, &second);
        low[stride * i] = first;
        high[stride * i] = second;
        pair = pair + 1 == pairs ? 0 : pair + 1;
    }
}

void wave(const double *cs, int layers, const double *signal, int n, double *low, double *high,
          long stride, long from, long to)
{
    if (layers == MEASURED) {
        double copy[2 * MEASURED], held[MEASURED - 1] = {0};
        memcpy(copy, cs, sizeof copy);
        pass(MEASURED, copy, held, signal, n / 2, low, high, stride, from, to);
    } else {
        double *held = calloc(layers, sizeof(double));
        if (!held)
            abort();
        pass(layers, cs, held, signal, n / 2, low, high, stride, from, to);
        free(held);
    }
}

void dwt_wave(const double *cs, int layers, const double *signal, int n, double *out, int threads)
{
    /* Steps count so that what they end with lies in the order of the signal: the first pair that is
       ended begins with sample 0 or, when the layers are even, with 1. Then sample 0 closes the last pair. */
    long pairs = n / 2, first = layers / 2, closed = layers % 2 == 0, inner = pairs - closed;
#pragma omp parallel for num_threads(threads) if (threads > 1) schedule(static, 1)
    for (int part = 0; part < threads; part++) {
        long from = inner * part / threads, to = inner * (part + 1) / threads;
        double *low = out + 2 * from + closed;
        wave(cs, layers, signal, n, low, low + 1, 2, first + from, first + to);
    }
    if (closed)
        wave(cs, layers, signal, n, out + n - 1, out, 2, first + inner, first + pairs);
}
