// Histories: zoom, axes, reading by keyboard and pointer, and what the address keeps.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";

import { frame, launch, opened, TELEPHONE, violations } from "./browser.js";
import { BROKEN, COMMITS, HOSTILE, made, STEP } from "./experiments.js";

/** @typedef {import("playwright-core").Page} Page */

const file = String(made().get("history"));
/** @type {import("playwright-core").Browser} */
let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

/** @param {(page: Page) => Promise<void>} look */
const history = (look, hash = "") => () => opened(browser, file, { hash }, look);

/**
 * The first panel: its outline, what is written along its axis, and what the address says.
 * @param {Page} page
 */
async function shown(page) {
  await frame(page);
  // The address is written a little later.
  await page.waitForTimeout(250);
  const panel = page.locator(".panel").first();
  return {
    line: await panel.locator(".line").getAttribute("d"),
    axis: await panel.locator(".ticks text").allTextContents(),
    hash: decodeURIComponent(new URL(page.url()).hash),
  };
}

/**
 * Where columns are in the window.
 * @param {Page} page
 */
async function places(page) {
  const plot = await page.locator(".panel > .axis").first().boundingBox();
  assert.ok(plot);
  const pitch = plot.width / COMMITS;
  return { x: (/** @type {number} */ at) => plot.x + (at + 0.5) * pitch, y: plot.y + plot.height / 2 };
}

/** @param {Page} page */
const said = (page) => page.locator("#said").innerText();

