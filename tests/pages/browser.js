// Pages in a browser: what they complain about, what they ask for, how they look.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("playwright-core").Browser} Browser */
/** @typedef {import("playwright-core").BrowserContextOptions} Options */

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** A window of a desktop. */
export const DESKTOP = { width: 1280, height: 900 };
/** A telephone, upright. */
export const TELEPHONE = { width: 390, height: 844 };

export function launch() {
  // As root there is no sandbox.
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
}

/**
 * Opens a file or an address, and closes it when `look` is done; nothing may be complained about, or
 * asked for from elsewhere than `within`. A `status` other than 200 is one that the browser mentions.
 * @template T
 * @param {Browser} browser
 * @param {string} file
 * @param {Options & {hash?: string, within?: string, status?: number}} options
 * @param {(page: Page) => Promise<T>} look
 */
export async function opened(browser, file, { hash = "", within, status = 200, ...options }, look) {
  const whole = file.startsWith("/") ? `file://${file}` : file;
  const context = await browser.newContext({ viewport: DESKTOP, ...options });
  try {
    const page = await context.newPage();
    /** @type {string[]} */
    const wrong = [];
    page.on("console", (message) => {
      const text = message.text();
      const isStatus = status !== 200 && text.includes(`responded with a status of ${status}`);
      if (!isStatus) wrong.push(`console: ${text}`);
    });
    page.on("pageerror", (error) => wrong.push(`error: ${error.stack}`));
    page.on("request", (request) => {
      const address = request.url();
      const isOwn = within ? address.startsWith(within) : address.split("#")[0] === whole;
      if (!isOwn && address !== "data:,") wrong.push(`request: ${address}`);
    });
    const answer = await page.goto(`${whole}${hash}`);
    if (!file.startsWith("/") && answer?.status() !== status) throw new Error(`status ${answer?.status()}`);
    if (options.javaScriptEnabled !== false) await frame(page);
    const result = await look(page);
    if (wrong.length > 0) throw new Error(wrong.join("\n"));
    return result;
  } finally {
    await context.close();
  }
}

/**
 * Waits until what was asked for is drawn.
 * @param {Page} page
 */
export async function frame(page) {
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

/**
 * The end of the address, once it has this form.
 * @param {Page} page
 * @param {RegExp} form
 */
export async function addressEnd(page, form) {
  await page.waitForFunction((form) => new RegExp(form).test(decodeURIComponent(location.hash)), form.source);
  return decodeURIComponent(new URL(page.url()).hash);
}

/**
 * How many colours an element shows, and the share of its most frequent one.
 * @param {Page} page
 * @param {import("playwright-core").Locator} element
 */
export async function colours(page, element) {
  const png = (await element.screenshot()).toString("base64");
  // In a page of its own: the policy of ours lets no canvas read what it did not bring.
  const other = await page.context().newPage();
  try {
    return await other.evaluate(async (data) => {
      const image = new Image();
      image.src = `data:image/png;base64,${data}`;
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height);
      const context = canvas.getContext("2d");
      if (!context) throw new Error("no canvas");
      context.drawImage(image, 0, 0);
      const { data: bytes } = context.getImageData(0, 0, image.width, image.height);
      /** @type {Map<number, number>} */
      const counts = new Map();
      for (let at = 0; at < bytes.length; at += 4) {
        const colour = (bytes[at] << 16) | (bytes[at + 1] << 8) | bytes[at + 2];
        counts.set(colour, (counts.get(colour) ?? 0) + 1);
      }
      const [[ground, most]] = [...counts].sort((a, b) => b[1] - a[1]);
      return { count: counts.size, ground, share: (most * 4) / bytes.length };
    }, png);
  } finally {
    await other.close();
  }
}

/**
 * What axe finds against the guidelines and good practice.
 * @param {Page} page
 * @returns {Promise<string[]>}
 */
export async function violations(page) {
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    // @ts-expect-error it is there now
    const { violations } = await axe.run();
    return violations.map((/** @type {any} */ one) =>
      `${one.id}: ${one.help}\n${one.nodes.slice(0, 3).map((/** @type {any} */ node) =>
        `  ${node.html.slice(0, 160)}\n  ${node.failureSummary}`).join("\n")}`);
  });
}

/**
 * A page in the dark, on a telephone and without scripts.
 * @param {Browser} browser
 * @param {string} file
 * @param {{within: string, status?: number}} options
 */
export async function everywhere(browser, file, options) {
  for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
    for (const viewport of [DESKTOP, TELEPHONE]) {
      await opened(browser, file, { ...options, colorScheme, viewport }, async (page) => {
        assert.deepEqual(await violations(page), []);
        const ground = await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
        assert.ok(ground.includes(colorScheme), ground);
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), viewport.width);
      });
    }
  }
  await opened(browser, file, { ...options, javaScriptEnabled: false }, async (page) => {
    assert.ok((await page.locator("main").innerText()).length > 20);
  });
}
