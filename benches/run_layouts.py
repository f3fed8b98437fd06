#!/usr/bin/env python3
"""Counts false steps in histories whose commits change nothing that runs.

    run_layouts.py BRISK FOLDER [PART...]       the parts: false-steps planted cost cost-moved; all by default

Each repetition has a series of its own: a C program of small functions, compiled with -Os, so that
they lie where what is before them ends. Every commit replaces a function that never runs,
so that what runs comes to lie elsewhere; only those that do more work move nothing.

false-steps  how many steps in wall time a history names, with `--layouts 0`, by default, and with
             `--layouts 60 --margin 1`; none is true.
planted      the commit in the middle does 3 % more work: how often it is named.
cost         every fifth of 40 commits does a fifth more work or less, so 8 steps are true: how long
             the history takes by default and with `--layouts 0`, in turns. The other commits change
             a number that nothing reads, and move nothing: a false step would cost as much as a true one.
cost-moved   the same where the other commits move what runs.

BENCH_COMPARISONS   repetitions of false-steps and planted; 20 by default (of cost a quarter)
BENCH_COMMITS       commits of a series; 40 by default
"""

import json
import os
import random
import shutil
import subprocess
import sys
import time

REPETITIONS = int(os.environ.get("BENCH_COMPARISONS", "20"))
COMMITS = int(os.environ.get("BENCH_COMMITS", "40"))
# So many passes over the text take some 15 ms.
WORK = 4000

PROGRAM = """#include <stdint.h>
#include <stdio.h>
#define LENGTH 512
static unsigned char text[LENGTH];
__attribute__((used)) const int number = %(number)d;
%(never)s
__attribute__((noinline)) uint32_t mix(uint32_t hash, int letter) {
    return (hash ^ letter) * 16777619u;
}
__attribute__((noinline)) uint32_t pass(uint32_t hash) {
    /* Calls that depend on where the two functions lie, and six times as long a chain that does not. */
    for (int i = 0; i < LENGTH; i++)
        hash = mix(hash, text[i]);
    for (int i = 0; i < 6 * LENGTH; i++)
        hash = hash * 1664525u + 1013904223u;
    return hash;
}
int main(int count, char **words) {
    (void)words;
    uint32_t hash = 1;
    for (int i = 0; i < LENGTH; i++)
        text[i] = "ab cd 12 x1 (;"[(i * 7) %% 14];
    for (int i = 0; i < %(work)d; i++)
        hash = pass(hash);
    printf("%%u\\n", hash);
    return count > 100 ? (int)rule_0(hash) : 0;
}
"""


def never(sizes):
    """Functions that are linked and never run, each of so many statements."""
    function = "__attribute__((noinline)) uint32_t rule_%d(uint32_t x) {\n%s    return x;\n}\n"
    rule = "    x = x * %du + (x >> %d);\n"
    texts = []
    for number, (seed, size) in enumerate(sizes):
        draw = random.Random(seed)
        body = "".join(rule % (draw.randrange(3, 999, 2), draw.randrange(1, 31)) for _ in range(size))
        texts.append(function % (number, body))
    return "".join(texts)


def series(folder, seed, work, moves=True):
    """A repository of commits, `work` saying how much the commit of a number does."""
    draw = random.Random(seed)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    names = ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"]
    environment = dict(os.environ, GIT_CONFIG_GLOBAL="/dev/null", **{name: "bench" for name in names})

    def git(*words):
        subprocess.run(["git", *words], cwd=folder, env=environment, check=True)

    def write(name, content):
        with open(os.path.join(folder, name), "w") as file:
            file.write(content)

    git("init", "--quiet", "--initial-branch=main")
    write("Makefile", "prog: prog.c\n\t$(CC) -Os -o $@ prog.c\n")
    write(".gitignore", "prog\n")
    sizes = [(draw.random(), draw.randint(1, 12)) for _ in range(6)]
    for number in range(COMMITS + 1):
        # What changes the work moves nothing: else layout could hide it.
        if moves and number and work(number) == work(number - 1):
            sizes[draw.randrange(len(sizes))] = (draw.random(), draw.randint(1, 12))
        write("prog.c", PROGRAM % {"number": number, "never": never(sizes), "work": work(number)})
        git("add", "--all")
        git("commit", "--quiet", "--message", f"commit {number}")


