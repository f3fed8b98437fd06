"""Kuiper's statistic of two groups on a circle and its exact p-value, by listing all groupings.

Made by:  python3 kuiper.py > kuiper.csv      (plain Python 3, some seconds)

The statistic is found here by trying every arc between two places. The Rust takes it from the
distribution functions, and counts the groupings as walks.
"""
from fractions import Fraction
from itertools import combinations

CASES = [
    ([0, 16, 32], [48, 48, 48]),
    ([16, 32, 32, 16], [48, 0, 0, 48]),
    ([0, 16, 32, 48, 0, 16], [48, 48, 16, 0]),
    ([0, 0, 0], [0, 0]),
    ([1], [2]),
    ([0, 1, 2, 3, 4, 5, 6, 7], [8, 9, 10, 11]),
    ([4000, 16, 32, 80], [2000, 2032, 1990, 96, 2100]),
    ([0, 16, 16, 32, 32, 32, 48], [0, 0, 16, 48, 48, 48, 48, 32, 0]),
]


def kuiper(first, second):
    places = sorted(set(first + second))
    best = Fraction(0)
    for start in range(len(places)):
        for length in range(1, len(places) + 1):
            arc = {places[(start + k) % len(places)] for k in range(length)}
            share = lambda group: Fraction(sum(p in arc for p in group), len(group))
            best = max(best, share(second) - share(first))
    return best


def main():
    print("first,second,strength,p_value")
    for first, second in CASES:
        every = first + second
        seen = kuiper(first, second)
        known, far, total = {}, 0, 0
        for chosen in combinations(range(len(every)), len(second)):
            one = tuple(sorted(v for i, v in enumerate(every) if i not in chosen))
            two = tuple(sorted(every[i] for i in chosen))
            if (one, two) not in known:
                known[one, two] = kuiper(list(one), list(two))
            total += 1
            far += known[one, two] >= seen
        cells = [" ".join(map(str, first)), " ".join(map(str, second))]
        print(",".join(cells + [f"{float(seen):.17g}", f"{far / total:.17g}"]))


if __name__ == "__main__":
    main()
