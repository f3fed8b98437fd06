#!/usr/bin/env python3
"""Where the angles of the case come from, and known answers that owe nothing to its programs.

    lattice.py angles      the six angles of Daubechies' filter with twelve taps
    lattice.py answers     the lines of answers.txt

A filter is found by spectral factorisation (I. Daubechies, Comm. Pure Appl. Math. 41, 1988) and taken
apart layer by layer (P. P. Vaidyanathan and P.-Q. Hoang, IEEE Trans. ASSP 36, 1988). The answers come
from filters: angles are multiplied out to taps, and signals convolved with those. The programs of the
case never have a tap.
"""

import cmath
import math
import random
import sys

# I. Daubechies, Ten Lectures on Wavelets (1992), table 6.1, N = 6.
PUBLISHED = [
    0.111540743350, 0.494623890398, 0.751133908021, 0.315250351709, -0.226264693965, -0.129766867567,
    0.097501605587, 0.027522865530, -0.031582039318, 0.000553842201, 0.004777257511, -0.001077301085,
]


def product(p, q):
    result = [0] * (len(p) + len(q) - 1)
    for i, a in enumerate(p):
        for j, b in enumerate(q):
            result[i + j] += a * b
    return result


def roots(coefficients):
    """Of a polynomial, lowest degree first: all at once, by the iteration of Durand and Kerner."""
    monic = [c / coefficients[-1] for c in coefficients]
    degree = len(monic) - 1
    found = [(0.4 + 0.9j) ** i for i in range(degree)]
    for _ in range(500):
        for i in range(degree):
            value = sum(c * found[i] ** power for power, c in enumerate(monic))
            others = math.prod(found[i] - found[j] for j in range(degree) if j != i)
            found[i] -= value / others
    return found


def daubechies(moments):
    """The scaling filter with so many vanishing moments: 2 * moments taps, extremal phase."""
    # The remainder beside the zeros at -1, as a polynomial of sin^2(w / 2) = (2 - z - 1 / z) / 4.
    remainder = [math.comb(moments - 1 + k, k) for k in range(moments)]
    taps = [1.0]
    for _ in range(moments):
        taps = product(taps, [1, 1])
    for y in roots(remainder):
        # z + 1 / z = 2 - 4 y has two solutions, one within the unit circle.
        half = 1 - 2 * y
        z = half + cmath.sqrt(half * half - 1)
        taps = product(taps, [1, -(z if abs(z) < 1 else 1 / z)])
    taps = [tap.real for tap in taps]
    return [tap * math.sqrt(2) / sum(taps) for tap in taps]


def angles_of(low):
    """The layers' angles, first layer first. Each layer reflects (a, b) to (c a + s b, s a - c b)."""
    for sign in (1, -1):
        h = low[:]
        g = [sign * (-1) ** j * tap for j, tap in enumerate(reversed(low))]
        found = []
        while len(h) > 2:
            angle = math.atan2(g[0], h[0])
            c, s = math.cos(angle), math.sin(angle)
            earlier = [c * a + s * b for a, b in zip(h, g)]
            later = [s * a - c * b for a, b in zip(h, g)]
            assert max(map(abs, earlier[-2:] + later[:2])) < 1e-10, (earlier, later)
            found.append(angle)
            h, g = later[2:], earlier[:-2]
        angle = math.atan2(h[1], h[0])
        if abs(g[0] - h[1]) + abs(g[1] + h[0]) < 1e-10:
            return list(reversed(found + [angle]))
    raise ValueError("no lattice has this filter")


def taps_of(angles):
    """Both filters, as weights of consecutive samples in the order of the signal."""
    h, g = [1.0, 0.0], [0.0, 1.0]
    for number, angle in enumerate(angles):
        c, s = math.cos(angle), math.sin(angle)
        first, second = (h, g) if number == 0 else (g + [0, 0], [0, 0] + h)
        h = [c * a + s * b for a, b in zip(first, second)]
        g = [s * a - c * b for a, b in zip(first, second)]
    return h, g


def level(angles, signal):
    """Low and high band of a periodic signal. The first window is the one that ends with the second sample."""
    h, g = taps_of(angles)
    start = 2 - len(h)
    bands = []
    for taps in (h, g):
        bands.append([
            math.fsum(tap * signal[(start + 2 * i + j) % len(signal)] for j, tap in enumerate(taps))
            for i in range(len(signal) // 2)
        ])
    return bands


def pyramid(angles, levels, signal):
    """The coarsest band first, then details from coarse to fine."""
    details = []
    for _ in range(levels):
        signal, high = level(angles, signal)
        details = high + details
    return signal + details


def answers():
    yield "# Made by lattice.py: levels; angles; signal; transform"
    rng = random.Random(1988)
    cases = [(layers, levels, size) for layers, levels, size in [
        (1, 0, 2), (1, 1, 2), (2, 1, 2), (3, 1, 2), (6, 1, 2), (1, 1, 6), (2, 1, 6), (3, 1, 10), (6, 1, 8),
        (6, 1, 14), (6, 1, 32), (7, 1, 16), (4, 2, 12), (5, 3, 24), (6, 3, 40), (6, 5, 32), (6, 1, 22), (2, 3, 8),
        (9, 1, 4),
    ]]
    daubechies6 = angles_of(daubechies(6))
    for layers, levels, size in cases:
        angles = daubechies6 if layers == 6 else [rng.uniform(-math.pi, math.pi) for _ in range(layers)]
        signal = [rng.randint(-1000, 1000) / 8 for _ in range(size)]
        fields = [str(levels)] + [
            " ".join(repr(float(value)) for value in values)
            for values in (angles, signal, pyramid(angles, levels, signal))
        ]
        yield ";".join(fields)


def check():
    low = daubechies(6)
    assert max(abs(a - b) for a, b in zip(low, PUBLISHED)) < 1e-11
    angles = angles_of(low)
    h, g = taps_of(angles)
    assert max(abs(a - b) for a, b in zip(h, low)) < 1e-11
    for power in range(6):
        assert abs(math.fsum(tap * j ** power for j, tap in enumerate(g))) < 1e-6
    root = math.sqrt(3)
    four = [(1 + root), (3 + root), (3 - root), (1 - root)]
    assert max(abs(a - b / math.sqrt(32)) for a, b in zip(daubechies(2), four)) < 1e-12


if __name__ == "__main__":
    check()
    if sys.argv[1:] == ["angles"]:
        print("\n".join(repr(angle) for angle in angles_of(daubechies(6))))
    elif sys.argv[1:] == ["answers"]:
        print("\n".join(answers()))
    else:
        sys.exit(__doc__)
