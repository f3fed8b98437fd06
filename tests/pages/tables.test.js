// Tables: sorted, searched, and what the address keeps of that.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { addressEnd, launch, opened } from "./browser.js";
import { COMMITS, made } from "./experiments.js";

/** @typedef {import("playwright-core").Page} Page */

const files = made();
/** @type {import("playwright-core").Browser} */
let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

/**
 * What a column of the table with this heading says, from top to bottom.
 * @param {Page} page
 * @param {string} heading
 */
async function column(page, heading) {
  const table = page.locator("table", { has: page.getByRole("columnheader", { name: heading }) }).first();
  return table.evaluate((element, name) => {
    const all = /** @type {HTMLTableElement} */ (element);
    const at = [...all.querySelectorAll("th")].find((one) => one.textContent?.trim() === name)?.cellIndex ?? 0;
    return [...all.tBodies].flatMap((part) => [...part.rows]).concat([...(all.tFoot?.rows ?? [])]).filter((row) => !row.hidden).map((row) => row.cells[at].textContent ?? "");
  }, heading);
}

test("a click on a heading sorts by amount, whatever its unit, another one turns the order, a third ends it", async () => {
  await opened(browser, String(files.get("bench")), {}, async (page) => {
    const given = await column(page, "new");
    const heading = page.getByRole("columnheader", { name: "new" });
    // 150.2 µs, or 1.502 ms.
    const amounts = async () => (await column(page, "new")).filter((text) => text !== "").map((text) =>
      Number.parseFloat(text) * (text.endsWith("ms") ? 1000 : 1));
    await heading.getByRole("button").click();
    const up = await amounts();
    assert.ok(up.length === 14 && up[13] > 1000 && up[0] < 200, String(up));
    assert.deepEqual(up, [...up].sort((a, b) => a - b));
    assert.equal(await heading.getAttribute("aria-sort"), "ascending");
    await heading.getByRole("button").click();
    const down = await amounts();
    assert.deepEqual(down, [...down].sort((a, b) => b - a));
    const kept = await addressEnd(page, /^#sort\d+=2-descending$/);
    await heading.getByRole("button").click();
    assert.deepEqual(await column(page, "new"), given);
    assert.equal(await heading.getAttribute("aria-sort"), null);
    await addressEnd(page, /^$/);
    await page.evaluate((text) => { location.hash = text; }, kept);
    await page.waitForTimeout(50);
    assert.deepEqual(await amounts(), down);
  });
});

test("names are sorted as people count", async () => {
  await opened(browser, String(files.get("bench")), {}, async (page) => {
    await page.getByRole("columnheader", { name: "benchmark" }).getByRole("button").click();
    const names = (await column(page, "benchmark")).filter((name) => name.startsWith("group/"));
    assert.deepEqual(names, Array.from({ length: 14 }, (_, place) => `group/case ${place}`));
  });
});

test("what sums up a table stays below it", async () => {
  await opened(browser, String(files.get("bench")), {}, async (page) => {
    const heading = page.getByRole("columnheader", { name: "ratio" }).getByRole("button");
    for (let click = 0; click < 2; click += 1) {
      await heading.click();
      assert.equal((await column(page, "benchmark")).at(-1), "geometric mean");
    }
  });
});

test("rows that explain the row above them are not torn off", async () => {
  await opened(browser, String(files.get("compare")), {}, async (page) => {
    const table = page.locator("main > .wide table").first();
    assert.ok(await table.locator("tbody tr").count() > 3, "with rows of verdicts below those of commands");
    assert.equal(await table.locator("th button").count(), 0);
  });
});

test("points of a sweep are sorted although their marks have no heading", async () => {
  await opened(browser, String(files.get("sweep")), {}, async (page) => {
    await page.getByRole("columnheader", { name: "level" }).getByRole("button").click();
    assert.deepEqual(await column(page, "level"), ["1", "2", "3", "4", "5", "6", "7", "8"]);
  });
});

test("a word leaves the rows that have it", async () => {
  await opened(browser, String(files.get("history")), {}, async (page) => {
    await page.getByRole("searchbox", { name: "Filter" }).first().fill("change 1");
    assert.equal((await column(page, "subject")).length, 11);
    assert.equal(await page.locator(".controls [role=status]").first().innerText(), `11 of ${COMMITS} rows`);
    const kept = await addressEnd(page, /^#rows\d+=change\+1$/);
    await page.getByRole("searchbox", { name: "Filter" }).first().fill("");
    assert.equal((await column(page, "subject")).length, COMMITS);
    await addressEnd(page, /^$/);
    await page.evaluate((text) => { location.hash = text; }, kept);
    await page.waitForTimeout(50);
    assert.equal((await column(page, "subject")).length, 11);
  });
});
