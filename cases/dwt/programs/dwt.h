/* The lattice wavelet transform in C. What a lattice is, and where each layer's pairs lie, is told in
   Dwt/Lattice.hs.

   `cs` has two numbers for each layer, the cosine and the sine of its angle; there is at least one layer.
   `n`, the number of samples, is even and at least 2. `out` has room for as many. */
#ifndef DWT_H
#define DWT_H

/* One layer: the one with this number, counted from 0. */
void dwt_step(const double *cs, int layer, const double *signal, int n, double *out);

/* All layers, one after the other over all of the signal. */
void dwt_layers(const double *cs, int layers, const double *signal, int n, double *out);

/* All layers in one pass over the signal, by so many threads. */
void dwt_wave(const double *cs, int layers, const double *signal, int n, double *out, int threads);

/* So many levels, each of the low band of the one before: the coarsest low band, then the high bands from
   coarse to fine. `n` is a multiple of 2 to the power of `levels`. Returns 0, or -1 where there is no
   memory. */
int dwt_pyramid(const double *cs, int layers, int levels, const double *signal, int n, double *out);

/* The same as the first two, in the way of the founding document: the result lies in memory from malloc,
   which the caller frees. NULL where there is none. */
double *dwt_new_step(const double *cs, int layer, const double *signal, int n);
double *dwt_new_layers(const double *cs, int layers, const double *signal, int n);

/* Only the memory, with nothing in it. */
double *dwt_new(int n);

#endif
