"""The variance that rounds have in common, by the analysis of variance, to 17 digits.

Made by:  python3 round_effect.py > round_effect.csv      (plain Python 3, an instant)

The mean squares between rounds and of what is left, as the textbook has them, where the Rust takes the
mean covariance of two benchmarks. Then what flicker noise makes of it: the bias function B1 by its
definition, as the ratio of the expected variance of N samples and of two, each of them a sum over the
structure function of noise whose Allan variance is the same at all lengths.
"""
from decimal import Decimal, getcontext

getcontext().prec = 40
TABLES = {"quiet": (3, 10), "two": (2, 5), "wide": (7, 20), "shared": (4, 12)}


def table(kind):
    benchmarks, rounds = TABLES[kind]
    for b in range(benchmarks):
        row = []
        for r in range(rounds):
            own = (b * b * 7919 + r * 104729 + b * r * 31) % 2003 - 1001
            both = (r * r * 15485863 + 7) % 3001 - 1500 if kind in ("shared", "two") else 0
            row.append(Decimal((b + 1) * 100000 + (b + 1) * 5 * own + (b + 1) * 10 * both))
        yield row


def variance_of_rounds(rows):
    rows = [[value.ln() for value in row] for row in rows]
    b, r = len(rows), len(rows[0])
    grand = sum(map(sum, rows)) / (b * r)
    of_row = [sum(row) / r for row in rows]
    of_round = [sum(row[k] for row in rows) / b for k in range(r)]
    between = b * sum((m - grand) ** 2 for m in of_round) / (r - 1)
    rest = sum(
        (rows[i][k] - of_row[i] - of_round[k] + grand) ** 2 for i in range(b) for k in range(r)
    ) / ((b - 1) * (r - 1))
    return max(Decimal(0), (between - rest) / b)


def flicker_structure(gap):
    """E[(y(t + gap) - y(t))^2] of samples of length 1 for flicker noise, up to a factor: the second
    difference of x^2 ln x, which is the covariance of their integral (Barnes)."""
    def u(x):
        x = Decimal(x)
        return x * x * x.ln() if x else Decimal(0)
    # E[(Y2 - Y1)^2] over stretches of length 1 whose starts are `gap` apart.
    return u(gap + 1) + u(abs(gap - 1)) - 2 * u(gap)


def b1(n):
    # The expected variance among n samples is the mean of half the structure function over pairs.
    pairs = sum((n - g) * flicker_structure(g) for g in range(1, n))
    return (pairs / (n * (n - 1) / Decimal(2))) / flicker_structure(1)


print("table,variance,between_experiments")
for kind in TABLES:
    rows = list(table(kind))
    variance = variance_of_rounds(rows)
    rounds = len(rows[0])
    between = variance * (2 / b1(rounds) - Decimal(2) / rounds)
    print(f"{kind},{variance:.17g},{between:.17g}")
