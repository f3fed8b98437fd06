#!/usr/bin/env python3
"""How often `brisk ci` is right about pull requests of a real repository.

    run_ci.py BRISK WORK REPOSITORY BUILD ARTIFACT COMMAND FILE [PLANTED [UNCHANGED]]

A clone of REPOSITORY (its last 30 commits) gets a brisk.toml with BUILD, ARTIFACT and COMMAND. A pull
request of one commit then changes the C file FILE. The planted one runs 5 % longer: a function before
main loops that long. The unchanged one makes other bytes, but does the same. Both are judged PLANTED
(20) and UNCHANGED (50) times while two loops keep both processors busy. Prints how many failed, and how
long an answer took without the builds.
"""

import pathlib
import shutil
import statistics
import subprocess
import sys
import time

LOOP = """
__attribute__((constructor)) static void planted(void) {
    for (volatile long i = 0; i < %d; i++) { }
}
"""
CALIBRATION = 50_000_000


def run(*words, cwd=None, check=True, **options):
    return subprocess.run(
        [str(word) for word in words], cwd=cwd, check=check, text=True, errors="replace",
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)


def user_seconds(command, cwd):
    """The least user time of ten runs: what the program takes where nobody disturbs it."""
    import resource
    times = []
    for _ in range(10):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        run("sh", "-c", command, cwd=cwd)
        times.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
    return min(times)


def commit(clone, file, text, branch, subject):
    run("git", "switch", "-q", "-C", branch, "base", cwd=clone)
    path = clone / file
    path.write_text(path.read_text() + text)
    run("git", "-c", "user.name=b", "-c", "user.email=b@example.org",
        "commit", "-qam", subject, cwd=clone)


def judge(brisk, clone, branch, output, count):
    """How each of so many judgements ended, and what it took."""
    ended, seconds = [], []
    for number in range(count):
        began = time.monotonic()
        done = run(brisk, "ci", "--base", "base", "--head", branch, "--output", output,
                   "--", "--quiet", cwd=clone, check=False)
        seconds.append(time.monotonic() - began)
        if done.returncode not in (0, 1):
            sys.exit(done.stdout)
        line = [line for line in done.stdout.splitlines() if line.startswith(("holds", "fails", "undecided"))]
        print(f"{branch} {number + 1}: {seconds[-1]:.1f} s, {' '.join(line[0].split()[:6])}", flush=True)
        ended.append(done.returncode)
    return ended, seconds


def main():
    brisk, work, repository, build, artifact, command, file = sys.argv[1:8]
    planted, unchanged = (int(word) for word in (sys.argv[8:] + ["20", "50"][len(sys.argv) - 8:]))
    brisk, work = pathlib.Path(brisk).resolve(), pathlib.Path(work).resolve()
    shutil.rmtree(work, ignore_errors=True)
    clone = work / "clone"
    run("git", "clone", "-q", "--depth", "30", f"file://{pathlib.Path(repository).resolve()}", clone)
    (clone / "brisk.toml").write_text(
        f"[project]\nbuild = '''{build}'''\nartifact = '''{artifact}'''\n"
        f"[[benchmark]]\nname = 'command'\ncommand = '''{command}'''\n")
    run("git", "switch", "-q", "-c", "base", cwd=clone)
    run("sh", "-c", build, cwd=clone)
    (work / "loop.c").write_text(LOOP % CALIBRATION + "int main(void) { return 0; }\n")
    run("cc", "-O1", "-o", work / "loop", work / "loop.c")
    each = user_seconds(str(work / "loop"), work) / CALIBRATION
    takes = user_seconds(command, clone)
    rounds = int(0.05 * takes / each)
    print(f"the command takes {takes:.3f} s; {rounds} rounds of the loop are 5 % of that")
    commit(clone, file, LOOP % rounds, "planted", "Take 5 % longer")
    commit(clone, file, '\n__attribute__((used)) static const char unchanged[] = "unchanged";\n',
           "unchanged", "Make other bytes")
    # The builds are kept; what is timed is the judging.
    for branch in ("planted", "unchanged"):
        run(brisk, "ci", "--base", "base", "--head", branch, "--output", work / "out",
            "--", "--quiet", "--runs", "3", cwd=clone, check=False)
    run("cc", "-O2", "-o", work / "spin", pathlib.Path(__file__).parent / "spin.c")
    load = [subprocess.Popen([work / "spin", str(10**15)]) for _ in range(2)]
    try:
        found, of_planted = judge(brisk, clone, "planted", work / "out", planted)
        false, of_unchanged = judge(brisk, clone, "unchanged", work / "out", unchanged)
    finally:
        for one in load:
            one.kill()
    all_seconds = of_planted + of_unchanged
    print(f"planted 5 % found: {found.count(1)} of {planted}")
    print(f"unchanged and failed: {false.count(1)} of {unchanged}")
    print(f"an answer took {statistics.median(all_seconds):.1f} s (median), "
          f"at most {max(all_seconds):.1f} s")


main()
