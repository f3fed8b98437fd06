// A history of many benchmarks: one is drawn, those that became worse first, and others can be chosen.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { frame, launch, opened } from "./browser.js";
import { made, MANY, SLOWER } from "./experiments.js";

/** @typedef {import("playwright-core").Page} Page */

const file = String(made().get("history-of-many"));
const WORST = `part ${MANY - 1}`;
/** @type {import("playwright-core").Browser} */
let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

/**
 * The benchmark that is drawn: its name, the words of its flags, and its line.
 * @param {Page} page
 */
async function shown(page) {
  await frame(page);
  // The address is written a little later.
  await page.waitForTimeout(250);
  const panel = page.locator(".panel").first();
  return {
    title: await panel.locator(":scope > .name").textContent(),
    flags: await panel.locator(".change text:visible").allTextContents(),
    line: await panel.locator(".line").getAttribute("d"),
    hash: new URLSearchParams(new URL(page.url()).hash.slice(1)).get("benchmark"),
  };
}

describe("a history of many benchmarks", () => {
  test("draws one, the worst first, and all can be chosen", () => opened(browser, file, {}, async (page) => {
    const list = page.getByLabel("Benchmark");
    assert.equal((await list.locator("option").allTextContents()).length, MANY);
    assert.equal(await list.inputValue(), WORST);
    const worst = await shown(page);
    assert.equal(worst.title, `${WORST}: time per iteration`);
    assert.match(String(worst.flags), /^\+(9\d|10\d)\.\d %$/);
    await list.selectOption("part 3");
    await page.waitForFunction(() => location.hash !== "");
    const steady = await shown(page);
    assert.equal(steady.title, "part 3: time per iteration");
    assert.deepEqual(steady.flags, []);
    assert.notEqual(steady.line, worst.line);
    assert.equal(steady.hash, "part 3");
    // By its name in the table.
    await page.locator("tbody").getByRole("link", { name: WORST, exact: true }).click();
    assert.deepEqual(await shown(page), { ...worst, hash: WORST });
  }));

  test("shows the one that the address names", () => opened(browser, file, { hash: "#benchmark=part+5" }, async (page) => {
    assert.equal((await shown(page)).title, "part 5: time per iteration");
    assert.equal(await page.getByLabel("Benchmark").inputValue(), "part 5");
  }));

  test("lists all benchmarks, those that became worse first, and filters them", () => opened(browser, file, {}, async (page) => {
    const rows = page.locator("table").first().locator("tbody tr");
    assert.equal(await rows.count(), MANY);
    assert.match(await rows.first().innerText(), new RegExp(`^${WORST}\\s.*regressed`));
    await page.getByLabel("Filter rows").first().fill("regressed");
    assert.equal(await rows.filter({ visible: true }).count(), SLOWER);
  }));
});
