// What somebody sees in the first five seconds: who reads only the text that is visible at 1,024 x 768
// without scrolling learns what became worse, by how much, how certain that is, and since which commit.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { launch, opened } from "./browser.js";
import { DOUBLED, made, MANY, SLOWER, STEP } from "./experiments.js";

const WINDOW = { width: 1024, height: 768 };
const folder = String(process.env.PAGES);
const files = made();

/** @type {import("playwright-core").Browser} */
let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

/**
 * The beginning of a commit's hash.
 * @param {string} repository
 * @param {number} number how many came before it
 */
function commit(repository, number) {
  const all = execFileSync("git", ["-C", join(folder, repository), "log", "--reverse", "--format=%H"], { encoding: "utf8" });
  return all.split("\n")[number].slice(0, 7);
}

/**
 * The text within the window, outside of pictures and tables: what is read as sentences.
 * @param {import("playwright-core").Page} page
 */
function sentences(page) {
  return page.evaluate(() => {
    const all = [...document.querySelectorAll("main p, main li, main tr, main h1")];
    const seen = all.filter((one) => {
      const { top, bottom, height } = one.getBoundingClientRect();
      return height > 0 && top >= 0 && bottom <= innerHeight && one.checkVisibility();
    });
    return seen.map((one) => (one.textContent ?? "").replace(/\s+/g, " ").trim()).join("\n");
  });
}

/** What is true of a page, and the one sentence that has to say all of it.
 * @type {[string, string, () => (string | RegExp)[]][]} */
const TRUTHS = [
  ["two commands", String(files.get("two")), () => ["./slow", "is slower than", "./fast", /1\.(49|50)\d* \[1\.[45]\d+, 1\.[45]\d+\] times/]],
  ["three commands", String(files.get("three")), () => ["./slow", "is slower than", "./fast", /1\.(49|50)\d* \[1\.[45]\d+, 1\.[45]\d+\] times/]],
  ["eight commands", String(files.get("eight")), () => ["1 of 7 slower", "./slow", /1\.(49|50)\d* \[1\.[45]\d+, 1\.[45]\d+\] times/]],
  ["a suite in two versions", String(files.get("bench")), () => ["5 regressed", "group/case 0", /\+1[34]\d\d\.\d\d % \[\+1[34]\d\d\.\d\d %, \+1[34]\d\d/]],
  ["a history", String(files.get("history")), () => [commit("repo", STEP), "regressed: cost", /\+(49|50)\.\d\d % \[\+\d\d\.\d\d %, \+\d\d\.\d\d %\]/]],
  ["a history of a suite", String(files.get("history-of-a-suite")), () => [commit("suites", 3), "regressed", "slower", /\+(9\d|10\d)\.\d\d % \[\+\d+\.\d\d %, \+\d+\.\d\d %\]/]],
  ["a history of many benchmarks", String(files.get("history-of-many")), () => [commit("many", DOUBLED), `regressed ${SLOWER} benchmarks`, `part ${MANY - 1}`, /\+(9\d|10\d)\.\d\d % \[\+\d+\.\d\d %, \+\d+\.\d\d %\]/]],
  ["the front page of a site", join(folder, "site", "index.html"), () => [commit("suites", 3), "slower", "regressed", /\+(9\d|10\d)\.\d\d % \[\+\d+\.\d\d %, \+\d+\.\d\d %\]/]],
  ["a check", String(files.get("check")), () => ["fails: wall_time(new)", /is \d+\.\d+ ms \[\d+\.\d+, \d+\.\d+\]/, "it should be < 10"]],
  ["an explanation", String(files.get("explain")), () => ["new.out (B) executes", "fewer instructions than old.out (A)", "−22.92 %", "mostly in square"]],
];

describe("at first glance", () => {
  for (const [name, file, truths] of TRUTHS) {
    test(name, async () => {
      await opened(browser, file, { viewport: WINDOW, within: `file://${folder}` }, async (page) => {
        const seen = (await sentences(page)).split("\n");
        const says = (/** @type {string} */ line) => truths().every((truth) =>
          typeof truth === "string" ? line.includes(truth) : truth.test(line));
        assert.ok(seen.some(says), `${truths().join(" + ")} in:\n${seen.join("\n")}`);
      });
    });
  }
});