describe("a history", () => {
  test("shows a stretch that is dragged over, with heights of its own", history(async (page) => {
    const all = await shown(page);
    const { x, y } = await places(page);
    await page.mouse.move(x(2), y);
    await page.mouse.down();
    await page.mouse.move(x(6), y, { steps: 4 });
    await page.mouse.up();
    const closer = await shown(page);
    assert.equal(closer.hash, "#zoom1=2.00-7.00");
    assert.notEqual(closer.line, all.line);
    // Before the step everything costs two thirds as much.
    assert.notDeepEqual(closer.axis, all.axis);
    await page.getByLabel("Vertical axis").selectOption("fit");
    const fitted = await shown(page);
    assert.notDeepEqual(fitted.axis, closer.axis);
    assert.ok(fitted.axis.every((label) => /^20\.\d+ ms$/.test(label)), String(fitted.axis));
    await page.mouse.dblclick(x(10), y);
    await page.getByLabel("Vertical axis").selectOption("drawn");
    assert.deepEqual(await shown(page), all);
  }));

  test("is zoomed by buttons and by keys", history(async (page) => {
    const all = await shown(page);
    await page.getByRole("button", { name: "Zoom in" }).click();
    const half = await shown(page);
    assert.equal(half.hash, `#zoom1=${(COMMITS / 4).toFixed(2)}-${(COMMITS * 3 / 4).toFixed(2)}`);
    await page.getByRole("button", { name: "Zoom out" }).click();
    assert.deepEqual(await shown(page), all);
    await page.locator("figure.picture svg").first().focus();
    await page.keyboard.press("+");
    assert.deepEqual(await shown(page), half);
    await page.keyboard.press("-");
    assert.deepEqual(await shown(page), all);
    await page.keyboard.press("+");
    await page.keyboard.press("0");
    assert.deepEqual(await shown(page), all);
    await page.getByRole("button", { name: "Zoom in" }).click();
    await page.getByRole("button", { name: "Reset" }).click();
    assert.deepEqual(await shown(page), all);
  }));

  test("names the commits that are shown", history(async (page) => {
    const names = () => page.locator("figure.picture svg").first().locator(".names text").allTextContents();
    await page.waitForTimeout(200);
    const few = await names();
    assert.deepEqual(few.map((text) => /^[0-9a-f]{7,}$|^Change 2[0-4], /.test(text)), Array(10).fill(true), String(few));
    await page.getByRole("button", { name: "Zoom out" }).click();
    await page.waitForTimeout(200);
    const more = await names();
    assert.deepEqual(more.map((text) => /^[0-9a-f]{7,} Change \d+, /.test(text)), Array(10).fill(true), String(more));
    assert.equal(await page.locator(".names .mono").count(), 10);
    const picture = await page.locator("figure.picture svg").first().boundingBox();
    for (const name of await page.locator("figure.picture").first().locator(".names text").all()) {
      const box = await name.boundingBox();
      assert.ok(box && picture && box.y + box.height <= picture.y + picture.height, "cut before it leaves the picture");
    }
  }, "#zoom1=20-25"));

  test("is on the axis that the reader chooses", history(async (page) => {
    const axes = new Map();
    for (const axis of ["drawn", "zero", "fit", "log", "ratio"]) {
      await page.getByLabel("Vertical axis").selectOption(axis);
      axes.set(axis, await shown(page));
    }
    assert.equal(axes.get("zero").axis[0], "0");
    assert.ok(axes.get("fit").axis.every((/** @type {string} */ label) => Number.parseFloat(label) > 10));
    assert.equal(axes.get("ratio").hash, "#axis1=ratio");
    // From once to half as much again.
    const ratios = axes.get("ratio").axis.map(Number);
    assert.ok(Math.min(...ratios) >= 0.9 && Math.max(...ratios) <= 1.6 && ratios.includes(1.2), String(ratios));
    assert.equal(new Set([...axes.values()].map(({ line }) => line)).size >= 4, true);
  }));

  test("is as the address says", async () => {
    const hash = `#zoom1=${STEP}.00-${STEP + 6}.00&axis1=fit`;
    const restored = await opened(browser, file, { hash }, shown);
    assert.equal(restored.hash, hash);
    assert.ok(restored.axis.every((label) => /^(29|30)\.\d+ ms$/.test(label)), String(restored.axis));
    await opened(browser, file, {}, async (page) => {
      const all = await shown(page);
      await page.evaluate((text) => { location.hash = text; }, hash);
      assert.deepEqual(await shown(page), restored);
      await page.evaluate(() => { location.hash = "#zoom1=7-3&axis1=constructor"; });
      assert.equal((await shown(page)).line, all.line, "what cannot be is all");
    });
  });

  test("is read by keyboard, commit by commit", history(async (page) => {
    await page.locator("figure.picture svg").first().focus();
    await page.keyboard.press("ArrowRight");
    const first = await said(page);
    assert.match(first, /^[0-9a-f]{7,} Change 0, which does this or that to all of it\nTest, \d{4}-\d\d-\d\d\ncost: 20\.\d+ ms \[.*\]\npeak rss: /);
    for (let step = 0; step < 3; step += 1) await page.keyboard.press("ArrowRight");
    assert.ok((await said(page)).includes(HOSTILE));
    await page.keyboard.press("ArrowLeft");
    assert.match(await said(page), /Change 2,/);
    await page.keyboard.press("End");
    assert.match(await said(page), new RegExp(`Change ${COMMITS - 1},`));
    await page.keyboard.press("Home");
    assert.equal(await said(page), first);
    for (let step = 0; step < BROKEN; step += 1) await page.keyboard.press("ArrowRight");
    assert.match(await said(page), /did not build[^]*cost: no reading/);
  }));

  test("shows the commit that is gone to by keyboard when it is outside", history(async (page) => {
    await page.locator("figure.picture svg").first().focus();
    await page.keyboard.press("End");
    const { hash } = await shown(page);
    assert.equal(hash, `#zoom1=${COMMITS - 4}.00-${COMMITS}.00`);
    const cursor = await page.locator(".cursor").boundingBox();
    const panel = await page.locator(".panel .axis").first().boundingBox();
    assert.ok(cursor && panel && cursor.x >= panel.x && cursor.x + cursor.width <= panel.x + panel.width + 1);
  }, "#zoom1=1-5"));

  test("says what the pointer is at", history(async (page) => {
    const { x, y } = await places(page);
    await page.mouse.move(x(STEP), y);
    assert.match(await said(page), new RegExp(`Change ${STEP},[^]*cost: 30\\.`));
  }));

  test("is drawn for the width that it has, with text in one size and the same stretch", history(async (page) => {
    const before = await shown(page);
    const look = async (/** @type {number} */ width) => {
      await page.setViewportSize({ width, height: 900 });
      await frame(page);
      await page.waitForTimeout(100);
      const plot = await page.locator(".panel > .axis").first().boundingBox();
      const text = await page.locator(".numbers text").first().boundingBox();
      const ends = await page.locator(".panel > [text-anchor=end]:visible").first().boundingBox();
      assert.ok(plot && text);
      const flags = await page.locator(".change text:visible").evaluateAll((all) => all.map((one) => one.getBoundingClientRect()));
      const names = await page.locator(".names text").evaluateAll((all) => all.map((one) => one.getBoundingClientRect()));
      for (const box of [plot, ...flags, ...names, ...(ends ? [ends] : [])]) {
        assert.ok(box.x >= 0 && box.x + box.width <= width, `${JSON.stringify(box)} in ${width}`);
      }
      names.reduce((one, other) => {
        assert.ok(one.right <= other.left + 3, "names do not cover each other");
        return other;
      });
      return { plot: plot.width, text: text.height };
    };
    const [wide, narrow, narrowest] = [await look(1440), await look(1024), await look(390)];
    assert.ok(wide.plot > narrow.plot + 350 && narrow.plot > narrowest.plot + 350, JSON.stringify([wide, narrow, narrowest]));
    assert.ok(Math.abs(wide.text - narrowest.text) < 0.1);
    assert.equal((await shown(page)).hash, before.hash);
  }, "#zoom1=10.00-30.00"));

  test("selects no text when it is dragged over, and its numbers stay free", history(async (page) => {
    const { x, y } = await places(page);
    await page.mouse.move(x(1), y - 150);
    await page.mouse.down();
    await page.mouse.move(x(30), y + 300, { steps: 5 });
    const band = await page.locator(".cursor").boundingBox();
    for (const number of await page.locator(".numbers text").all()) {
      const box = await number.boundingBox();
      assert.ok(band && box && box.x + box.width <= band.x, "beside the band");
    }
    assert.equal(await page.evaluate(() => String(getSelection())), "");
    await page.mouse.up();
  }));

  test("says in words what can be done", history(async (page) => {
    assert.deepEqual(await page.locator("figure.picture").first().getByRole("button").allTextContents(), ["Zoom in", "Zoom out", "Reset"]);
    assert.match(await page.locator(".controls .quiet").first().innerText(), /^Drag across commits to zoom in\./);
  }));

  test("tells of a commit that is tapped", async () => {
    await opened(browser, file, { hasTouch: true, isMobile: true, viewport: TELEPHONE }, async (page) => {
      assert.match(await page.locator(".controls .quiet").first().innerText(), /^Tap a commit/);
      for (const at of [STEP + 5, 5]) {
        const { x, y } = await places(page);
        await page.touchscreen.tap(x(at), y);
        assert.match(await said(page), new RegExp(`Change ${at},`));
        const cursor = await page.locator(".cursor").boundingBox();
        assert.ok(cursor && Math.abs(cursor.x + cursor.width / 2 - x(at)) < 2, "it is marked");
      }
      assert.equal((await shown(page)).hash, "");
    });
  });

  test("can be scrolled by a finger, which chooses no stretch", async () => {
    await opened(browser, file, { hasTouch: true, viewport: TELEPHONE }, async (page) => {
      const before = await shown(page);
      const svg = page.locator("figure.picture svg").first();
      await svg.dispatchEvent("pointerdown", { button: 0, clientX: 100, clientY: 300, pointerId: 1, pointerType: "touch" })
        .catch(() => {});
      await svg.dispatchEvent("pointercancel", { pointerId: 1 });
      await svg.dispatchEvent("pointerup", { clientX: 300, clientY: 300, pointerId: 1 });
      assert.equal((await shown(page)).hash, before.hash);
    });
  });
});

