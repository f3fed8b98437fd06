"""The sums of the ticky samples, read in another way than the tool reads them.

Prints `expected.tsv`: sample, rows, and the sums of the columns Entries, Alloc and Alloc'd.
"""

import pathlib
import re

here = pathlib.Path(__file__).parent
for path in sorted((here / "samples").glob("*-ticky*.txt")):
    text = path.read_bytes().decode("latin-1")
    table = text.split("STG Name\n")[1].split("\n*****")[0]
    rows = [re.match(r" *(\d+) +(\d+) +(\d+) +\d+ ", line) for line in table.splitlines()[1:] if line.strip()]
    sums = [sum(int(row[column]) for row in rows) for column in (1, 2, 3)]
    print(path.name, len(rows), *sums, sep="\t")
