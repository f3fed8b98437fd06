"""Wilcoxon's signed-rank distribution, and which Walsh average ends an interval.

Made by:  python3 signed_rank.py > signed_rank.csv      (plain Python 3, seconds)

Lines `tail,n,t,p`: P(T+ <= t). Up to n = 16 by listing all 2^n choices of signs; beyond, by
counting subsets in whole numbers. Lines `rank,n,alpha,k`: the largest k with P(T+ <= k - 1) <=
alpha / 2, 0 when there is none.
"""
from fractions import Fraction
from itertools import product


def by_listing(n):
    counts = [0] * (n * (n + 1) // 2 + 1)
    for signs in product((0, 1), repeat=n):
        counts[sum(rank for rank, sign in enumerate(signs, 1) if sign)] += 1
    return counts


def by_counting(n):
    counts = [1]
    for rank in range(1, n + 1):
        longer = counts + [0] * rank
        for t, count in enumerate(counts):
            longer[t + rank] += count
        counts = longer
    return counts


def interval_rank(counts, n, alpha):
    total, bound = 0, Fraction(alpha) / 2 * 2 ** n
    for t, count in enumerate(counts):
        total += count
        if total > bound:
            return t


def main():
    print("kind,n,argument,value")
    for n in (1, 2, 5, 8, 12, 16, 20, 50, 99, 100, 101, 130, 200):
        counts = by_listing(n) if n <= 16 else by_counting(n)
        assert n > 12 or counts == by_counting(n)
        most = n * (n + 1) // 2
        for part in (0, 0.05, 0.15, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.8, 1):
            t = int(part * most)
            print(f"tail,{n},{t},{float(Fraction(sum(counts[: t + 1]), 2 ** n)):.17g}")
        for alpha in ("0.5", "0.1", "0.05", "0.01", "0.001", "0.00001"):
            print(f"rank,{n},{alpha},{interval_rank(counts, n, alpha)}")


if __name__ == "__main__":
    main()
