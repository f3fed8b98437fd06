#!/usr/bin/env python3
"""Campaigns of short tasks on a real Slurm, and by ssh on a real sshd, whose parts are killed at
random, with kill -9.

    run_engines.py BRISK HAND_OVER WORK [overhead|slurm|ssh]... [CAMPAIGNS [TASKS [SEED]]]

Killed are the controller, munged, a node's daemon, the daemon of a job's steps, what a job runs, and
the brisk that waits; sshd with its connections. Whatever is killed starts again after some seconds,
and a brisk that waits is called again as it was. But one node is lost for good in each campaign. Every
task must then have exactly one experiment in the store.
Before that: what a task costs beside its measuring, and how long 1,000 of them take to submit.
"""
import os
import random
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

BRISK, HAND_OVER, WORK = sys.argv[1], sys.argv[2], Path(sys.argv[3]).absolute()
KINDS = [word for word in sys.argv[4:] if not word.isdigit()] or ["overhead", "slurm", "ssh"]
NUMBERS = [int(word) for word in sys.argv[4:] if word.isdigit()]
CAMPAIGNS, TASKS, SEED = NUMBERS + [20, 50, 1][len(NUMBERS):]
SCRIPT = Path(__file__).parent.parent / "scripts/engines/slurm"
SLURM = WORK / "slurm"
NODES = ["node1", "node2"]


def slurm(*words):
    """One of the project's ways to start and stop its Slurm."""
    return subprocess.run([SCRIPT, *words, SLURM], stdin=subprocess.DEVNULL, capture_output=True)


def said(*words):
    return subprocess.run(words, capture_output=True, text=True).stdout


