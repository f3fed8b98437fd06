"""The area under the ROC curve and its exact p-value, by listing all groupings.

Made by:  python3 roc.py > roc.csv      (plain Python 3, some seconds)

The Rust counts the groupings by their sums of ranks.
"""
from fractions import Fraction
from itertools import combinations

CASES = [
    ([1, 2, 3], [4, 5, 6]),
    ([4, 5, 6], [1, 2, 3]),
    ([0, 0, 0, 0], [32, 32, 32, 32]),
    ([0, 0, 0, 32], [32, 32, 32, 32]),
    ([0, 0, 1, 32, 0, 0], [32, 32, 0, 33, 32]),
    ([5, 5, 5], [5, 5]),
    ([1], [2]),
    ([1, 1, 2, 2, 3], [2, 3, 3, 4, 4, 5, 1]),
    ([3, 1, 4, 1, 5, 9, 2, 6], [5, 3, 5, 8, 9, 7, 9, 3, 2]),
]


def area(first, second):
    won = sum((b > a) + Fraction(a == b, 2) for a in first for b in second)
    return won / (len(first) * len(second))


def main():
    print("first,second,area,p_value")
    for first, second in CASES:
        every = first + second
        seen = area(first, second)
        far = total = 0
        for chosen in combinations(range(len(every)), len(second)):
            other = area([v for i, v in enumerate(every) if i not in chosen], [every[i] for i in chosen])
            total += 1
            far += abs(other - Fraction(1, 2)) >= abs(seen - Fraction(1, 2))
        cells = [" ".join(map(str, first)), " ".join(map(str, second))]
        print(",".join(cells + [f"{float(seen):.17g}", f"{far / total:.17g}"]))


if __name__ == "__main__":
    main()
