"""Rare regimes, in forty digits.

Made by:  python3 rare.py > rare.csv      (plain Python 3, a second)

Every number of rare readings on both sides is asked by its definition. The readings are whole numbers.
"""
from decimal import Decimal, getcontext
from statistics import median

getcontext().prec = 40
LEVEL = Decimal("0.05")


def ends(values):
    """(p, rare readings, others, side) of every end on either side."""
    ascending = [Decimal(value) for value in sorted(values)]
    n = len(ascending)
    grid = min((b - a for a, b in zip(ascending, ascending[1:]) if b > a), default=None)
    for count in range(3, n // 4 + 1):
        for rare, usual, is_above in [(ascending[n - count:], ascending[:n - count], True),
                                      (ascending[:count], ascending[count:], False)]:
            beyond = count // 5
            if is_above:
                crowd, before = rare[:count - beyond], usual[-1]
                width, gap = crowd[-1] - crowd[0] + grid, crowd[-1] - before
            else:
                crowd, before = rare[beyond:], usual[0]
                width = ((crowd[-1] + grid) / crowd[0]).ln()
                gap = (before / crowd[0]).ln()
            if before in rare:
                continue
            p = 2 * min(Decimal(1), min(Decimal(1), width / gap) ** (len(crowd) - 1) * (n // 4 - 2))
            yield min(Decimal(1), p), rare, usual, is_above


def steps(seed, count):
    """Whole numbers from 0 to 999 that look drawn (a multiplicative generator)."""
    state = seed
    for _ in range(count):
        state = state * 48271 % 2147483647
        yield state % 1000


def samples():
    usual = [10000 + v for v in steps(1, 36)]
    slow = [200000 + 20 * v for v in steps(2, 4)]
    yield "one in ten takes twenty times", usual + slow
    yield "the slow ones have a tail", usual + [200000, 201000, 202500, 203000, 900000]
    yield "one in ten skips", [100000 + 5 * v for v in steps(3, 36)] + [4000 + v for v in steps(4, 4)]
    yield "the slow ones are of two kinds", usual + slow + [250000 + v for v in steps(6, 4)]
    yield "two outliers", usual + [200000, 201000]
    yield "thinning outwards", [10000 + v * v * v // 4000 for v in steps(5, 60)]
    yield "a coarse clock", [1] * 30 + [2] * 8 + [3] * 2
    yield "two values", [1] * 30 + [2] * 8
    yield "too few", [1, 2, 3, 4, 5, 6, 90, 91, 92, 93, 94]


def main():
    print("about|values|count|rare|usual|p_value")
    for about, values in samples():
        clear = [one for one in ends(values) if one[0] < LEVEL]
        side = min(clear, key=lambda one: one[0])[3] if clear else None
        found = max((one for one in clear if one[3] == side), key=lambda one: len(one[1]), default=None)
        cells = "none|||" if found is None else "|".join(
            [str(len(found[1])), f"{float(median(found[1])):.17g}", f"{float(median(found[2])):.17g}",
             f"{float(found[0]):.17g}"])
        print(f"{about}|{' '.join(map(str, values))}|{cells}")


if __name__ == "__main__":
    main()