/** So often the commits are repeated in the page below: ten to a pixel. */
const TIMES = 500;

/**
 * The page with its commits again and again, of which one costs 39 ms.
 * @param {number} extreme
 */
function dense(extreme) {
  const page = readFileSync(file, "utf8");
  const given = /class="data">(.*?)<\/script>/s.exec(page)?.[1] ?? "";
  const data = JSON.parse(given);
  const again = (/** @type {string[]} */ all) => Array.from({ length: TIMES }, () => all).flat();
  data.names = again(data.names);
  data.notes = again(data.notes);
  for (const [place, panel] of data.panels.entries()) {
    const bytes = Buffer.from(panel.estimates, "base64");
    const all = new Float32Array(new Uint8Array(bytes).buffer);
    const parts = [0, 1, 2].map((part) => {
      const one = all.subarray(part * COMMITS, (part + 1) * COMMITS);
      return Array.from({ length: TIMES }, () => [...one]).flat();
    });
    if (place === 0) for (const part of parts) part[extreme] = 0.039;
    panel.estimates = Buffer.from(Float32Array.from(parts.flat()).buffer).toString("base64");
  }
  const made = file.replace("history.html", "dense.html");
  writeFileSync(made, page.replace(given, () => JSON.stringify(data).replaceAll("<", "\\u003c")));
  return made;
}

