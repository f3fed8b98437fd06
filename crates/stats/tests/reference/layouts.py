"""How far layouts of one program differ: the analysis of variance of one random factor.

Made by:  python3 layouts.py > layouts.csv      (plain Python 3, a few seconds)

Twice as many values as layouts, dealt in turn. The quantiles of F come from Simpson's rule over its
density and bisection; the Rust inverts the incomplete beta function. The values come from a linear
congruential generator, so that they are the same everywhere.
"""
from math import exp, lgamma, log, sqrt
from statistics import NormalDist


def density(f, a, b):
    if f <= 0:
        return 0.0
    front = lgamma((a + b) / 2) - lgamma(a / 2) - lgamma(b / 2) + a / 2 * log(a / b)
    return exp(front + (a / 2 - 1) * log(f) - (a + b) / 2 * log(1 + a * f / b))


def probability(f, a, b, steps=4000):
    # By f = u^2, which tames the density at 0.
    top = sqrt(f)
    h = top / steps
    total = 0.0
    for i in range(steps + 1):
        u = i * h
        weight = 1 if i in (0, steps) else (4 if i % 2 else 2)
        total += weight * density(u * u, a, b) * 2 * u
    return total * h / 3


def quantile(p, a, b):
    low, high = 0.0, 200.0
    for _ in range(60):
        middle = (low + high) / 2
        if probability(middle, a, b) < p:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def quartile(values):
    # Type 7 of Hyndman and Fan: linear between the order statistics around (n - 1) / 4.
    ordered = sorted(values)
    place = (len(ordered) - 1) / 4
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def spread(groups):
    halves = [(log(quartile(g[0::2])), log(quartile(g[1::2]))) for g in groups]
    k = len(halves)
    means = [(x + y) / 2 for x, y in halves]
    grand = sum(means) / k
    msb = 2 * sum((m - grand) ** 2 for m in means) / (k - 1)
    mse = sum((x - m) ** 2 + (y - m) ** 2 for (x, y), m in zip(halves, means)) / k
    sd = lambda ms: sqrt(max(0.0, (ms - mse) / 2))
    # A difference of two halves has twice the variance of one, and their mean half of it.
    differences = sorted(abs(x - y) for x, y in halves)
    middle = (differences[(k - 1) // 2] + differences[k // 2]) / 2
    noise = middle / NormalDist().inv_cdf(0.75) / 2
    return sd(msb), sd(msb / quantile(0.975, k - 1, k)), sd(msb / quantile(0.025, k - 1, k)), noise


def main():
    state = 12345

    def uniform():
        nonlocal state
        state = (1103515245 * state + 12345) % 2 ** 31
        return state / 2 ** 31

    print("layouts,values,sd,low,high,noise")
    for layouts, each, effect, noise in [(5, 2, 0.02, 0.01), (8, 5, 0.05, 0.01), (16, 3, 0.0, 0.02), (20, 8, 0.01, 0.03)]:
        levels = [1 + effect * (uniform() - 0.5) for _ in range(layouts)]
        rows = [[round(level * (1 + noise * (uniform() - 0.5)), 9) for level in levels] for _ in range(each)]
        groups = [[row[i] for row in rows] for i in range(layouts)]
        sd, low, high, noise = spread(groups)
        values = " ".join(repr(value) for row in rows for value in row)
        print(f"{layouts},{values},{sd:.12g},{low:.12g},{high:.12g},{noise:.12g}")


if __name__ == "__main__":
    main()
