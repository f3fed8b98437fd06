// A site of histories, as files that lie in a folder.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { everywhere, launch, opened } from "./browser.js";
import { HOSTILE } from "./experiments.js";

const site = join(String(process.env.PAGES), "site");
const within = `file://${site}/`;
const front = join(site, "index.html");
/** @type {import("playwright-core").Browser} */
let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

test("the front page leads to a benchmark, and that back", async () => {
  await opened(browser, front, { within }, async (page) => {
    const words = await page.locator("main").innerText();
    assert.ok(words.includes(HOSTILE), "text of users stays text");
    assert.match(words, /^1 regression in the newest 6 commits$/m);
    const steady = page.locator("tbody tr").filter({ has: page.getByRole("link", { name: "steady" }) });
    assert.match(await steady.innerText(), /no change found/);
    await page.locator("main").getByRole("link", { name: "slower" }).first().click();
    await page.waitForURL(`${within}slower.html`);
    assert.ok(await page.locator("figure.picture svg").first().isVisible());
    await page.getByText("A badge for a README").click();
    assert.ok(await page.getByText("(ADDRESS/badges/slower.svg)](ADDRESS/slower.html)").isVisible());
    await page.getByRole("link", { name: "What changed lately" }).click();
    await page.waitForURL(`${within}index.html`);
  });
});

test("its pages are for everybody", async () => {
  for (const name of ["index.html", "slower.html", "steady.html"]) await everywhere(browser, join(site, name), { within });
});

test("the feed is linked and well-formed", async () => {
  await opened(browser, front, { within }, async (page) => {
    const link = page.locator("link[rel=alternate][type='application/atom+xml']");
    assert.equal(await link.getAttribute("href"), "feed.xml");
    const titles = await page.evaluate((text) => {
      const feed = new DOMParser().parseFromString(text, "application/xml");
      if (feed.querySelector("parsererror")) throw new Error(text);
      return [...feed.querySelectorAll("entry > title")].map((title) => title.textContent ?? "");
    }, readFileSync(join(site, "feed.xml"), "utf8"));
    assert.ok(titles.some((title) => title.startsWith("slower: ")), String(titles));
  });
});

test("a badge is a picture", async () => {
  const page = await browser.newPage();
  const badge = readFileSync(join(site, "badges", "slower.svg")).toString("base64");
  const width = await page.evaluate(async (data) => {
    const image = new Image();
    image.src = `data:image/svg+xml;base64,${data}`;
    await image.decode();
    return image.naturalWidth;
  }, badge);
  assert.ok(width > 20, String(width));
  await page.close();
});
