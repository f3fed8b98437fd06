// Points that are pointed at, by pointer and by keyboard; stacks that are clicked.

import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";

import { addressEnd, launch, opened, TELEPHONE } from "./browser.js";
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
      assert.match(text, /^[ABC] .*, round \d+\n/);
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
    assert.match(await said(page), /^[ABC] .*, round \d+\n/);
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
    assert.match(first, /^A .*, round 1\n/);
    assert.match(await read("ArrowRight"), /^A .*, round 2\n/);
    assert.equal(await read("ArrowLeft"), first);
    assert.match(await read("End"), /^C {1,2}größe.*\n16 runs\n/);
    assert.equal(await svg.locator(".here").count(), 1);
    assert.equal(await read("Home"), first);
    assert.match(await read("Shift+ArrowRight"), /^A .*, round 11\n/);
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
    assert.match(await said(page), /dropped \(80 instructions before, 16\.67%; gone\)$/);
    await page.keyboard.press("ArrowLeft");
    assert.match(await said(page), /^square /);
    const stack = page.locator(".stack.here");
    const before = await stack.boundingBox();
    await page.keyboard.press("Enter");
    const after = await stack.boundingBox();
    assert.ok(before && after && after.width > 1.1 * before.width);
  });
});

/** @param {Page} page */
const found = (page) => page.locator(".found > title").allTextContents();

test("stacks are searched in the page, and the address keeps the words", async () => {
  await opened(browser, flames["of a page"], {}, async (page) => {
    const field = page.getByRole("searchbox", { name: "Search (regular expression)" });
    const answer = page.locator("figure.picture").first().getByRole("status");
    await field.fill("^squ|dropped");
    assert.equal(await answer.innerText(), "found: 32.43%");
    const all = await found(page);
    assert.deepEqual(all.map((title) => title.replace(/^(\S*;)?(\w+) .*$/, "$2")), ["square", "dropped"], "with what is gone");
    await addressEnd(page, /^#search\d+=\^squ\|dropped$/);
    await field.fill("(");
    assert.match(await answer.innerText(), /^Invalid regular expression/);
    assert.deepEqual(await found(page), all, "as before");
    await field.fill("");
    assert.equal(await answer.innerText(), "");
    assert.deepEqual(await found(page), []);
    await addressEnd(page, /^$/);
  });
});

test("the address keeps the stack that was clicked, until it is reset", async () => {
  const file = flames["of a page"];
  const widest = (/** @type {Page} */ page) =>
    page.locator(".stack:visible").last().evaluate((group) => group.querySelector("path")?.getBoundingClientRect().width ?? 0);
  const kept = await opened(browser, file, {}, async (page) => {
    const before = await widest(page);
    await page.locator(".stack").last().click();
    assert.ok(await widest(page) > 1.5 * before);
    return addressEnd(page, /^#frame\d+=\d+$/);
  });
  await opened(browser, file, { hash: kept }, async (page) => {
    const wide = await widest(page);
    await page.getByRole("button", { name: "Reset" }).first().click();
    assert.ok(await widest(page) < wide / 1.5);
    await page.waitForFunction(() => location.hash === "");
    await page.evaluate((text) => { location.hash = text; }, kept.replace(/\d+$/, "999"));
    assert.ok(await widest(page) < wide / 1.5, "what cannot be is all");
  });
});

test("a flame graph on its own asks for words, and says what is wrong with them", async () => {
  await opened(browser, flames["on its own"], {}, async (page) => {
    for (const [words, expected] of /** @type {const} */ ([["sum", /^found: 100\.00%$/], ["(", /^Invalid regular expression/]])) {
      page.once("dialog", (dialog) => dialog.accept(words));
      await page.locator(".search").click();
      assert.match(await page.locator(".found-share").textContent() ?? "", expected);
    }
  });
});

test("what is gone is drawn below the others", async () => {
  for (const file of Object.values(flames)) {
    await opened(browser, file, {}, async (page) => {
      const [gone, whole] = [await page.locator(".gone").boundingBox(), await page.locator(".stack").first().boundingBox()];
      assert.ok(gone && whole && gone.y > whole.y + whole.height);
      assert.ok(Math.abs(gone.width / whole.width - 80 / 370) < 0.02, "as wide for its count as the others");
      assert.equal(await page.locator(".gone-heading").textContent(), "Gone: 16.67% of all before");
    });
  }
});
