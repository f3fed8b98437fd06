"""Clopper and Pearson's interval of a proportion, to 17 digits.

Made by:  python3 proportion.py > proportion.csv      (plain Python 3, a second)

The binomial sums in exact fractions, at probabilities that are multiples of 2**-70, by bisection.
The Rust inverts the incomplete beta function.
"""
from fractions import Fraction
from math import comb

BITS = 70


def at_least(k, n, p):
    return sum(comb(n, i) * p ** i * (1 - p) ** (n - i) for i in range(k, n + 1))


def boundary(holds):
    low, high = 0, 1 << BITS
    while high - low > 1:
        middle = (low + high) // 2
        if holds(Fraction(middle, 1 << BITS)):
            low = middle
        else:
            high = middle
    return Fraction(low, 1 << BITS)


def main():
    print("found,of,alpha,low,high")
    for alpha in ["0.05", "0.01"]:
        half = Fraction(alpha) / 2
        for k, n in [(0, 1), (1, 1), (0, 10), (1, 10), (5, 10), (10, 10), (1, 20), (7, 29), (3, 100), (95, 100)]:
            low = 0 if k == 0 else boundary(lambda p: at_least(k, n, p) < half)
            high = 1 if k == n else boundary(lambda p: 1 - at_least(k + 1, n, p) > half)
            print(f"{k},{n},{alpha},{float(low):.17g},{float(high):.17g}")


if __name__ == "__main__":
    main()
