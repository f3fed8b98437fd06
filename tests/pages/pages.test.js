// What holds of every page, of whatever kind it is.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { colours, DESKTOP, frame, launch, opened, TELEPHONE, violations } from "./browser.js";
import { HOSTILE, IN_WORDS, made } from "./experiments.js";

const files = made();
/** @type {import("playwright-core").Browser} */
let browser;
before(async () => {
  browser = await launch();
});
after(() => browser.close());

for (const [kind, file] of files) {
  describe(kind, () => {
    for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
      test(`${colorScheme}: its pictures show something, and axe finds nothing`, async () => {
        await opened(browser, file, { colorScheme }, async (page) => {
          const pictures = page.locator("figure.picture svg:visible");
          assert.equal(await pictures.count() > 0, !IN_WORDS.includes(kind));
          for (const picture of await pictures.all()) {
            const { count, ground, share } = await colours(page, picture);
            assert.equal(ground, colorScheme === "light" ? 0xffffff : 0x0d1117, "the ground");
            assert.ok(count > 8 && share < 0.99, `${count} colours, ${share} of it ground`);
          }
          assert.deepEqual(await violations(page), []);
        });
      });
    }

    test("on a telephone nothing has to be scrolled sideways but pictures and tables", async () => {
      await opened(browser, file, { viewport: TELEPHONE }, async (page) => {
        await page.locator("details").evaluateAll((all) => all.forEach((one) => one.setAttribute("open", "")));
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.equal(wide, TELEPHONE.width);
        assert.deepEqual(await violations(page), []);
      });
    });

    test("its pictures fit the window of a desktop, and their text can be read", async () => {
      for (const width of [1440, 1024]) {
        await opened(browser, file, { viewport: { width, height: 900 } }, async (page) => {
          await page.locator("details").evaluateAll((all) => all.forEach((one) => one.setAttribute("open", "")));
          await frame(page);
          const pictures = await page.locator("figure.picture svg").evaluateAll((all) => all.map((one) => {
            const svg = /** @type {SVGSVGElement} */ (one);
            const place = /** @type {Element} */ (svg.parentElement);
            const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
            return { beyond: place.scrollWidth - place.clientWidth, text: 10.5 * scale };
          }));
          for (const { beyond, text } of pictures) assert.ok(beyond <= 0 && text >= 8.3, `${beyond} beyond ${width}, text of ${text}`);
          assert.deepEqual(await violations(page), []);
        });
      }
    });

    test("on a telephone what is cut fades, and text can be read", async () => {
      await opened(browser, file, { viewport: TELEPHONE }, async (page) => {
        await page.locator("details").evaluateAll((all) => all.forEach((one) => one.setAttribute("open", "")));
        await frame(page);
        const places = await page.locator(".wide").evaluateAll((all) => all.map((place) => {
          const svg = /** @type {SVGSVGElement | null} */ (place.querySelector("svg"));
          const scale = svg ? svg.getBoundingClientRect().width / svg.viewBox.baseVal.width : 1;
          const fades = getComputedStyle(place).maskImage !== "none";
          return { isCut: place.scrollWidth > place.clientWidth + 1, fades, text: 10.5 * scale };
        }));
        for (const { isCut, fades, text } of places) assert.ok(isCut === fades && text >= 8.3, JSON.stringify(places));
      });
    });

    test("without scripts everything is there to be read", async () => {
      await opened(browser, file, { javaScriptEnabled: false, viewport: DESKTOP }, async (page) => {
        assert.ok((await page.locator("main").innerText()).length > 100);
        assert.equal(await page.locator(".controls").count(), 0, "nothing that would do nothing");
        for (const folded of await page.locator("main > details > summary").all()) {
          await folded.click();
          const inside = folded.locator("xpath=following-sibling::*").first();
          assert.ok(await inside.isVisible(), "what is folded opens");
        }
        for (const picture of await page.locator("main > figure.picture svg").all()) {
          assert.ok((await colours(page, picture)).count > 8);
        }
      });
    });

    test("on paper pictures are within the page, what is folded is open, and what is to be clicked is gone", async () => {
      await opened(browser, file, {}, async (page) => {
        await page.emulateMedia({ media: "print" });
        await page.setViewportSize({ width: 720, height: 1000 });
        await frame(page);
        assert.equal(await page.locator(".controls:visible, #said:visible").count(), 0);
        for (const folded of await page.locator("details").all()) {
          assert.ok(await folded.locator(":scope > :not(summary, .controls)").first().isVisible(), "printed as if open");
        }
        for (const picture of await page.locator("figure.picture svg:visible").all()) {
          const box = await picture.boundingBox();
          assert.ok(box && box.x + box.width <= 720, JSON.stringify(box));
        }
        const pdf = await page.pdf();
        assert.ok(pdf.length > 5000 && pdf.subarray(0, 5).toString() === "%PDF-");
      });
    });

    test("what others bring into it is not run", async () => {
      const context = await browser.newContext();
      const page = await context.newPage();
      /** @type {string[]} */
      const said = [];
      page.on("console", (message) => said.push(message.text()));
      await page.goto(`file://${file}`);
      await page.evaluate(() => {
        const script = document.createElement("script");
        script.textContent = "document.title = 'harmed'";
        document.body.append(script);
        document.body.insertAdjacentHTML("beforeend",
          "<button id=harm onclick=\"document.title='harmed'\">x</button><img src='https://example.org/x.png'>");
        document.getElementById("harm")?.click();
      });
      await frame(page);
      assert.notEqual(await page.title(), "harmed");
      // The script, what the button does, and the picture.
      assert.equal(said.filter((text) => text.includes("Content Security Policy")).length, 3, said.join("\n"));
      await context.close();
    });
  });
}

test("text of users stays text", async () => {
  await opened(browser, String(files.get("compare")), {}, async (page) => {
    assert.ok((await page.title()).includes(HOSTILE));
    assert.ok((await page.locator("main").innerText()).includes(HOSTILE));
    assert.equal(await page.locator("main img").count(), 0);
  });
});
