"""Levels and probabilities of a search for the commit of a change, to 17 digits.

Made by:  python3 bisection.py > bisection.csv      (plain Python 3, a second)

Without outliers, scales of one size and a Gaussian weight the fit is ordinary least squares with rounds
and artefacts; here it is Student's t with four degrees of freedom, so the script maximises that
likelihood directly, coordinate by coordinate, at the scales that the method prescribes, where the Rust
solves weighted normal equations. The probabilities integrate the likelihood of the levels over the size
of the change on a grid, where the Rust has the closed form; the covariance matrix is inverted by
Gauss-Jordan, where the Rust has Cholesky.
"""
import math

NU = 4.0


def rounds():
    """Twelve rounds of artefacts 0 and 3, eight of them with 1, four with 2; a disturbed run."""
    true = {0: 0.0, 1: 0.002, 2: 0.031, 3: 0.03}
    made = []
    for r in range(12):
        who = [0, 3] + ([1] if r % 3 else []) + ([2] if r >= 8 else [])
        row = []
        for a in who:
            noise = ((r * 7919 + a * 104729 + r * a * 31) % 2003 - 1001) / 1001 * 0.05
            if (r, a) == (5, 3):
                noise += 0.5
            row.append((a, 0.05 * math.sin(r) + true[a] + noise))
        made.append((r // 6, row))
    return made


def residuals(data, level, effect):
    return [[y - effect[r] - level[a] for a, y in row] for r, (_, row) in enumerate(data)]


def scales_of(data, rest, old, weight, freedom, runs):
    squares, counts = [0.0] * len(old), [0] * len(old)
    for (batch, _), own in zip(data, rest):
        for e in own:
            squares[batch] += weight(e / old[batch]) * e * e
            counts[batch] += 1
    pooled = sum(squares) / freedom
    return [
        math.sqrt((10 * pooled + s) / (10 + freedom / runs * n)) for s, n in zip(squares, counts)
    ]


def golden(f, low, high):
    ratio = (math.sqrt(5) - 1) / 2
    a, b = low, high
    c, d = b - ratio * (b - a), a + ratio * (b - a)
    fc, fd = f(c), f(d)
    while b - a > 1e-13:
        if fc < fd:
            b, d, fd = d, c, fc
            c = b - ratio * (b - a)
            fc = f(c)
        else:
            a, c, fc = c, d, fd
            d = a + ratio * (b - a)
            fd = f(d)
    return (a + b) / 2


def fit(data):
    """The fixed point: levels that maximise the likelihood at scales that follow from the residuals."""
    artefacts = sorted({a for _, row in data for a, _ in row})
    runs = sum(len(row) for _, row in data)
    freedom = runs - len(data) - len(artefacts) + 1
    level = {a: 0.0 for a in artefacts}
    effect = [sum(y for _, y in row) / len(row) for _, row in data]
    scales = [0.02, 0.02]
    t = lambda u: (NU + 1) / (NU + u * u)
    loss = lambda e, s: (NU + 1) / 2 * math.log1p((e / s) ** 2 / NU)
    for _ in range(150):
        for r, (batch, row) in enumerate(data):
            effect[r] = golden(
                lambda x: sum(loss(y - x - level[a], scales[batch]) for a, y in row),
                effect[r] - 0.1, effect[r] + 0.1)
        for a in artefacts[1:]:
            of = [(y - effect[r], b) for r, (b, row) in enumerate(data) for o, y in row if o == a]
            level[a] = golden(
                lambda x: sum(loss(e - x, scales[b]) for e, b in of), level[a] - 0.1, level[a] + 0.1)
        scales = scales_of(data, residuals(data, level, effect), scales, t, freedom, runs)
    return artefacts, level, residuals(data, level, effect), scales, freedom, runs


def inverse(matrix):
    size = len(matrix)
    rows = [list(row) + [float(i == j) for j in range(size)] for i, row in enumerate(matrix)]
    for i in range(size):
        pivot = max(range(i, size), key=lambda k: abs(rows[k][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for k in range(size):
            if k != i:
                rows[k] = [x - rows[k][i] * y for x, y in zip(rows[k], rows[i])]
    return [row[size:] for row in rows]


def covariance(data, artefacts, rest, scales, freedom, runs):
    size = len(artefacts)
    information = [[0.0] * size for _ in artefacts]
    for batch, row in data:
        precision = 1 / scales[batch] ** 2
        for a, _ in row:
            information[a][a] += precision
            for b, _ in row:
                information[a][b] -= precision / len(row)
    over = [e / scales[b] for (b, _), own in zip(data, rest) for e in own]
    psi = [(NU + 1) * u / (NU + u * u) for u in over]
    slope = sum((NU + 1) * (NU - u * u) / (NU + u * u) ** 2 for u in over) / runs
    inflation = sum(p * p for p in psi) / freedom / slope ** 2 * freedom / (freedom - 2)
    return [[inflation * x for x in row] for row in inverse([row[1:] for row in information[1:]])]


def probabilities(level, cov, change, at, commits):
    """`at`: the commit of each artefact; the first is the base. Every commit but the first may be it."""
    wandering = max(0.001, 0.1 * abs(change))
    others = range(1, len(at))
    matrix = [[cov[i - 1][j - 1] + wandering ** 2 * (2 if i == j else 1) for j in others]
              for i in others]
    precision = inverse(matrix)
    prior = max(abs(change), wandering)
    logs = []
    for k in range(1, commits):
        shape = [1.0 if at[i] >= k else 0.0 for i in others]
        width, total, steps = 12 * prior, 0.0, 60000
        grid = []
        for n in range(steps + 1):
            size = -width + 2 * width * n / steps
            off = [level[i] - size * s for i, s in zip(others, shape)]
            form = sum(off[i] * precision[i][j] * off[j] for i in range(len(off))
                       for j in range(len(off)))
            grid.append(-form / 2 - size * size / (2 * prior * prior))
        most = max(grid)
        logs.append(most + math.log(sum(math.exp(g - most) for g in grid)))
    most = max(logs)
    masses = [math.exp(x - most) for x in logs]
    return [m / sum(masses) for m in masses]


data = rounds()
artefacts, level, rest, scales, freedom, runs = fit(data)
cov = covariance(data, artefacts, rest, scales, freedom, runs)
print("what,artefact,value")
for a in artefacts[1:]:
    print(f"level,{a},{level[a]:.10g}")
    print(f"error,{a},{math.sqrt(cov[a - 1][a - 1]):.10g}")
# Artefacts 0, 1, 2 and 3 are the commits 0, 3, 5 and 9 of ten.
for k, p in enumerate(probabilities(level, cov, level[3], [0, 3, 5, 9], 10), 1):
    print(f"probability,{k},{p:.10g}")