def history(brisk, folder, options):
    """The steps in wall time, by the numbers of their commits, and the seconds that it took."""
    cache, store, told = (os.path.join(folder, "..", name) for name in ("cache", "store.db", "told.json"))
    shutil.rmtree(cache, ignore_errors=True)
    for name in (store, told):
        if os.path.exists(name):
            os.remove(name)
    begin = time.monotonic()
    words = [brisk, "history", f"HEAD~{COMMITS}..HEAD", "--project", folder, "--store", store, "--quiet"]
    words += ["--counters", "none", "--metrics", "wall_time", "--export-json", told, *options]
    ended = subprocess.run(words, env=dict(os.environ, BRISK_CACHE=cache), capture_output=True, text=True)
    seconds = time.monotonic() - begin
    if ended.returncode not in (0, 1):
        sys.exit(ended.stderr)
    with open(told) as file:
        document = json.load(file)
    numbers = {commit["hash"]: int(commit["subject"].split()[1]) for commit in document["commits"]}
    return [numbers[step["commit"]] for step in document["steps"]], seconds


WAYS = [
    ("--layouts 0", ["--layouts", "0"]),
    ("by default", []),
    ("--layouts 60", ["--layouts", "60", "--margin", "1"]),
]


def false_steps(brisk, folder):
    totals = {way: [] for way, _ in WAYS}
    for repetition in range(REPETITIONS):
        series(folder, repetition, lambda number: WORK)
        for way, options in WAYS:
            totals[way].append(len(history(brisk, folder, options)[0]))
        print(f"repetition {repetition}: " + ", ".join(f"{w} {t[-1]}" for w, t in totals.items()), flush=True)
    for way, counts in totals.items():
        some = sum(count > 0 for count in counts)
        print(f"false steps, {way}: {sum(counts)} in {len(counts)} repetitions, some in {some} of them")


def planted(brisk, folder):
    middle = COMMITS // 2
    found = {way: [] for way, _ in WAYS}
    for repetition in range(REPETITIONS):
        series(folder, 1000 + repetition, lambda number: WORK if number < middle else WORK * 103 // 100)
        for way, options in WAYS:
            found[way].append(history(brisk, folder, options)[0])
        print(f"repetition {repetition}: " + ", ".join(f"{w} {s[-1]}" for w, s in found.items()), flush=True)
    for way, all_steps in found.items():
        true = sum(middle in steps for steps in all_steps)
        false = sum(step != middle for steps in all_steps for step in steps)
        print(f"a change of 3 %, {way}: found in {true} of {len(all_steps)}, with {false} false steps")


def cost(brisk, folder, moves=False):
    totals = {way: 0.0 for way, _ in WAYS[:2]}
    for repetition in range(max(REPETITIONS // 4, 1)):
        series(folder, 2000 + repetition, lambda number: WORK * (5 + number // 5 % 2) // 5, moves)
        for way, options in WAYS[:2][:: 1 if repetition % 2 else -1]:
            steps, seconds = history(brisk, folder, options)
            totals[way] += seconds
            print(f"repetition {repetition}, {way}: {seconds:.1f} s, {len(steps)} steps", flush=True)
    print(f"cost: {totals['by default'] / totals['--layouts 0']:.2f} times as long as with --layouts 0")


def cost_moved(brisk, folder):
    cost(brisk, folder, moves=True)


PARTS = {"false-steps": false_steps, "planted": planted, "cost": cost, "cost-moved": cost_moved}


def main():
    brisk, folder, *parts = sys.argv[1:]
    for part in parts or PARTS:
        PARTS[part](os.path.abspath(brisk), os.path.join(os.path.abspath(folder), "series"))


if __name__ == "__main__":
    main()
