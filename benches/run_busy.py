#!/usr/bin/env python3
"""Counts the steps that histories and searches find while every processor is busy.

    run_busy.py BRISK FOLDER [PART...]     the parts: steps none bisect bisect-idle; all by default

Each repetition has a repository of its own, of 12 commits of a C program that counts down. Loops
keep every processor busy, but for bisect-idle.

steps        two commits do 20 to 30 % more or less work, and two change what never runs: how often a
             history names both and nothing else, by default and with `--layouts 0`, and how long both
             take, in turns.
none         three commits change what never runs: how many steps are named, all of them false.
bisect       every commit changes what never runs, and one does 3 % more work: how often
             `--bisect cpu_time` names it, names another, or takes back what it had confirmed.

BENCH_COMPARISONS   repetitions; 20 by default
"""

import json
import os
import random
import shutil
import subprocess
import sys
import time

REPETITIONS = int(os.environ.get("BENCH_COMPARISONS", "20"))
COMMITS = 12
# So many rounds take some 30 ms.
WORK = 20_000_000

PROGRAM = """int never_%(never)d(int x) { return x * %(never)d; }
int main(int count, char **words) {
    (void)words;
    volatile unsigned long left = %(work)d;
    while (left--);
    return count > 100 ? never_%(never)d(count) : 0;
}
"""


def repository(folder, commits):
    """A repository of commits, each of so much work and with this number in what never runs."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    names = ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"]
    environment = dict(os.environ, GIT_CONFIG_GLOBAL="/dev/null", **{name: "bench" for name in names})

    def git(*words):
        subprocess.run(["git", *words], cwd=folder, env=environment, check=True)

    git("init", "--quiet", "--initial-branch=main")
    for number, (work, never) in enumerate(commits):
        with open(os.path.join(folder, "m.c"), "w") as file:
            file.write(PROGRAM % {"work": work, "never": never})
        with open(os.path.join(folder, "note"), "w") as file:
            file.write(f"{number}\n")
        git("add", "--all")
        git("commit", "--quiet", "--message", f"commit {number}")


def history(brisk, folder, options):
    """What a history or a search says: its steps by number, what it told meanwhile, the seconds."""
    cache, store, told = (os.path.join(folder, "..", name) for name in ("cache", "store.db", "told.json"))
    shutil.rmtree(cache, ignore_errors=True)
    for name in (store, told):
        if os.path.exists(name):
            os.remove(name)
    first = subprocess.run(["git", "rev-list", "--max-parents=0", "HEAD"], cwd=folder, text=True,
                           capture_output=True, check=True).stdout.strip()
    words = [brisk, "history", f"{first}^..HEAD", "--project", folder, "--store", store]
    words += ["--build", "cc -O1 -o m m.c", "--artifact", "m", "--export-json", told, *options]
    environment = dict(os.environ, BRISK_CACHE=cache, BRISK_PROGRESS="never")
    begin = time.monotonic()
    ended = subprocess.run(words, env=environment, capture_output=True, text=True)
    seconds = time.monotonic() - begin
    steps = set()
    if os.path.exists(told):
        with open(told) as file:
            document = json.load(file)
        numbers = {commit["hash"]: int(commit["subject"].split()[1]) for commit in document["commits"]}
        times = ("wall_time", "user_time", "cpu_time")
        steps = {numbers[step["commit"]] for step in document["steps"] if step["metric"] in times}
    elif ended.returncode not in (0, 1, 2):
        sys.exit(ended.stderr)
    return steps, ended.stderr, seconds


def changing(draw, works, neutral):
    """Commits of which these change the work by these factors, and these only what never runs."""
    work, never, commits = float(WORK), draw.randrange(1000), []
    for number in range(COMMITS):
        work *= works.get(number, 1.0)
        if number in neutral:
            never += 1
        commits.append((int(work), never))
    return commits


WAYS = [("by default", []), ("--layouts 0", ["--layouts", "0"])]


def steps(brisk, folder):
    right, false = {way: 0 for way, _ in WAYS}, {way: 0 for way, _ in WAYS}
    total = {way: 0.0 for way, _ in WAYS}
    for repetition in range(REPETITIONS):
        draw = random.Random(repetition)
        places = draw.sample(range(1, COMMITS), 4)
        factors = [draw.choice((1.0 + size, 1.0 - size)) for size in (draw.uniform(0.2, 0.3) for _ in "12")]
        works = dict(zip(places[:2], factors))
        repository(folder, changing(draw, works, places[2:]))
        for way, options in WAYS[:: 1 if repetition % 2 else -1]:
            found, _, seconds = history(brisk, folder, options)
            right[way] += found >= set(works)
            false[way] += len(found - set(works))
            total[way] += seconds
            print(f"repetition {repetition}, {way}: {sorted(found)} of {sorted(works)}, {seconds:.1f} s", flush=True)
    for way, _ in WAYS:
        print(f"both steps, {way}: in {right[way]} of {REPETITIONS}, {false[way]} false, {total[way]:.0f} s")
    print(f"time: {total['by default'] / total['--layouts 0']:.2f} times that of --layouts 0")


def none(brisk, folder):
    false = {way: 0 for way, _ in WAYS}
    for repetition in range(REPETITIONS):
        draw = random.Random(1000 + repetition)
        repository(folder, changing(draw, {}, draw.sample(range(1, COMMITS), 3)))
        for way, options in WAYS:
            found, _, seconds = history(brisk, folder, options)
            false[way] += len(found)
            print(f"repetition {repetition}, {way}: {sorted(found)}, {seconds:.1f} s", flush=True)
    for way, count in false.items():
        print(f"no true step, {way}: {count} false in {REPETITIONS} histories")


def bisect(brisk, folder):
    right = wrong = taken_back = 0
    for repetition in range(REPETITIONS):
        draw = random.Random(2000 + repetition)
        place = draw.randrange(1, COMMITS)
        repository(folder, changing(draw, {place: 1.03}, range(COMMITS)))
        found, said, seconds = history(brisk, folder, ["--bisect", "cpu_time", "--budget", "120s"])
        right += found == {place}
        wrong += bool(found - {place})
        taken_back += not found and "confirmed" in said
        print(f"repetition {repetition}: {sorted(found)} of {place}, {seconds:.1f} s", flush=True)
    print(f"a search for 3 %: right in {right} of {REPETITIONS}, wrong in {wrong}, taken back in {taken_back}")


PARTS = {"steps": steps, "none": none, "bisect": bisect, "bisect-idle": bisect}


def main():
    brisk, folder, *parts = sys.argv[1:]
    for part in parts or PARTS:
        loads = 0 if part.endswith("-idle") else os.cpu_count()
        busy = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(loads)]
        try:
            print(f"== {part}", flush=True)
            PARTS[part](os.path.abspath(brisk), os.path.join(os.path.abspath(folder), "series"))
        finally:
            for loop in busy:
                loop.kill()
                loop.wait()


if __name__ == "__main__":
    main()
