// The place of a picture in the page. Pictures that can be drawn anew are drawn for its width, with
// text in one size; others become smaller as long as their text can be read. What is wider than its
// place scrolls, and fades at the edges where it is cut.

/** Pixels for each unit of a picture that is drawn for its place. */
const PIXELS = 1.25;
/** The smallest scale of other pictures: their text has 10.5 units. */
const LEAST_PIXELS = 0.8;
/** The distance of a picture's contents from its edges. */
const MARGIN = 16;
/** About how wide a letter is, in units of the font size. */
const LETTER = 0.6;

/**
 * About how wide a text is.
 * @param {string} text
 * @param {number} size
 */
function span(text, size = 10.5) {
  return [...text].length * LETTER * size;
}

/**
 * A text that fits into `room`.
 * @param {string} text
 * @param {number} room
 * @param {number} size
 */
function cut(text, room, size = 10.5) {
  const letters = [...text];
  const length = Math.floor(room / (LETTER * size));
  return letters.length <= length ? text : `${letters.slice(0, Math.max(0, length - 1)).join("")}…`;
}

/**
 * A text in lines that fit into `room`.
 * @param {string} text
 * @param {number} room
 * @param {number} size
 */
function wrapped(text, room, size) {
  /** @type {string[]} */
  const lines = [];
  for (const word of text.split(" ")) {
    const longer = lines.length > 0 ? `${lines[lines.length - 1]} ${word}` : word;
    if (lines.length > 0 && span(longer, size) <= room) lines[lines.length - 1] = longer;
    else lines.push(cut(word, room, size));
  }
  return lines;
}

/** The words above a picture. Lines that it gains grow upwards, so that nothing else moves. */
class Heading {
  /** @param {SVGSVGElement} svg */
  constructor(svg) {
    const first = svg.querySelector(":scope > g");
    const lines = [...svg.querySelectorAll(":scope > text")].filter((line) =>
      first && line.compareDocumentPosition(first) & Node.DOCUMENT_POSITION_FOLLOWING);
    this.bottom = Math.max(0, ...lines.map((line) => Number(line.getAttribute("y")) + 0.3 * Number(line.getAttribute("font-size"))));
    this.paragraphs = ["title", "quiet"].map((name) => {
      const own = lines.filter((line) => line.classList.contains(name));
      const size = Number(own[0]?.getAttribute("font-size"));
      return { name, size, text: own.map((line) => line.textContent).join(" ") };
    }).filter(({ text }) => text !== "");
    for (const line of lines) line.remove();
    this.group = drawn("g", { class: "heading" });
    svg.append(this.group);
  }

  /**
   * Wraps the words, and returns the top of the picture.
   * @param {number} room
   */
  wrap(room) {
    let y = this.bottom;
    /** @type {Element[]} */
    const all = [];
    for (const { name, size, text } of [...this.paragraphs].reverse()) {
      for (const line of wrapped(text, room, size).reverse()) {
        all.unshift(drawn("text", { class: name, x: MARGIN, y: y - 0.3 * size, "font-size": size }, [line]));
        y -= 1.3 * size;
      }
    }
    this.group.replaceChildren(...all);
    return y - MARGIN;
  }
}

/**
 * Has a picture drawn for the width of its place, in units, now and whenever that changes.
 * @param {Element} svg
 * @param {(width: number, isFirst: boolean) => void} draw
 */
function placed(svg, draw) {
  const place = svg.parentElement;
  if (!place) return;
  let was = 0;
  new ResizeObserver(() => {
    const now = place.clientWidth;
    if (now === was || now === 0) return;
    const isFirst = was === 0;
    was = now;
    draw(now / PIXELS, isFirst);
  }).observe(place);
}

/**
 * Gives a picture its size.
 * @param {SVGSVGElement} svg
 * @param {{width: number, top: number, bottom: number}} size
 */
function sized(svg, { width, top, bottom }) {
  const height = bottom - top;
  svg.setAttribute("viewBox", `0 ${top} ${width} ${height}`);
  svg.setAttribute("width", String(PIXELS * width));
  svg.setAttribute("height", String(PIXELS * height));
  svg.style.setProperty("--least", `${PIXELS * width}px`);
  const paper = svg.querySelector(".paper");
  for (const [name, value] of Object.entries({ y: top, width, height })) paper?.setAttribute(name, String(value));
}

for (const svg of /** @type {NodeListOf<SVGSVGElement>} */ (document.querySelectorAll(".picture svg"))) {
  svg.style.setProperty("--least", `${LEAST_PIXELS * svg.viewBox.baseVal.width}px`);
}

for (const wide of document.querySelectorAll(".wide")) {
  const mark = () => {
    wide.classList.toggle("cut-left", wide.scrollLeft > 1);
    wide.classList.toggle("cut-right", wide.scrollLeft + wide.clientWidth < wide.scrollWidth - 1);
  };
  wide.addEventListener("scroll", mark, { passive: true });
  const sizes = new ResizeObserver(mark);
  for (const one of [wide, ...wide.children]) sizes.observe(one);
}
