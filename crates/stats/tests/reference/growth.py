"""The slope of what remains of a program's memory, with its interval.

Made by:  python3 growth.py > growth.csv      (plain Python 3, some seconds)

Written from the definitions, in other ways than the Rust: sums in exact fractions, teeth by looking
at every pair of a top and a later bottom, Student's quantile from an integral. Only runs that
neither step nor slide, so that the search for change points has no part in it. A run is given by
its kind, its number of samples and its growth over ten seconds; `samples` says how it is made, with
whole numbers only, so that both sides have the same values.
"""
from fractions import Fraction as F
from math import gamma, pi, sqrt


def samples(kind, count, growth):
    """Times in tenths of milliseconds, values in bytes; whole numbers."""
    times = [100000 * (2 * i + 1) // (2 * count) for i in range(count)]
    values = []
    for i in range(count):
        noise = (i * i * 7919 + i * 104729) % 2003 - 1001
        line = 50_000_000 + growth * i // count
        if kind == "flat":
            values.append(line + 300 * noise)
        elif kind == "start":
            part = min(i * 20, count)
            values.append(line * part // count + 300 * abs(noise))
        else:
            teeth = int(kind)
            place = i * teeth * 1000 // count
            bottom = ((place // 1000) * 7919) % 401 - 200
            values.append(line + 2000 * bottom + (place % 1000) * 30_000)
    return times, values


def middle(values):
    values = sorted(values)
    n = len(values)
    return (values[(n - 1) // 2] + values[n // 2]) / 2


def quantile(values, p):
    """Between neighbours in proportion, as R's type 7."""
    values = sorted(values)
    at = p * (len(values) - 1)
    low = int(at)
    high = min(low + 1, len(values) - 1)
    return values[low] + (at - low) * (values[high] - values[low])


def line(times, values):
    n = len(times)
    mt, mv = sum(map(F, times)) / n, sum(map(F, values)) / n
    spread = sum((t - mt) ** 2 for t in times)
    slope = sum((t - mt) * (v - mv) for t, v in zip(times, values)) / spread
    return slope, spread, [v - mv - slope * (t - mt) for t, v in zip(times, values)]


def bottoms(times, values):
    residuals = line(times, values)[2]
    least = F(3, 10) * (quantile(residuals, F(19, 20)) - quantile(residuals, F(1, 20)))
    if least <= 0:
        return []
    found, start = [], 0
    n = len(values)
    while True:
        # The first sample that lies `least` below an earlier one, counted from the last bottom.
        top, fell = None, None
        best = start
        for i in range(start, n):
            if residuals[i] > residuals[best]:
                best = i
            elif residuals[best] - residuals[i] >= least:
                top, fell = best, i
                break
        if fell is None:
            return found
        low, rose = fell, None
        for i in range(fell, n):
            if residuals[i] < residuals[low]:
                low = i
            elif residuals[i] - residuals[low] >= least:
                rose = i
                break
        if rose is None:
            return found
        if values[top] - values[low] >= least / 2:
            found.append(low)
        start = rose


def least_of_groups(values, indices, groups):
    n = len(indices)
    cut = [g * n // groups for g in range(groups + 1)]
    return [min(indices[a:b], key=lambda i: (values[i], i)) for a, b in zip(cut, cut[1:])]


def student_two_sided(alpha, df):
    """By bisection of the integral of the density (Simpson's rule)."""
    scale = gamma((df + 1) / 2) / (sqrt(df * pi) * gamma(df / 2))

    def inside(t, steps=20000):
        h = t / steps
        f = lambda x: scale * (1 + x * x / df) ** (-(df + 1) / 2)
        odd = sum(f((2 * i + 1) * h) for i in range(steps // 2))
        even = sum(f(2 * i * h) for i in range(1, steps // 2))
        return 2 * h / 3 * (f(0) + 4 * odd + 2 * even + f(t))

    low, high = 0.0, 100.0
    for _ in range(45):
        middle = (low + high) / 2
        if inside(middle, 2000) < 1 - alpha:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def slope_with_interval(times, values):
    n = len(times)
    pairs = [F(values[j] - values[i], times[j] - times[i]) for i in range(n) for j in range(i + 1, n)]
    robust = middle(pairs)
    rest = [v - robust * t for t, v in zip(times, values)]
    intercept = middle(rest)
    bound = 3 * F("1.4826") * middle([abs(r - intercept) for r in rest])
    clipped = [v - (r - intercept) + max(-bound, min(bound, r - intercept)) for v, r in zip(values, rest)]
    slope, spread, residuals = line(times, clipped)
    squares = sum(r * r for r in residuals)
    lagged = sum(a * b for a, b in zip(residuals, residuals[1:]))
    corrected = float((n * lagged / squares + 2) / (n - 4))
    memory = corrected + sqrt(max(1 - corrected**2, 0) / n)
    memory = min(max(memory, 0), 1)
    df = n * (1 - memory) / (1 + memory) - 2
    assert df >= 1, "this run remembers too long for the reference"
    error = sqrt(float(squares) / (n - 2) / float(spread) * (1 + memory) / (1 - memory))
    half = student_two_sided(0.05, df) * error
    return float(slope), float(slope) - half, float(slope) + half


def growth(times, values):
    n = len(times)
    span = times[-1] - times[0]
    later = [v for t, v in zip(times, values) if 2 * (t - times[0]) >= span]
    reached = next(i for i, v in enumerate(values) if v >= min(later))
    quarter = sum(1 for t in times if 4 * (t - times[0]) < span)
    start = min(reached, quarter, n // 2)
    times, values = times[start:], values[start:]
    everything = list(range(len(values)))
    stretches = min(max(len(values) // 4, 5), 32)
    place = lambda i: min((times[i] - times[0]) * stretches // (times[-1] - times[0]), stretches - 1)
    inside = [[i for i in everything if place(i) == k] for k in range(stretches)]
    candidates = [[min(part, key=lambda i: (values[i], i)) for part in inside if part]]
    chosen = bottoms(times, values)
    while len(chosen) >= 5:
        candidates.append(least_of_groups(values, chosen, min(len(chosen), 32)))
        lower = bottoms([times[i] for i in chosen], [values[i] for i in chosen])
        chosen = [chosen[i] for i in lower]
    fits = []
    for floor in candidates:
        try:
            fits.append((slope_with_interval([times[i] for i in floor], [values[i] for i in floor]), floor))
        except AssertionError:
            pass
    (slope, low, high), floor = min(fits, key=lambda fit: fit[0][2] - fit[0][1])
    return times[0], middle([F(values[i]) for i in floor]), slope, low, high


def main():
    print("kind,count,growth,from,level,slope,low,high")
    for kind, count, total in [
        ("flat", 200, 0), ("flat", 60, 0), ("flat", 400, 10_000_000), ("start", 300, 0),
        ("start", 300, 20_000_000), ("12", 240, 0), ("12", 240, 10_000_000), ("30", 900, 0),
        ("30", 900, 15_000_000), ("90", 900, 15_000_000),
    ]:
        numbers = growth(*samples(kind, count, total))
        print(f"{kind},{count},{total}," + ",".join(f"{float(x):.12g}" for x in numbers))


if __name__ == "__main__":
    main()
