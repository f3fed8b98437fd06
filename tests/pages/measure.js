// How soon a page shows its first picture, and how many frames a second it shows while one zooms:
//   node measure.js ADDRESS

import { DESKTOP, launch } from "./browser.js";

/** So often the page is opened. */
const LOADS = 5;
/** So many frames are drawn while zooming. */
const FRAMES = 120;

/** @param {number[]} values */
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/**
 * From the begin of the load until the picture is on the screen, in milliseconds.
 * @param {import("playwright-core").Page} page
 * @param {string} address
 */
async function first(page, address) {
  await page.goto("about:blank");
  await page.goto(address);
  await page.locator("figure.picture svg").first().waitFor();
  // Whoever's script draws has drawn, and a frame with it was shown.
  return page.evaluate(() => new Promise((resolve) => {
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now()), 0));
  }));
}

/**
 * Zooms by wheel, once in each frame, closer and wider again; frames per second.
 * @param {import("playwright-core").Page} page
 */
async function rate(page) {
  return page.evaluate((frames) => new Promise((resolve) => {
    const svg = /** @type {SVGSVGElement} */ (document.querySelector("figure.picture svg"));
    svg.scrollIntoView();
    const { left, width, top } = svg.getBoundingClientRect();
    let count = 0;
    let begin = 0;
    const step = (/** @type {number} */ now) => {
      if (count === 0) begin = now;
      if (count === frames) {
        resolve((1000 * frames) / (now - begin));
        return;
      }
      const deltaY = Math.floor(count / 20) % 2 === 0 ? -1 : 1;
      const at = { clientX: left + 0.4 * width, clientY: top + 100 };
      svg.dispatchEvent(new WheelEvent("wheel", { ...at, deltaY, ctrlKey: true, cancelable: true }));
      count += 1;
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }), FRAMES);
}

const browser = await launch();
const page = await browser.newPage({ viewport: DESKTOP });
const loads = [];
for (let load = 0; load < LOADS; load += 1) loads.push(Number(await first(page, process.argv[2])));
const framesPerSecond = Number(await rate(page));
await browser.close();
console.log(JSON.stringify({ firstPicture: median(loads), framesPerSecond }));
