#!/usr/bin/env python3
"""Reads the samples a second time, independently of the parsers, and writes expected.tsv.

    python3 reference.py > expected.tsv

The name of a sample begins with the word of the harness that wrote it:

  go                go1.26.8, -test.bench=. -test.benchmem -test.benchtime=0.02s
  google-benchmark  1.7.1, --benchmark_out=F --benchmark_min_time=0.01
  criterion         1.5.13.0, --json F (rts: with +RTS -T); the density estimates and most rows left out
  criterion-rs      0.8 (criterion-rs-0.3: 0.3.6), the files below CRITERION_HOME as one object: path, contents
  divan             0.1.21, --bench --color never --max-time 0.05
  tasty-bench       the list: tasty 1.4.2.3, which lists and selects for it; the reports by hand
  lines             by hand

Each line of the output: sample, benchmark, its place among those of its name, measurements,
seconds of one iteration, bytes that one iteration allocates; - where that is not known, and
"refused" instead of all of them where there is no measurement.
"""
import csv
import io
import json
import pathlib
import re
from collections import Counter
from fractions import Fraction


def number(text):
    return Fraction(str(text))


def go(text):
    for name, count, rest in re.findall(r"^(Benchmark\S+?)(?:-2)?\s+(\d+)\s+(.*)$", text, re.M):
        value = {unit: number(amount) for amount, unit in re.findall(r"(\S+)\s+(\S+)", rest)}
        rows = [(int(count), value["ns/op"] * int(count) / 10**9, value.get("B/op"))]
        yield name, [(n, s, None if b is None else b * n) for n, s, b in rows]


def google(text):
    unit = {"ns": 10**9, "us": 10**6, "ms": 10**3, "s": 1}
    for entry in json.loads(text)["benchmarks"]:
        if entry.get("error_occurred"):
            yield entry["name"], None
        else:
            n = entry["iterations"]
            yield entry["name"], [(n, number(entry["real_time"]) * n / unit[entry["time_unit"]], None)]


def criterion(text):
    for report in json.loads(text)[2]:
        rows = [dict(zip(report["reportKeys"], row)) for row in report["reportMeasured"]]
        yield report["reportName"], [
            (r["iters"], number(r["time"]), None if r["allocated"] is None else number(r["allocated"]))
            for r in rows
        ]


def criterion_rs(text):
    files = json.loads(text)
    for path in sorted(files):
        if path.endswith("new/benchmark.json"):
            sample = json.loads(files[path.replace("benchmark.json", "sample.json")])
            rows = zip(sample["iters"], sample["times"])
            yield json.loads(files[path])["full_id"], [(int(n), number(t) / 10**9, None) for n, t in rows]


def divan(text):
    """The shape of the suite is known here, so that no tree has to be read."""
    names = {"plain": "dv::plain", "4": "dv::fib::4", "18": "dv::fib::18",
             'it\'s, "odd" │ ü': 'dv::it\'s, "odd" │ ü', "t=1": "dv::inner::thr::t=1",
             "t=2": "dv::inner::thr::t=2"}
    unit = {"ns": 10**9, "µs": 10**6}
    lines = text.splitlines()
    for at, line in enumerate(lines):
        found = re.search(r"[├╰]─ (.*?)  +[\d.]+ [nµ]s .*│ ([\d.]+) ([nµ]s) +│ \d+ +│ (\d+)$", line)
        if found:
            name, mean, of, n = found.groups()
            bytes_ = None
            for below in range(at + 1, min(at + 7, len(lines))):
                if " alloc:" in lines[below] and "max" not in lines[below]:
                    bytes_ = number(re.findall(r"([\d.]+) B", lines[below + 2])[3]) * int(n)
                if re.search(r"[├╰]─ ", lines[below]):
                    break
            yield names[name], [(int(n), number(mean) / unit[of] * int(n), bytes_)]


def tasty_bench(text):
    for row in csv.DictReader(io.StringIO(text)):
        bytes_ = row.get("Allocated")
        yield row["Name"], [(1, number(row["Mean (ps)"]) / 10**12, bytes_ and number(bytes_))]


def lines(text):
    together = {}
    for line in text.split("brisk-bench 1\n")[1].splitlines():
        name, n, seconds, *figures = line.split("\t")
        bytes_ = dict(figure.split("=") for figure in figures).get("allocated")
        together.setdefault(name, []).append((int(n), number(seconds), bytes_ and number(bytes_)))
    yield from together.items()


READERS = {"go": go, "google-benchmark": google, "criterion": criterion, "criterion-rs": criterion_rs,
           "divan": divan, "tasty-bench": tasty_bench, "lines": lines}

for path in sorted((pathlib.Path(__file__).parent / "samples").iterdir()):
    if "list" in path.name:
        continue
    word = max((word for word in READERS if path.name.startswith(word)), key=len)
    seen = Counter()
    for name, rows in READERS[word](path.read_text()):
        place = seen[name]
        seen[name] += 1
        if rows is None:
            print(path.name, name, place, "refused", "-", "-", sep="\t")
            continue
        n = sum(row[0] for row in rows)
        seconds = sum(row[1] for row in rows) / n
        known = all(row[2] is not None for row in rows)
        bytes_ = repr(float(sum(row[2] for row in rows) / n)) if known else "-"
        print(path.name, name, place, len(rows), repr(float(seconds)), bytes_, sep="\t")
