// A picture of panels over commits: what of it is shown, and what is said of a commit.

/** From one name below the panels to the next. */
const NAME_EVERY = 16;
/** Names run across where columns are at least so wide. */
const ACROSS_FROM = 96;
/** So many milliseconds without a change are a rest. */
const REST = 60;
/** About how wide a letter is. */
const LETTER = 6.3;

/** A picture of panels, and what of it is shown. */
class Columns {
  /**
   * @param {SVGSVGElement} svg
   * @param {ColumnData} data
   * @param {string} key
   */
  constructor(svg, data, key) {
    this.svg = svg;
    this.data = data;
    this.key = key;
    this.count = data.names.length;
    this.from = 0;
    this.to = this.count;
    /** The column that is looked at; none in the beginning. */
    this.at = -1;
    /** @type {AxisName} */
    this.axis = "drawn";
    this.waits = false;
    /** @type {number | undefined} */
    this.resting = undefined;
    const clip = `clip-${key}`;
    const { top } = data.panels[0];
    const { bottom } = data.panels[data.panels.length - 1];
    const area = { x: data.left, y: 0, width: data.right - data.left, height: bottom + 1 };
    svg.append(drawn("clipPath", { id: clip }, [drawn("rect", area)]));
    const groups = svg.querySelectorAll(".panel");
    const again = new Set(data.repeated);
    this.panels = data.panels.map((panel, place) => new Panel(panel, again, groups[place], clip));
    this.below = /** @type {SVGGraphicsElement | null} */ (svg.querySelector(".below"));
    const drawnBelow = this.below?.getBBox();
    /** So far down names may run: as far as those did that were drawn. */
    this.room = (drawnBelow ? drawnBelow.y + drawnBelow.height : bottom) - bottom - 10;
    this.names = drawn("g", {});
    this.cursor = drawn("path", { class: "cursor" });
    this.span = { top, bottom };
    svg.append(this.names, this.cursor);
    svg.querySelector(".columns")?.remove();
    this.controls();
    this.listen();
    follow(`zoom${key}`, (text) => this.restore(text));
    follow(`axis${key}`, (text) => this.scaled(text !== null && Object.hasOwn(AXES, text) ? /** @type {AxisName} */ (text) : "drawn"));
  }

  controls() {
    const choice = made("select", { "aria-label": "vertical axis" }, Object.entries(AXES).map(([value, text]) =>
      made("option", { value }, [text])));
    choice.addEventListener("change", () => {
      const { value } = /** @type {HTMLSelectElement} */ (choice);
      choose(`axis${this.key}`, value === "drawn" ? null : value);
      this.scaled(/** @type {AxisName} */ (value));
    });
    this.choice = /** @type {HTMLSelectElement} */ (choice);
    const button = (/** @type {string} */ text, /** @type {() => void} */ act) => {
      const one = made("button", { type: "button" }, [text]);
      one.addEventListener("click", act);
      return one;
    };
    const hint = made("span", { class: "quiet" }, [
      "drag over commits to see them closer; arrow keys read them one by one, + - 0 zoom",
    ]);
    const bar = made("div", { class: "controls" }, [
      made("label", {}, ["axis ", choice]),
      button("closer", () => this.zoomed(0.5)),
      button("wider", () => this.zoomed(2)),
      button("all", () => this.window(0, this.count)),
      hint,
    ]);
    this.svg.closest("figure")?.prepend(bar);
  }

