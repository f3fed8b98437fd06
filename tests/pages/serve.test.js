// What is served while others measure.

import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { everywhere, launch, opened } from "./browser.js";
import { COST, costing, Laboratory } from "./experiments.js";

const lab = new Laboratory(String(process.env.BRISK), mkdtempSync(join(String(process.env.PAGES), "serve-")));
/** @type {import("playwright-core").Browser} */
let browser;
/** @type {import("node:child_process").ChildProcess} */
let server;
/** @type {string} */
let within;
/** @param {string} name @param {string} program */
const compare = (name, program) =>
  lab.measure("compare", "-r", "8", "-n", `${name} old`, "-n", name, ...COST, "./old", program);

before(async () => {
  lab.write("old", costing("0.0200", "old"));
  lab.write("new", costing("0.0100", "new"));
  compare("first", "./new");
  compare("second", "./new");
  lab.measure("sweep", "--runs", "8", "--param", "n=1,2", ...COST, "./old {n}");
  browser = await launch();
  server = lab.start("serve", "--listen", "127.0.0.1:0");
  const [line] = server.stdout ? await once(server.stdout, "data") : [];
  within = String(line).trim();
});
after(async () => {
  server.kill("SIGKILL");
  await browser.close();
});

test("experiments are listed, and what is searched for is in the address", async () => {
  await opened(browser, within, { within }, async (page) => {
    const rows = page.locator("main tbody tr");
    assert.equal(await rows.count(), 3);
    await page.getByLabel("with the text").fill("second");
    await page.getByRole("button", { name: "Find" }).click();
    await page.waitForURL((address) => address.searchParams.get("text") === "second");
    assert.equal(await rows.count(), 1);
    await page.goto(`${within}?verb=sweep`);
    assert.equal(await rows.count(), 1);
    assert.equal(await page.getByLabel("verb").inputValue(), "sweep");
    assert.match(await rows.innerText(), /of 2 points on the front/);
    await rows.getByRole("link", { name: "3", exact: true }).click();
    await page.waitForURL(`${within}experiment/3`);
  });
});

test("an experiment is put beside another one", async () => {
  await opened(browser, `${within}experiment/2`, { within }, async (page) => {
    assert.ok(await page.locator("figure.picture svg").first().isVisible());
    await page.getByLabel("compare with experiment").fill("1");
    await page.getByRole("button", { name: "Compare" }).click();
    await page.waitForURL(/\/compare\?/);
    assert.match(await page.locator("main").innerText(), /not interleaved/);
    await page.getByRole("link", { name: "experiment 1", exact: true }).click();
    await page.waitForURL(`${within}experiment/1`);
  });
});

test("two that are ticked in the list are compared", async () => {
  await opened(browser, `${within}compare`, { within }, async (page) => {
    assert.match(await page.locator("main").innerText(), /Which two experiments are to be compared\?/);
    const compareThem = page.getByRole("button", { name: "Compare the two that are ticked" });
    await page.getByRole("checkbox", { name: "compare experiment 2" }).check();
    await compareThem.click();
    await page.waitForURL(`${within}compare?of=2`);
    assert.match(await page.locator("main").innerText(), /1 is ticked so far/);
    assert.ok(await page.getByRole("checkbox", { name: "compare experiment 2" }).isChecked());
    await page.getByRole("checkbox", { name: "compare experiment 1" }).check();
    await compareThem.click();
    await page.waitForURL(`${within}compare?of=2&of=1`);
    assert.match(await page.locator("main").innerText(), /not interleaved/);
  });
});

test("what may not be compared is refused in plain words", async () => {
  await opened(browser, `${within}compare?a=1&b=3`, { within, status: 422 }, async (page) => {
    assert.match(await page.locator("main").innerText(), /it is a sweep/);
    assert.ok(await page.getByRole("link", { name: "experiment 3", exact: true }).isVisible());
  });
});

test("its pages are for everybody", async () => {
  for (const path of ["", "compare", "experiment/1", "compare?a=1&b=2"]) await everywhere(browser, within + path, { within });
  await everywhere(browser, `${within}compare?a=1&b=3`, { within, status: 422 });
});

test("a list follows what is measured", async () => {
  await opened(browser, within, { within }, async (page) => {
    compare("third", "./new");
    await page.getByText("third").first().waitFor();
  });
});
