"""Errors, spreads and means of few numbers, to 15 digits.

Made by:  python3 summaries.py > summaries.csv      (plain Python 3, a second)

Quantiles and means are those of Python's `statistics`; Student's distribution has a closed form with
1, 2 and 3 degrees of freedom.
"""
from fractions import Fraction
from math import comb, exp, sqrt
from math import log as ln
from statistics import NormalDist, geometric_mean, mean, median, quantiles, stdev

from one_process import quantile

RUNS = [10.0, 10.4, 9.7, 10.1]
MANY = [3.0, 3.1, 2.9, 3.05, 3.3, 9.0, 2.95]


def show(what, arguments, *values):
    listed = " ".join(repr(one) for one in arguments)
    print(f"{what},{listed},{' '.join(f'{value:.17g}' for value in values)}")


def main():
    print("what,arguments,values")
    for ratios in [[1.1, 0.9], [2.0, 0.5, 1.5], [1e300, 1e300, 1e-300]]:
        show("geometric_mean", ratios, geometric_mean(ratios))
    # The estimate, and the ends of its interval.
    for value, low, high in [(10.0, 9.0, 12.0), (2e-3, 1.9e-3, 2.1e-3)]:
        error = (high - low) / 2 / NormalDist().inv_cdf(0.975)
        show("level_of_interval", [value, low, high], error / value)
    # The estimate, and the runs.
    show("level_of_runs", [10.2, *RUNS], stdev(RUNS) / sqrt(len(RUNS)) / 10.2)
    for runs in [RUNS, MANY]:
        lower, _, upper = quantiles(runs, n=4, method="inclusive")
        middle = quantiles(runs, n=2, method="inclusive")[0]
        sigma = (upper - lower) / (2 * NormalDist().inv_cdf(0.75))
        show("spreads", runs, stdev(runs) / mean(runs), sigma / middle)
    for alpha in [0.05, 0.001]:
        reach = quantile(alpha, len(RUNS) - 1) * stdev(RUNS) / sqrt(len(RUNS))
        show("half_width", [alpha, *RUNS], reach)
    # The logarithm of the ratio, its error and its degrees of freedom.
    for log, error, freedom in [(0.1, 0.02, 3), (-0.5, 0.1, 2), (0.2, 0.0, 1)]:
        reach = quantile(0.05, freedom) * error
        show("difference", [log, error, freedom], exp(log), exp(log - reach), exp(log + reach))
    # The level, and the readings.
    for alpha in ["0.05", "0.02", "0.5"]:
        for runs in [MANY, MANY + RUNS]:
            show("median_interval", [float(alpha), *runs], *median_interval(runs, Fraction(alpha)))
    # The reserve, and the stage: what is spent at its end, and in its middle.
    for reserve, stage in [("0.1", 0), ("0.1", 1), ("0.1", 5), ("0", 2)]:
        begin, end, left = Fraction(0), 1 - Fraction(reserve), Fraction(reserve)
        for _ in range(stage):
            left /= 2
            begin, end = end, end + left
        show("stage", [float(reserve), stage], float(end), float(begin + end) / 2)
    # The reference, its ratio, and the ends of that.
    for numbers in [(2.0, 1.1, 1.0, 1.3), (5.0, 0.5, 0.25, 0.75)]:
        show("shift", numbers, *(ln(numbers[0]) + ln(ratio) for ratio in numbers[1:]))
    # The deviation of a run, and how far points are from where they were.
    for numbers in [(0.01, 0.02, 0.03), (0.01, -0.5, -0.02), (0.01, 0.02, -0.03), (0.01, 0.5), (0.1, 0.2, 0.05)]:
        chance, *rest = numbers
        agree = len(rest) > 1 and (min(rest) > 0 or max(rest) < 0)
        least = min(rest, key=abs)
        show("batch_share", numbers, least if agree and abs(least) > chance else 0.0)
    # Three runs of each point.
    for runs in [[1.0, 1.1, 1.3], [0.0, 0.02, 0.03, 2.0, 2.5, 2.1, 7.0, 7.01, 7.5]]:
        sizes = [0.015 / 1.4826] * 3
        for point in (runs[at : at + 3] for at in range(0, len(runs), 3)):
            sizes += [abs(one - median(point)) * sqrt(3 / 2) for one in point]
        show("batch_deviation", runs, 1.4826 * median(sizes))
    # The deviation, and the runs of a point.
    for deviation, *runs in [(0.1, 1.0, 1.2, 1.29, 1.31), (0.01, 4.0, 4.5)]:
        near = [one for one in runs if one <= min(runs) + 3 * deviation]
        show("batch_level", [deviation, *runs], mean(near))


def median_interval(runs, alpha):
    count = len(runs)
    most = [rank for rank in range(1, count + 1) if sum(comb(count, k) for k in range(rank)) <= alpha / 2 * 2**count]
    return [sorted(runs)[most[-1] - 1], sorted(runs)[-most[-1]]] if most else []


if __name__ == "__main__":
    main()