  listen() {
    const { svg } = this;
    svg.setAttribute("tabindex", "0");
    svg.setAttribute("role", "application");
    /** @type {number | null} */
    let begun = null;
    svg.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || event.target instanceof SVGAElement) return;
      begun = this.place(event);
      svg.setPointerCapture(event.pointerId);
    });
    svg.addEventListener("pointermove", (event) => {
      const here = this.place(event);
      if (begun === null) this.look(Math.floor(here), false);
      else this.mark(begun, here);
    });
    svg.addEventListener("pointerup", (event) => {
      const from = begun;
      const here = this.place(event);
      begun = null;
      this.mark(this.at, this.at + 1);
      if (from === null) return;
      const pixels = (Math.abs(here - from) / (this.to - this.from)) * (this.data.right - this.data.left);
      if (pixels > 5) this.window(Math.floor(Math.min(from, here)), Math.ceil(Math.max(from, here)));
    });
    // Where fingers scroll, no stretch is chosen.
    svg.addEventListener("pointercancel", () => {
      begun = null;
      this.mark(this.at, this.at + 1);
    });
    svg.addEventListener("dblclick", () => this.window(0, this.count));
    svg.addEventListener("wheel", (event) => {
      // Without a key, the wheel scrolls the page.
      if (!event.ctrlKey) return;
      event.preventDefault();
      this.zoomed(event.deltaY > 0 ? 1.25 : 0.8, this.place(event));
    }, { passive: false });
    svg.addEventListener("keydown", (event) => {
      const step = event.shiftKey ? 10 : 1;
      /** @type {Record<string, () => void>} */
      const keys = {
        ArrowRight: () => this.look(this.at + step, true),
        ArrowLeft: () => this.look(this.at - step, true),
        Home: () => this.look(0, true),
        End: () => this.look(this.count - 1, true),
        "+": () => this.zoomed(0.5, this.at + 0.5),
        "=": () => this.zoomed(0.5, this.at + 0.5),
        "-": () => this.zoomed(2, this.at + 0.5),
        0: () => this.window(0, this.count),
      };
      const act = keys[event.key];
      if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      act();
    });
  }

  /**
   * Which column an event is at; within it, how far.
   * @param {MouseEvent} event
   */
  place(event) {
    const { left, right } = this.data;
    const box = this.svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * this.svg.viewBox.baseVal.width;
    const at = this.from + ((x - left) / (right - left)) * (this.to - this.from);
    return Math.min(this.to, Math.max(this.from, at));
  }

  /**
   * Marks what is shown of some columns.
   * @param {number} from
   * @param {number} to
   */
  mark(from, to) {
    const { left, right } = this.data;
    const least = Math.max(this.from, Math.min(from, to));
    const most = Math.min(this.to, Math.max(from, to));
    const x = (/** @type {number} */ at) => left + ((at - this.from) / (this.to - this.from)) * (right - left);
    const [begin, end] = [x(least), x(most)];
    if (least > most || most <= 0) this.cursor.removeAttribute("d");
    else this.cursor.setAttribute("d", `M${begin} ${this.span.top}H${Math.max(end, begin + 1)}V${this.span.bottom}H${begin}z`);
  }

  /**
   * Looks at a column: marks it, and says what is known of it.
   * @param {number} at
   * @param {boolean} isByKey
   */
  look(at, isByKey) {
    this.at = Math.min(this.count - 1, Math.max(0, at));
    const width = this.to - this.from;
    if (isByKey && (this.at < this.from || this.at >= this.to)) {
      this.window(this.at - width / 2, this.at + width / 2);
    }
    this.mark(this.at, this.at + 1);
    const { names, notes, remarks } = this.data;
    const remark = remarks[this.at];
    say([
      `${names[this.at]} ${notes[this.at]}`.trim(),
      ...(remark ? [remark] : []),
      ...this.panels.map((panel) => panel.said(this.at)),
    ].join("\n"));
  }

  /**
   * @param {number} times
   * @param {number} around
   */
  zoomed(times, around = (this.from + this.to) / 2) {
    const middle = around < this.from || around > this.to ? (this.from + this.to) / 2 : around;
    this.window(middle - (middle - this.from) * times, middle + (this.to - middle) * times);
  }

  /**
   * Shows these columns, as far as there are such, and keeps that in the address.
   * @param {number} from
   * @param {number} to
   */
  window(from, to) {
    const width = Math.min(this.count, Math.max(2, to - from));
    this.from = Math.min(this.count - width, Math.max(0, from));
    this.to = this.from + width;
    const isAll = this.from <= 0 && this.to >= this.count;
    choose(`zoom${this.key}`, isAll ? null : `${this.from.toFixed(2)}-${this.to.toFixed(2)}`);
    this.soon();
  }

  /** @param {string | null} text */
  restore(text) {
    const parts = /^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/.exec(text ?? "");
    const from = Number(parts?.[1] ?? 0);
    const to = Number(parts?.[2] ?? this.count);
    const isWithin = to - from >= 1 && to <= this.count;
    this.from = isWithin ? from : 0;
    this.to = isWithin ? to : this.count;
    this.soon();
  }

  /** @param {AxisName} axis */
  scaled(axis) {
    this.axis = axis;
    if (this.choice) this.choice.value = axis;
    this.soon();
  }

  /** Draws before the next frame, once however much changed. */
  soon() {
    if (this.waits) return;
    this.waits = true;
    requestAnimationFrame(() => {
      this.waits = false;
      this.draw();
    });
  }

  draw() {
    const { data, from, to, axis } = this;
    for (const panel of this.panels) panel.show(data, from, to, axis);
    const isAll = to - from >= this.count;
    this.below?.classList.toggle("hidden", !isAll);
    // Turned text takes a browser long, so names wait until the picture rests.
    this.names.replaceChildren();
    clearTimeout(this.resting);
    if (!isAll) this.resting = setTimeout(() => this.names.replaceChildren(...this.named()), REST);
    this.mark(this.at, this.at + 1);
  }

  /** The names of the columns that are shown, as far as there is room. */
  named() {
    const { left, right, names, notes } = this.data;
    const pitch = (right - left) / (this.to - this.from);
    const isAcross = pitch >= ACROSS_FROM;
    const every = isAcross ? 1 : Math.max(1, Math.ceil(NAME_EVERY / pitch));
    const room = Math.floor((isAcross ? pitch - 12 : this.room) / LETTER);
    /** @type {Element[]} */
    const all = [];
    const first = Math.ceil((this.from - 0.5) / every) * every;
    for (let at = Math.max(0, first); at + 0.5 < this.to; at += every) {
      const x = left + (at + 0.5 - this.from) * pitch;
      const y = this.span.bottom + (isAcross ? 18 : 8);
      /** @type {Record<string, string>} */
      const way = isAcross ? { "text-anchor": "middle" } : { transform: `rotate(90 ${x} ${y})` };
      const write = (/** @type {string} */ text, /** @type {number} */ below) =>
        all.push(drawn("text", { class: "quiet", x, y: y + below, "font-size": 10.5, ...way }, [cut(text, room)]));
      write(isAcross ? names[at] : `${names[at]} ${notes[at]}`.trim(), 0);
      if (isAcross) write(notes[at], 14);
    }
    return all;
  }
}

/**
 * @param {string} text
 * @param {number} length
 */
function cut(text, length) {
  const letters = [...text];
  return letters.length <= length ? text : `${letters.slice(0, Math.max(0, length - 1)).join("")}…`;
}

for (const [place, figure] of document.querySelectorAll("figure.picture").entries()) {
  const svg = figure.querySelector("svg");
  const text = figure.querySelector("script.data")?.textContent;
  if (!svg || !text) continue;
  const data = JSON.parse(text);
  if (data.kind === "columns" && data.names.length > 1) new Columns(svg, data, String(place + 1));
}
