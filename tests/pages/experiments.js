// Small experiments of every kind, made by the program itself, and their pages.

import { execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Text of users that would do harm if it became markup; the page's title holds it. */
export const HOSTILE = "<img src=x onerror=\"document.title='harmed'\">";

/** So many commits: more than have a label of their own, and a table long enough to be searched. */
export const COMMITS = 36;
/** The commit from which on everything takes half as long again. */
export const STEP = 20;
/** Does not build. */
export const BROKEN = 8;
/** Differs from the commit before in nothing that is built. */
export const SAME = 12;

/** How the programs below say what they cost: judged alike however busy the machine is. */
export const COST = ["--measure", "cost[s]=/^cost (.*)$/", "--metrics", "cost"];

/** A folder with a store in it, and what is made there. */
export class Laboratory {
  /**
   * @param {string} brisk
   * @param {string} folder
   */
  constructor(brisk, folder) {
    this.brisk = brisk;
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  /**
   * @param {string} name
   * @param {string} text
   */
  write(name, text) {
    writeFileSync(join(this.folder, name), text);
    chmodSync(join(this.folder, name), 0o755);
  }

  /**
   * @param {string} program
   * @param {string[]} words
   * @param {string} folder within the laboratory's
   */
  run(program, words, folder = ".") {
    execFileSync(program, words, { cwd: join(this.folder, folder), env: this.environment(), stdio: ["ignore", "ignore", "pipe"] });
  }

  environment() {
    const git = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
    return { PATH: process.env.PATH, HOME: this.folder, BRISK_PROGRESS: "never", LC_ALL: "C.UTF-8", ...git };
  }

  /**
   * Starts a verb, and does not wait for it.
   * @param {string[]} words
   */
  start(...words) {
    return spawn(this.brisk, words, { cwd: this.folder, env: this.environment(), stdio: ["ignore", "pipe", "ignore"] });
  }

  /**
   * Runs a verb, whose answer may be that something got worse.
   * @param {string[]} words
   */
  measure(...words) {
    try {
      this.run(this.brisk, words);
    } catch (error) {
      const { status, stderr } = /** @type {{status: number, stderr: Buffer}} */ (error);
      if (status !== 1) throw new Error(`brisk ${words.join(" ")}: ${stderr}`);
    }
  }
}

/**
 * A program that says what it cost, another digit in every run.
 * @param {string} seconds
 * @param {string} comment
 */
export function costing(seconds, comment) {
  return `#!/bin/sh\n# ${comment}\necho x >> ran\necho cost ${seconds}$(($(wc -l < ran) * 7 % 10))\n`;
}

/** @param {Laboratory} lab */
function compare(lab) {
  lab.write("old", costing("0.0200", "old"));
  lab.write("new", costing("0.0170", "new"));
  const names = ["-n", "the program as it was before", "-n", HOSTILE, "-n", "größe\u202e│7"];
  lab.measure("compare", "-r", "16", ...names, ...COST.slice(0, 2), "./old", "./new", "./old 2");
}

/**
 * @param {Laboratory} lab
 * @param {string} name
 * @param {(number: number) => string | null} source
 * @param {number} count
 */
function repository(lab, name, source, count) {
  mkdirSync(join(lab.folder, name));
  const git = (/** @type {string[]} */ ...words) =>
    lab.run("git", ["-c", "user.name=Test", "-c", "user.email=test@example.org", ...words], name);
  git("init", "--quiet", "--initial-branch=main");
  for (let number = 0; number < count; number += 1) {
    const text = source(number);
    if (text === null) git("rm", "--quiet", "source");
    else lab.write(`${name}/source`, text);
    git("add", "--all");
    const subject = number === 3 ? HOSTILE : `Change ${number}, which does this or that to all of it`;
    git("commit", "--quiet", "--allow-empty", "--message", subject);
    if (number === 0) git("tag", "first");
  }
}

const BUILD = ["--build", "cp source prog", "--artifact", "prog", "--counters", "none"];

/** @param {Laboratory} lab */
function history(lab) {
  repository(lab, "repo", (number) => {
    if (number === BROKEN) return null;
    const seconds = number < STEP ? "0.0200" : "0.0300";
    return costing(seconds, `commit ${number === SAME ? number - 1 : number}`);
  }, COMMITS);
  lab.measure("history", "first^..HEAD", "--project", "repo", ...BUILD, "--runs", "16",
    ...COST.slice(0, 2), "--metrics", "cost,peak_rss");
}

/**
 * A harness that prints figures which it makes up.
 * @param {string} comment
 * @param {[string, number][]} benchmarks each with its time in tenths of a millisecond
 */
function suite(comment, benchmarks) {
  const names = benchmarks.map(([name]) => `${name}\\n`).join("");
  const cases = benchmarks.map(([name, units]) => `'${name}') t=${(units / 1000).toFixed(3)};;`).join(" ");
  return `#!/bin/sh\n# ${comment}\necho 'brisk-bench 1'\n[ "$1" = --list ] && printf '${names}' && exit\nshift\n`
    + `for name; do\ncase $name in ${cases} esac\nprintf '%s\\t1000\\t%s%s\\n' "$name" $t $(($$ % 90 + 10))\ndone\n`;
}

/** @param {Laboratory} lab */
function suiteHistory(lab) {
  repository(lab, "suites", (number) => suite(String(number), [["steady", 100], ["slower", number < 3 ? 100 : 200]]), 6);
  lab.measure("history", "first^..HEAD", "--project", "suites", ...BUILD, "--runs", "16", "--harness", "auto");
}

/** @param {Laboratory} lab */
function sweeps(lab) {
  lab.write("cost", "#!/bin/sh\necho cost 0.0$((40 + 3 * ($1 - 4) * ($1 - 4) + ${2:-0}))$(($$ % 10))\n");
  const one = ["--param", "level=1..8"];
  lab.measure("sweep", ...one, "--runs", "12", "--minimize", "cost", ...COST, "./cost {level}");
  const two = ["--param", "level=2..6", "--param", "threads=1,2,4"];
  lab.measure("sweep", ...two, "--runs", "12", "--minimize", "cost", ...COST, "./cost {level} {threads}");
}

/** @param {Laboratory} lab */
function bench(lab) {
  /** @type {(times: (place: number) => number) => [string, number][]} */
  const benchmarks = (times) => Array.from({ length: 14 }, (_, place) => [`group/case ${place}`, times(place)]);
  lab.write("suite-old", suite("old", benchmarks((place) => 100 + place)));
  lab.write("suite-new", suite("new", benchmarks((place) => (place % 3 === 0 ? 1500 : 100 + place))));
  lab.measure("bench", "--order", "alone", "--runs", "16", "./suite-old", "./suite-new");
}

/** @param {Laboratory} lab */
function explain(lab) {
  const profile = (/** @type {number} */ square, /** @type {number} */ sum, other = "") =>
    "version: 1\ncmd: ./sum\npositions: line\nevents: Ir\nob=/code/sum\nfl=sum.c\nfn=sum\n"
    + `6 ${sum}\ncfn=square\ncalls=10 1\n6 ${square}\nfn=square\n2 ${square}\n${other}`;
  lab.write("old.out", profile(300, 100, "fn=dropped\n9 80\n"));
  lab.write("new.out", profile(120, 250));
  lab.measure("explain", "--callgrind", "old.out", "new.out", "--flame", "flame.svg");
}

/** @param {Laboratory} lab */
function memory(lab) {
  lab.write("grow", "#!/bin/sh\ntext=x\nfor i in 1 2 3 4 5 6 7 8; do text=$text$text$text; sleep 0.03; done\n");
  lab.measure("compare", "-r", "2", "--runtime", "none", "--memory-over-time", "./grow", "sleep 0.2");
}

/** @param {Laboratory} lab */
function check(lab) {
  const benchmarks = ["old", "new"].map((name) => `[[benchmark]]\nname = "${name}"\ncommand = "./${name}"\nruns = 8\n`);
  lab.write("brisk.toml", `${benchmarks.join("\n")}\n[[expect]]\nthat = 'wall_time(old) < 10 s'\n\n[[expect]]\nthat = 'wall_time(new) < 10 us'\n`);
  lab.measure("check");
}

/** @param {Laboratory} lab */
function doctor(lab) {
  lab.measure("doctor", "--quick");
}

/** @param {Laboratory} lab */
function slower(lab) {
  lab.write("fast", costing("0.0200", "fast"));
  lab.write("slow", costing("0.0300", "slow"));
  lab.measure("compare", "-r", "16", ...COST, "./fast", "./slow");
  lab.measure("compare", "-r", "16", ...COST, "./fast", "./fast 2", "./slow");
  const eight = Array.from({ length: 7 }, (_, place) => `./fast ${place}`);
  lab.measure("compare", "-r", "30", ...COST, ...eight, "./slow");
}

/** The number of benchmarks of which a page draws one at a time. */
export const MANY = 16;
/** The last of them takes twice as long from this commit on, and the four before it half as long again. */
export const DOUBLED = 2;
export const SLOWER = 5;

/** @param {Laboratory} lab */
function suiteOfMany(lab) {
  const time = (/** @type {number} */ place) => (place === MANY - 1 ? 200 : place >= MANY - SLOWER ? 150 : 100);
  repository(lab, "many", (number) => suite(String(number), Array.from({ length: MANY }, (_, place) =>
    [`part ${place}`, number < DOUBLED ? 100 : time(place)])), 4);
  lab.measure("history", "first^..HEAD", "--project", "many", ...BUILD, "--runs", "24", "--harness", "auto");
}

/** @type {[(lab: Laboratory) => void, string[]][]} Each with the kinds that it makes. */
const MAKERS = [
  [compare, ["compare"]],
  [history, ["history"]],
  [suiteHistory, ["history-of-a-suite"]],
  [sweeps, ["sweep", "sweep-of-two"]],
  [bench, ["bench"]],
  [explain, ["explain"]],
  [memory, ["memory"]],
  [check, ["check"]],
  [slower, ["two", "three", "eight"]],
  [suiteOfMany, ["history-of-many"]],
  [doctor, ["doctor"]],
];
/** Nothing is run for it, so it has no picture. */
export const IN_WORDS = ["doctor"];
/** The numbers of experiments that share a page. */
const SEVERAL = ["1", "2"];

/**
 * Measures, and writes the pages.
 * @param {string} brisk
 * @param {string} folder
 */
export function make(brisk, folder) {
  const lab = new Laboratory(brisk, folder);
  for (const [measure] of MAKERS) measure(lab);
  const kinds = MAKERS.flatMap(([, kinds]) => kinds);
  kinds.forEach((kind, place) => lab.measure("report", String(place + 1), "-o", `${kind}.html`));
  lab.measure("report", ...SEVERAL, "-o", "several.html");
  lab.measure("report", "--site", "site", "--project", "suites");
}

/** The pages that were made in the folder `PAGES`: of each kind its file. */
export function made() {
  const folder = process.env.PAGES;
  if (!folder) throw new Error("no PAGES: run `tests/pages/run`");
  const kinds = [...MAKERS.flatMap(([, kinds]) => kinds), "several"];
  return new Map(kinds.map((kind) => [kind, join(folder, `${kind}.html`)]));
}

const [, script, brisk, folder] = process.argv;
if (script === import.meta.filename) make(brisk, folder);
