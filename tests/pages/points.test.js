// Points that are pointed at, by pointer and by keyboard; stacks that are clicked.

import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";

import { launch, opened, TELEPHONE } from "./browser.js";
import { made } from "./experiments.js";

/** @typedef {import("playwright-core").Page} Page */

const files = made();
/** @type {import("playwright-core").Browser} */
let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

/** @param {Page} page */
const said = (page) => page.locator("#said").innerText();

test("a run says all its readings when it is pointed at", async () => {
  await opened(browser, String(files.get("compare")), {}, async (page) => {
    const runs = page.locator("figure.picture").first().locator(".point");
    // Three programs in 16 rounds, and their distributions.
    assert.equal(await runs.count(), 3 * 16 + 3);
    for (const at of [0, 20, 47]) {
      await runs.nth(at).locator(".target").hover({ force: true });
      const text = await said(page);
      assert.match(text, /^[ABC], round \d+\n/);
      for (const metric of ["wall time", "cpu time", "peak rss", "cost"]) assert.ok(text.includes(`\n${metric}: `), text);
    }
  });
});

test("a run next to a tap says all its readings", async () => {
  await opened(browser, String(files.get("compare")), { hasTouch: true, viewport: TELEPHONE }, async (page) => {
    const run = page.locator("figure.picture").first().locator(".point").nth(4);
    await run.scrollIntoViewIfNeeded();
    const box = await run.boundingBox();
    assert.ok(box);
    await page.touchscreen.tap(box.x + box.width / 2, box.y - 8);
    assert.match(await said(page), /^[ABC], round \d+\n/);
    assert.equal(await page.locator(".here").count(), 1);
  });
});

test("points are read one by one with arrow keys", async () => {
  await opened(browser, String(files.get("compare")), {}, async (page) => {
    const svg = page.locator("figure.picture svg").first();
    await svg.focus();
    const read = async (/** @type {string} */ key) => {
      await page.keyboard.press(key);
      return said(page);
    };
    const first = await read("ArrowRight");
    assert.match(first, /^A, round 1\n/);
    assert.match(await read("ArrowRight"), /^A, round 2\n/);
    assert.equal(await read("ArrowLeft"), first);
    assert.match(await read("End"), /^C {1,2}größe.*\n16 runs\n/);
    assert.equal(await svg.locator(".here").count(), 1);
    assert.equal(await read("Home"), first);
    assert.match(await read("Shift+ArrowRight"), /^A, round 11\n/);
  });
});

test("ratios and points of sweeps are read, too", async () => {
  for (const [kind, pattern] of /** @type {const} */ ([["bench", /^group\/case 0: 1\d\.\d+ \[.*\] regressed$/], ["sweep", /level=1/]])) {
    await opened(browser, String(files.get(kind)), {}, async (page) => {
      await page.locator("figure.picture svg").first().focus();
      await page.keyboard.press("Home");
      assert.match(await said(page), pattern);
    });
  }
});

const flames = {
  "of a page": String(files.get("explain")),
  "on its own": join(dirname(String(files.get("explain"))), "flame.svg"),
};
for (const [which, file] of Object.entries(flames)) {
  test(`a stack ${which} that is clicked becomes as wide as the picture`, async () => {
    await opened(browser, file, {}, async (page) => {
      const stack = (/** @type {string} */ name) =>
        page.locator(".stack").filter({ has: page.locator("title", { hasText: name }) }).first();
      const width = async (/** @type {string} */ name) => (await stack(name).boundingBox())?.width ?? 0;
      const [whole, part] = [await width("sum"), await width("square")];
      assert.ok(part > 0 && part < 0.9 * whole, `${part} of ${whole}`);
      await stack("square").click();
      assert.ok(Math.abs((await width("square")) - whole) < 2, String(await width("square")));
    });
  });
}

test("a stack is gone to and widened by keyboard", async () => {
  await opened(browser, flames["of a page"], {}, async (page) => {
    await page.locator("figure.picture svg").first().focus();
    await page.keyboard.press("End");
    assert.match(await said(page), /^square /);
    const stack = page.locator(".stack.here");
    const before = await stack.boundingBox();
    await page.keyboard.press("Enter");
    const after = await stack.boundingBox();
    assert.ok(before && after && after.width > 1.1 * before.width);
  });
});
