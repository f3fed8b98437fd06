#include "dwt.h"

#include <stdlib.h>
#include <string.h>

#include "wave.h"

/* One layer on `count` pairs that lie side by side. Each pair is read before it is written, so that
   `out` may be `in`. */
static void reflect(double c, double s, const double *in, double *out, int count)
{
    for (int i = 0; i < count; i++) {
        double a = in[2 * i], b = in[2 * i + 1];
        out[2 * i] = c * a + s * b;
        out[2 * i + 1] = s * a - c * b;
    }
}

void dwt_step(const double *cs, int layer, const double *signal, int n, double *out)
{
    double c = cs[2 * layer], s = cs[2 * layer + 1];
    if (layer % 2 == 0) {
        reflect(c, s, signal, out, n / 2);
        return;
    }
    /* The pairs of an odd layer begin one sample later, and the last one is closed by the first sample. */
    double a = signal[n - 1], b = signal[0];
    reflect(c, s, signal + 1, out + 1, n / 2 - 1);
    out[n - 1] = c * a + s * b;
    out[0] = s * a - c * b;
}

void dwt_layers(const double *cs, int layers, const double *signal, int n, double *out)
{
    for (int layer = 0; layer < layers; layer++)
        dwt_step(cs, layer, layer == 0 ? signal : out, n, out);
}

int dwt_pyramid(const double *cs, int layers, int levels, const double *signal, int n, double *out)
{
    /* The low bands of two levels, of which the later one is made from the earlier one. */
    double *bands = levels > 1 ? malloc((n / 2 + n / 4) * sizeof(double)) : NULL;
    if (levels > 1 && !bands)
        return -1;
    if (levels == 0)
        memcpy(out, signal, n * sizeof(double));
    const double *from = signal;
    for (int level = 0; level < levels; level++) {
        int half = n / 2;
        double *low = level == levels - 1 ? out : level % 2 == 0 ? bands : bands + (half * 2);
        wave(cs, layers, from, n, low, out + half, 1, 0, half);
        from = low;
        n = half;
    }
    free(bands);
    return 0;
}

double *dwt_new(int n)
{
    return malloc(n * sizeof(double));
}

double *dwt_new_step(const double *cs, int layer, const double *signal, int n)
{
    double *out = dwt_new(n);
    if (out)
        dwt_step(cs, layer, signal, n, out);
    return out;
}

double *dwt_new_layers(const double *cs, int layers, const double *signal, int n)
{
    double *out = dwt_new(n);
    if (out)
        dwt_layers(cs, layers, signal, n, out);
    return out;
}