def processes(wanted):
    """The processes whose words are wanted, and that are this Slurm's or this campaign's."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            if wanted(words) and str(WORK).encode() in (folder / "environ").read_bytes():
                yield int(folder.name)
        except OSError:
            pass


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
        return True
    except OSError:
        return False


def below(pid):
    """The processes that a process started, and those that they did."""
    for child in said("pgrep", "-P", str(pid)).split():
        yield from [int(child), *below(int(child))]


class Campaign:
    """On Slurm."""

    kinds = ["controller", "munged", "node", "step", "job", "brisk"]
    table = "kind = 'slurm'\nfolder = '{folder}/tasks'\n"
    # What brisk says where nobody answers at its first question.
    away = []
    # Slurm needs some seconds in which nothing dies to get anything done.
    calm_seconds = 12

    def __init__(self, number):
        self.random = random.Random(SEED * 1000 + number)
        self.folder = WORK / f"{type(self).__name__.lower()}-{number}"
        self.folder.mkdir(parents=True)
        table = "[engine.chaos]\n" + self.table.format(folder=self.folder)
        (self.folder / "brisk.toml").write_text(table)
        self.store = self.folder / "runs.db"
        self.waiting, self.kills, self.calls = {}, dict.fromkeys(self.kinds, 0), 0
        # Which one is lost for good, and with how many tasks done.
        self.lost, self.is_lost_after = None, self.random.randrange(TASKS // 2)

    def left(self):
        """How many tasks are still there."""
        return len(list((self.folder / "tasks/tasks").iterdir()))

    def end(self):
        """Ends what belongs to this campaign alone, and brings back what it shares."""
        if self.lost:
            slurm("node", self.lost)

    def lose(self):
        """Loses a node with all that runs on it."""
        self.lost = self.random.choice(NODES)
        kill(int((SLURM / f"{self.lost}.pid").read_text().strip()))
        for job in said("squeue", "-h", "-w", self.lost, "-o", "%i").split():
            of_job = list(processes(lambda words: words.startswith(f"slurmstepd: [{job}.")))
            for pid in of_job + [child for step in of_job for child in below(step)]:
                kill(pid)

    def task(self, number):
        """Waits for a task, again and again as long as brisk is killed; how it ended."""
        command = f"sleep 0.{self.random.randint(1, 9)}; : {number}"
        words = [BRISK, "compare", "--on", "chaos", "--store", self.store, "--runs", "2", "--quiet",
                 "-S", command]
        while True:
            self.calls += 1
            brisk = subprocess.Popen(words, cwd=self.folder, stdin=subprocess.DEVNULL,
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.waiting[number] = brisk
            _, error = brisk.communicate()
            del self.waiting[number]
            # Who asks while there is nobody to answer is told so, and asks again.
            is_away = brisk.returncode == 2 and any(word in error for word in self.away)
            if brisk.returncode != -signal.SIGKILL and not is_away:
                return brisk.returncode, error
            # It may have stored the result, and only not shown it.
            if any(f": {number} " in f"{line} " for line in self.listed()):
                return 0, ""
            time.sleep(is_away)

    def listed(self):
        """The finished experiments in the store, as soon as it answers."""
        while True:
            words = [BRISK, "list", "--store", self.store, "--most", "1000"]
            listed = subprocess.run(words, capture_output=True, text=True)
            if not listed.returncode:
                return [line for line in listed.stdout.splitlines() if "as asked" in line]
            if "no store" in listed.stderr:
                return []
            time.sleep(1)

    def kill_one(self, kind):
        """Kills a brisk that waits, or one of the processes of a task; whether there was any."""
        wanted = {"step": lambda words: words.startswith("slurmstepd"),
                  "job": lambda words: " task " in words and "brisk" in words}
        pids = ([brisk.pid for brisk in list(self.waiting.values())] if kind == "brisk"
                else list(processes(wanted[kind])))
        return bool(pids) and kill(self.random.choice(pids))

    def disturb(self):
        kind = self.random.choice(self.kinds)
        pause = self.random.uniform(0, 5)
        if kind == "controller":
            pid = (SLURM / "controller.pid").read_text().strip()
            done = kill(int(pid))
            time.sleep(pause)
            slurm("controller")
        elif kind == "munged":
            done = kill(int((SLURM / "munge/pid").read_text().strip()))
            time.sleep(pause)
        elif kind == "node":
            name = self.random.choice([name for name in NODES if name != self.lost])
            done = kill(int((SLURM / f"{name}.pid").read_text().strip()))
            time.sleep(pause)
            slurm("node", name)
        else:
            done = self.kill_one(kind)
        self.kills[kind] += done
        # An administrator's work. A node that met a job twice is drained.
        slurm("munge")
        for name in set(NODES) - {self.lost}:
            if "drain" in said("sinfo", "-h", "-n", name, "-o", "%T") or \
                    "down" in said("sinfo", "-h", "-n", name, "-o", "%T"):
                said("scontrol", "update", f"nodename={name}", "state=resume")

    def run(self):
        started = time.monotonic()
        with ThreadPoolExecutor(TASKS) as pool:
            ends = [pool.submit(self.task, number) for number in range(TASKS)]
            while not all(end.done() for end in ends):
                if self.lost is None and sum(end.done() for end in ends) >= self.is_lost_after:
                    self.lose()
                self.disturb()
                time.sleep(self.random.uniform(0, self.calm_seconds))
        failed = [end.result() for end in ends if end.result()[0] not in (0, 1)]
        listed = self.listed()
        found = [sum(f": {number} " in f"{line} " for line in listed) for number in range(TASKS)]
        left = self.left()
        self.end()
        return {"seconds": round(time.monotonic() - started), "kills": self.kills, "lost": self.lost,
                "calls of brisk": self.calls, "once": found.count(1), "none": found.count(0),
                "more": sum(count > 1 for count in found), "failed": failed, "left": left}


class Ssh(Campaign):
    """By ssh."""

    kinds = ["sshd", "job", "brisk"]
    away = ["cannot reach `box`"]
    table = "kind = 'ssh'\nhost = 'box'\nfolder = '{folder}/there'\n"
    calm_seconds = 4

    def __init__(self, number):
        super().__init__(number)
        for key in ["server", "user"]:
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.folder / key],
                           check=True)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        (self.folder / "bin").mkdir()
        (self.folder / "bin/brisk").symlink_to(Path(BRISK).absolute())
        (self.folder / "sshd_config").write_text(
            f"Port {port}\nListenAddress 127.0.0.1\nHostKey {self.folder}/server\nPidFile none\n"
            f"UsePAM no\nAuthorizedKeysFile {self.folder}/user.pub\nStrictModes no\n"
            f"MaxStartups 200\n"
            f"SetEnv BRISK_LOCK=off HERE={WORK} PATH={self.folder}/bin:/usr/bin:/bin\n")
        (self.folder / "ssh_config").write_text(
            f"Host box\nHostName 127.0.0.1\nPort {port}\nIdentityFile {self.folder}/user\n"
            f"IdentitiesOnly yes\nUserKnownHostsFile {self.folder}/known\n"
            "GlobalKnownHostsFile /dev/null\n")
        public = (self.folder / "server.pub").read_text()
        (self.folder / "known").write_text(f"[127.0.0.1]:{port} {public}")
        (self.folder / "tools").mkdir()
        client = self.folder / "tools/ssh"
        client.write_text(f'#!/bin/sh\nexec /usr/bin/ssh -F {self.folder}/ssh_config "$@"\n')
        client.chmod(0o755)
        self.path = os.environ["PATH"]
        os.environ["PATH"] = f"{self.folder}/tools:{self.path}"
        self.serve()

    def serve(self):
        self.server = subprocess.Popen(["/usr/sbin/sshd", "-D", "-f", self.folder / "sshd_config",
                                        "-E", self.folder / "sshd.log"], stdin=subprocess.DEVNULL)

    def disturb(self):
        kind = self.random.choice(self.kinds)
        if kind == "sshd":
            for pid in [*below(self.server.pid), self.server.pid]:
                done = kill(pid)
            self.server.wait()
            time.sleep(self.random.uniform(0, 5))
            self.serve()
        else:
            done = self.kill_one(kind)
        self.kills[kind] += done

    def lose(self):
        """There is one machine only."""
        self.lost = "nothing"

    def left(self):
        return len(list((self.folder / "there/tasks").iterdir()))

    def end(self):
        kill(self.server.pid)
        self.server.wait()
        os.environ["PATH"] = self.path


def overhead():
    """A task of two runs that take no time: from the call to the report, in seconds."""
    folder = WORK / "overhead"
    folder.mkdir()
    (folder / "brisk.toml").write_text(f"[engine.plain]\nkind = 'slurm'\nfolder = '{folder}/tasks'\n")
    took = []
    for _ in range(11):
        started = time.monotonic()
        subprocess.run([BRISK, "compare", "--on", "plain", "--store", folder / "runs.db", "--runs",
                        "2", "--quiet", "true"], cwd=folder, check=True, capture_output=True)
        took.append(time.monotonic() - started)
    print(f"overhead of a task: median {statistics.median(took):.2f} s of {len(took)}, "
          f"at most {max(took):.2f} s (goal: < 2 s)", flush=True)
    for task in sorted((folder / "tasks/taken").iterdir())[:1]:
        many = subprocess.run([HAND_OVER, task, WORK / "many", "1000"], capture_output=True, text=True)
        print(f"1,000 tasks handed over and submitted: {many.stdout.strip()}{many.stderr.strip()} "
              "(goal: < 10 s)", flush=True)
    said("scancel", "--state=PENDING", f"--user={said('id', '-un').strip()}")
    said("scancel", f"--user={said('id', '-un').strip()}")
    while said("squeue", "-h"):
        time.sleep(0.2)
    return 0


def on_slurm(act):
    up = slurm("up")
    if up.returncode:
        print(f"not checked: Slurm: {up.stderr.decode().strip()}", file=sys.stderr)
        return 0
    os.environ["SLURM_CONF"] = str(SLURM / "slurm.conf")
    try:
        return act()
    finally:
        slurm("down")


def on_ssh():
    if not Path("/usr/sbin/sshd").exists():
        print("not checked: campaigns by ssh: there is no sshd", file=sys.stderr)
        return 0
    # As root it wants this folder, which the package's service makes.
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)
    return campaigns(Ssh)


def campaigns(kind):
    bad = 0
    for number in range(CAMPAIGNS):
        outcome = kind(number).run()
        bad += outcome["once"] != TASKS or bool(outcome["failed"]) or bool(outcome["left"])
        print(f"{kind.__name__} {number}: {outcome}", flush=True)
    print(f"{kind.__doc__} {CAMPAIGNS - bad} of {CAMPAIGNS}: every one of {TASKS} tasks has exactly "
          "one result", flush=True)
    return bad


def main():
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    os.environ["BRISK_LOCK"] = "off"
    os.environ["XDG_CACHE_HOME"] = str(WORK / "cache")
    on = {"overhead": lambda: on_slurm(overhead), "slurm": lambda: on_slurm(lambda: campaigns(Campaign)),
          "ssh": on_ssh}
    return sum(on[kind]() for kind in KINDS) > 0


if __name__ == "__main__":
    sys.exit(main())