test("of more commits than pixels every value is in the line, and each has its dot when it is close", async () => {
  const extreme = 7777;
  await opened(browser, dense(extreme), {}, async (page) => {
    const panel = page.locator(".panel").first();
    const { top, bottom, low, high } = await page.evaluate(() =>
      JSON.parse(document.querySelector("script.data")?.textContent ?? "").panels[0]);
    const height = bottom - ((0.039 - low) / (high - low)) * (bottom - top);
    const highest = await panel.locator(".dots").evaluate((path) => /** @type {SVGGraphicsElement} */ (path).getBBox().y);
    assert.ok(Math.abs(highest - height) < 1, `${highest} is not ${height}`);
    assert.equal(await panel.locator(".line").getAttribute("d"), "");
    await page.evaluate((at) => { location.hash = `#zoom1=${at - 2}-${at + 3}`; }, extreme);
    await frame(page);
    assert.equal((await panel.locator(".dots").getAttribute("d"))?.split("M").length, 6);
    assert.notEqual(await panel.locator(".line").getAttribute("d"), "");
    assert.deepEqual(await panel.locator(".ticks text").last().textContent(), "40 ms");
    await page.locator("figure.picture svg").first().focus();
    await page.keyboard.press("End");
    assert.match(await said(page), new RegExp(`Change ${COMMITS - 1},`));
  });
});

for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
  test(`${colorScheme}: on a telephone the newest of many commits are in sight, and the others can be seen to be cut`, async () => {
    await opened(browser, dense(7), { viewport: TELEPHONE, colorScheme }, async (page) => {
      const place = page.locator("figure.picture .wide").first();
      const look = () => place.evaluate((element) => ({
        end: element.scrollWidth - element.clientWidth - element.scrollLeft,
        classes: [...element.classList].filter((name) => name.startsWith("cut-")),
        fades: getComputedStyle(element).maskImage !== "none",
        pane: getComputedStyle(/** @type {Element} */ (element.querySelector(".pane"))).display !== "none",
      }));
      assert.deepEqual(await look(), { end: 0, classes: ["cut-left"], fades: true, pane: true });
      const number = await page.locator(".numbers text").first().boundingBox();
      assert.ok(number && number.x >= 0 && number.x < 100, "the numbers of the axis stay");
      assert.deepEqual(await violations(page), []);
      await place.evaluate((element) => element.scrollTo(0, 0));
      await frame(page);
      const { classes, fades, pane } = await look();
      assert.deepEqual({ classes, fades, pane }, { classes: ["cut-right"], fades: true, pane: false });
    });
  });
}
