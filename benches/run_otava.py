"""Runs Apache Otava on series, and takes the series that Otava's own tests publish.

usage: run_otava.py find SERIES.json    prints the change points of each series, as JSON
       run_otava.py time SERIES.json    prints the seconds that the first series takes
       run_otava.py published FOLDER    prints the series in the test files of an unpacked source package
"""

import ast
import json
import pathlib
import sys
import time


def found(series):
    """Otava's change points with its own defaults."""
    from otava.analysis import compute_change_points

    changes, _ = compute_change_points(list(series))
    return [int(change.index) for change in changes]


def number(node):
    """The number that an expression is, if it is a literal."""
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return None
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def published(folder):
    """Every list of eleven numbers or more that is given a name or returned, once."""
    lists = []
    for file in sorted(pathlib.Path(folder, "tests").glob("*_test.py")):
        tree = ast.parse(file.read_text())
        named = [node.value for node in ast.walk(tree) if isinstance(node, (ast.Assign, ast.Return))]
        for node in [inner for value in named if value for inner in ast.walk(value)]:
            if isinstance(node, ast.List) and len(node.elts) > 10:
                values = [number(element) for element in node.elts]
                if None not in values and values not in lists:
                    lists.append(values)
    return lists


def main():
    what, path = sys.argv[1:]
    if what == "published":
        answer = published(path)
    else:
        series = json.loads(pathlib.Path(path).read_text())
        if what == "find":
            answer = [found(one) for one in series]
        else:
            start = time.perf_counter()
            found(series[0])
            answer = time.perf_counter() - start
    json.dump(answer, sys.stdout)


main()
