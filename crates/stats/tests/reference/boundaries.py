"""Group-sequential boundaries by another route: convolution on a fine uniform grid.

Made by:  python3 boundaries.py > boundaries.csv      (plain Python 3, about a minute)

The process is followed in its own units (not standardised as in the Rust), by the midpoint rule
with 400 and 800 cells between the boundaries, and the critical value found by bisection. Two step sizes
are combined by Richardson's extrapolation. Lines: spending, parameter, alpha, information of all
looks separated by spaces (the clock is information over the last), critical values likewise.
The first two are the published ones of Lan and DeMets (1983): 4.8769 3.3569 2.6803 2.2898 2.0310
and 2.4380 2.4268 2.4101 2.3966 2.3859.
"""
import math
from statistics import NormalDist

NORMAL = NormalDist()


def tail(z):
    return math.erfc(z / math.sqrt(2)) / 2


def spent(kind, parameter, alpha, t):
    if kind == "power":
        return alpha * t ** parameter
    if kind == "obrien_fleming":
        return 4 * tail(NORMAL.inv_cdf(1 - alpha / 4) / math.sqrt(t))
    return alpha * math.log(1 + (math.e - 1) * t)


def bisect(function, low, high):
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) > 0 else (low, middle)
    return (low + high) / 2


def boundary(kind, parameter, alpha, looks, cells):
    critical, before, density, positions, width = [], 0.0, None, None, None
    for k, information in enumerate(looks):
        now = spent(kind, parameter, alpha, information / looks[-1])
        step = math.sqrt(information - (looks[k - 1] if k else 0))
        if k == 0:
            edge = bisect(lambda c: 2 * tail(c / step) - now, 0, 12 * step)
        else:
            def crossing(c):
                return width * sum(f * (tail((c - s) / step) + tail((c + s) / step))
                                   for s, f in zip(positions, density)) - (now - before)
            edge = bisect(crossing, 0, 12 * math.sqrt(information))
        critical.append(edge / math.sqrt(information))
        before = now
        if information == looks[-1]:
            break
        edge = min(edge, 9 * math.sqrt(information))
        new_width = 2 * edge / cells
        new = [-edge + (i + 0.5) * new_width for i in range(cells)]
        scale = 1 / (step * math.sqrt(2 * math.pi))
        if k == 0:
            values = [scale * math.exp(-0.5 * (s / step) ** 2) for s in new]
        else:
            half = [width * scale * sum(f * math.exp(-0.5 * ((s - u) / step) ** 2)
                                        for u, f in zip(positions, density) if abs(s - u) < 9 * step)
                    for s in new[: cells // 2]]
            values = half + half[::-1]
        density, positions, width = values, new, new_width
    return critical


def main():
    print("spending,parameter,alpha,information,critical")
    equal = [1, 2, 3, 4, 5]
    for kind, parameter, alpha, looks in [
        ("obrien_fleming", 0, 0.05, equal),
        ("pocock", 0, 0.05, equal),
        ("power", 1, 0.05, equal),
        ("power", 2, 0.01, [10, 12, 15, 18, 22, 27, 33]),
        ("power", 1, 0.05, [10, 10.5, 11.2, 40, 41, 100]),
        ("power", 3, 0.2, [1, 100, 101.5, 200]),
    ]:
        coarse, fine = (boundary(kind, parameter, alpha, looks, cells) for cells in (400, 800))
        better = [f + (f - c) / 3 for c, f in zip(coarse, fine)]
        print(f"{kind},{parameter},{alpha},{' '.join(map(str, looks))},{' '.join(f'{z:.9f}' for z in better)}", flush=True)


if __name__ == "__main__":
    main()
