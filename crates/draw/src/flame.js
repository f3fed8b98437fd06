// Clicking a box makes it as wide as the picture, and boxes can be searched. In a page there is a
// field for that, the address keeps both, and the picture is drawn for its place; a picture on its own
// has the word "Search".

/** @typedef {{group: Element, box: Element, label: Element, name: string,
 *   left: number, right: number, top: number, height: number}} Frame */

const INSIDE = 3;

/**
 * The boxes of a class.
 * @param {Element} svg
 * @param {string} name
 * @returns {Frame[]}
 */
function boxes(svg, name) {
  return [...svg.querySelectorAll(name)].map((group) => {
    const box = /** @type {SVGPathElement} */ (group.querySelector("path"));
    const { x, y, width, height } = box.getBBox();
    const label = /** @type {Element} */ (group.querySelector("text"));
    const name = (group.querySelector("title")?.textContent ?? "").replace(/ \([^(]*\)$/, "");
    return { group, box, label, name, left: x, right: x + width, top: y, height };
  });
}

/**
 * @param {SVGSVGElement} svg
 * @param {string} key
 */
function flame(svg, key) {
  const frames = boxes(svg, ".stack");
  if (frames.length === 0) return;
  const gone = boxes(svg, ".gone");
  // Boxes come from the lowest up, so the first is the one below all others.
  const [whole] = frames;
  /** The width of a letter: the font is one in which all are as wide. */
  const letter = 0.602 * Number(whole.label.getAttribute("font-size"));
  /** The right edge of the boxes; their left edge stays. */
  let edge = whole.right;
  let chosen = whole;

  /**
   * Draws a box whose left and right come from those that it was drawn with.
   * @param {Frame} frame
   * @param {(x: number) => number} place
   */
  const draw = ({ group, box, label, name, left, right, top, height }, place) => {
    const [from, to] = [place(left), place(right)];
    group.classList.toggle("hidden", to - from < 0.1);
    box.setAttribute("d", `M${from} ${top}h${to - from}v${height}h${from - to}z`);
    label.setAttribute("x", String(from + INSIDE));
    const room = Math.floor((to - from - 2 * INSIDE) / letter);
    const shown = name.slice(name.lastIndexOf(";") + 1);
    label.textContent = shown.length <= room ? shown : room > 1 ? shown.slice(0, room - 1) + "…" : "";
  };

  /** @param {Frame} frame */
  const zoom = (frame) => {
    chosen = frame;
    const scale = (edge - whole.left) / (chosen.right - chosen.left);
    /** @param {number} x */
    const place = (x) => Math.min(edge, Math.max(whole.left, whole.left + (x - chosen.left) * scale));
    for (const one of frames) {
      draw(one, place);
      one.group.classList.toggle("faded", one.top > chosen.top + 1);
    }
    const narrowed = (edge - whole.left) / (whole.right - whole.left);
    for (const one of gone) draw(one, (x) => whole.left + (x - whole.left) * narrowed);
  };

  /**
   * Marks the boxes whose names match, and returns in words how much that is.
   * @param {string} words
   */
  const search = (words) => {
    /** @type {RegExp} */
    let wanted;
    try {
      wanted = new RegExp(words);
    } catch (error) {
      return /** @type {Error} */ (error).message;
    }
    let [found, covered] = [0, whole.left];
    const fromLeft = [...frames].sort((a, b) => a.left - b.left || b.top - a.top);
    for (const { group, name, left, right } of fromLeft) {
      const isFound = words !== "" && wanted.test(name);
      group.classList.toggle("found", isFound);
      // What is within a box that was found is counted once.
      if (isFound && right > covered) {
        found += right - Math.max(left, covered);
        covered = right;
      }
    }
    for (const { group, name } of gone) group.classList.toggle("found", words !== "" && wanted.test(name));
    const share = ((found / (whole.right - whole.left)) * 100).toFixed(2);
    return words === "" ? "" : `found: ${share}%`;
  };

  const word = svg.querySelector(".search");
  const said = svg.querySelector(".found-share");
  const figure = svg.closest("figure");
  if (!figure) {
    for (const frame of frames) frame.group.addEventListener("click", () => zoom(frame));
    word?.addEventListener("click", () => {
      const words = prompt("Search (regular expression)");
      if (words !== null && said) said.textContent = search(words);
    });
    return;
  }

  word?.remove();
  said?.remove();
  const field = /** @type {HTMLInputElement} */ (made("input", { type: "search" }));
  const share = made("span", { class: "quiet", role: "status" });
  const reset = made("button", { type: "button" }, ["Reset"]);
  const label = made("label", {}, ["Search (regular expression) ", field]);
  figure.prepend(made("div", { class: "controls" }, [label, reset, share]));
  /** @param {string | null} words */
  const searched = (words) => {
    if (field.value !== (words ?? "")) field.value = words ?? "";
    share.textContent = search(words ?? "");
  };
  field.addEventListener("input", () => {
    choose(`search${key}`, field.value || null);
    searched(field.value);
  });
  /** @param {Frame} frame */
  const zoomed = (frame) => {
    const at = frames.indexOf(frame);
    choose(`frame${key}`, at === 0 ? null : String(at));
    zoom(frame);
  };
  for (const frame of frames) frame.group.addEventListener("click", () => zoomed(frame));
  reset.addEventListener("click", () => zoomed(whole));
  const heading = new Heading(svg);
  const { height } = svg.viewBox.baseVal;
  placed(svg, (width) => {
    edge = width - MARGIN;
    sized(svg, { width, top: heading.wrap(edge - MARGIN), bottom: height });
    zoom(chosen);
  });
  follow(`search${key}`, searched);
  follow(`frame${key}`, (at) => zoom(frames[Number(at)] ?? whole));
}

if (document.documentElement instanceof SVGSVGElement) flame(document.documentElement, "");
for (const [place, figure] of document.querySelectorAll("figure.picture").entries()) {
  const svg = figure.querySelector("svg");
  if (svg) flame(svg, String(place + 1));
}
