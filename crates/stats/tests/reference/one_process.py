"""Several processes against one: the ratio with its interval, to 15 digits.

Made by:  python3 one_process.py > one_process.csv      (plain Python 3, a second)

Student's distribution with 1, 2 and 3 degrees of freedom has a closed form, from which the quantile
comes by bisection. The Rust inverts the incomplete beta function.
"""
from math import atan, exp, log, pi, sqrt

CASES = [
    ("10 11", "10", 0, "0.05"),
    ("10 11 12", "10", 0, "0.05"),
    ("100 101 99 102", "130", 0, "0.05"),
    ("100 101 99 102", "130", 0.05, "0.05"),
    ("100 101 99 102 98 103 97", "90", 0, "0.001"),
    ("1e-9 1.01e-9 0.99e-9 1e-9 1.02e-9", "1e-9", 0.01, "0.01"),
    ("1 1 1 1 1 2 1 1 1 1", "1.9", 0, "0.2"),
]


def cdf(t, df):
    if df == 1:
        return 0.5 + atan(t) / pi
    if df == 2:
        return 0.5 + t / (2 * sqrt(2 + t * t))
    return 0.5 + (atan(t / sqrt(3)) + sqrt(3) * t / (3 + t * t)) / pi


def quantile(alpha, df):
    low, high = 0.0, 1e6
    for _ in range(200):
        middle = (low + high) / 2
        if 1 - cdf(middle, df) > alpha / 2:
            low = middle
        else:
            high = middle
    return low


def main():
    print("processes,one,relative_error,alpha,ratio,low,high")
    for texts, one, own, alpha in CASES:
        logs = [log(float(text)) - log(float(one)) for text in texts.split()]
        n = len(logs)
        mean = sum(logs) / n
        variance = sum((x - mean) ** 2 for x in logs) / (n - 1)
        reach = quantile(float(alpha), min(n - 1, 3)) * sqrt(variance * (1 + 1 / n) + own * own)
        ends = min(mean - reach, min(logs)), max(mean + reach, max(logs))
        print(f"{texts},{one},{own},{alpha},{exp(mean):.17g},{exp(ends[0]):.17g},{exp(ends[1]):.17g}")


if __name__ == "__main__":
    main()
