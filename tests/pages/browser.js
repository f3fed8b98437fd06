// Pages in a browser: what they complain about, what they ask for, how they look.

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
 * Opens a file, and closes it when `look` is done; nothing may be complained about or asked for.
 * @template T
 * @param {Browser} browser
 * @param {string} file
 * @param {Options & {hash?: string}} options
 * @param {(page: Page) => Promise<T>} look
 */
export async function opened(browser, file, { hash = "", ...options }, look) {
  const context = await browser.newContext({ viewport: DESKTOP, ...options });
  try {
    const page = await context.newPage();
    /** @type {string[]} */
    const wrong = [];
    page.on("console", (message) => wrong.push(`console: ${message.text()}`));
    page.on("pageerror", (error) => wrong.push(`error: ${error.stack}`));
    page.on("request", (request) => {
      const address = request.url();
      if (address.split("#")[0] !== `file://${file}` && address !== "data:,") wrong.push(`request: ${address}`);
    });
    await page.goto(`file://${file}${hash}`);
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
