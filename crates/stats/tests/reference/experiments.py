"""A new experiment against a stored one, with further ones: the ratio and its interval, to 15 digits.

Made by:  python3 experiments.py > experiments.csv      (plain Python 3, a second)

Student's quantiles are those of `one_process.py`. The variance is the mean of the
squared differences of all pairs, halved; the Rust takes deviations from the mean.
"""
from itertools import combinations
from math import exp, log, sqrt

from one_process import quantile

CASES = [
    # new, its error, stored, its error, further, alpha
    ("10.5", 0, "10", 0, "10.1", "0.05"),
    ("10.5", 0.01, "10", 0.02, "10.1", "0.05"),
    ("13", 0, "10", 0, "10.1 9.9", "0.05"),
    ("7", 0.003, "10", 0.001, "10.1 9.9 10.05", "0.025"),
    ("1.3e-9", 0, "1e-9", 0, "1.01e-9 0.99e-9 1.02e-9 1e-9 0.98e-9 1.01e-9", "0.001"),
    ("150", 0, "100", 0, "101 200 99 100 102 98 101 100 99", "0.5"),
    ("5000000", 0.5, "4000000", 0, "4000001 4000002 4000003", "0.01"),
]


def main():
    print("new,new_error,stored,stored_error,further,alpha,ratio,low,high")
    for new, new_error, stored, stored_error, texts, alpha in CASES:
        all_stored = [float(text) for text in [stored, *texts.split()]]
        pairs = list(combinations(all_stored, 2))
        variance = sum(log(a / b) ** 2 for a, b in pairs) / len(pairs) / 2
        error = sqrt(2 * variance + new_error**2 + stored_error**2)
        reach = quantile(float(alpha), min(len(all_stored) - 1, 3)) * error
        ratio = float(new) / float(stored)
        spans = [float(new) / one for one in all_stored]
        low, high = min(ratio * exp(-reach), *spans), max(ratio * exp(reach), *spans)
        ends = f"{ratio:.17g},{low:.17g},{high:.17g}"
        print(f"{new},{new_error},{stored},{stored_error},{texts},{alpha},{ends}")


if __name__ == "__main__":
    main()
