"""Errors, spreads and means of few numbers, to 15 digits.

Made by:  python3 summaries.py > summaries.csv      (plain Python 3, a second)

Quantiles and means are those of Python's `statistics`; Student's distribution has a closed form with
1, 2 and 3 degrees of freedom.
"""
from math import exp, sqrt
from statistics import NormalDist, geometric_mean, mean, quantiles, stdev

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


if __name__ == "__main__":
    main()
