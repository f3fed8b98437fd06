// A picture of panels over commits: what of it is shown, and what is said of a commit.

/** From one name below the panels to the next. */
const NAME_EVERY = 16;
/** Names run across where columns are at least so wide. */
const ACROSS_FROM = 96;
/** The room for names that run down, and for those that run across. */
const DOWN = 230;
const ACROSS = 36;
/** So many milliseconds without a change are a rest. */
const REST = 60;
/** Columns become no narrower than this in a place without room for all, unless they are wider than a page. */
const NARROWEST = 4;
const WIDEST_NEEDED = 640;
/** From one entry of the legend to the next, from its left end to its words, and from line to line. */
const LEGEND = { gap: 18, indent: 28, line: 20 };

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
    /** The list of choices, if there are any.
     * @type {HTMLSelectElement | undefined} */
    this.benchmark = undefined;
    /** @type {number | undefined} */
    this.resting = undefined;
    const clip = `clip-${key}`;
    const { top } = data.panels[0];
    const { bottom } = data.panels[data.panels.length - 1];
    this.clip = drawn("rect", { x: data.left, y: 0, height: bottom + 1 });
    svg.append(drawn("clipPath", { id: clip }, [this.clip]));
    const groups = svg.querySelectorAll(".panel");
    const again = new Set(data.repeated);
    const picture = { clip, right: data.right };
    this.panels = data.panels.map((panel, place) => new Panel(panel, again, groups[place], picture));
    this.drawnWidth = data.right - data.left;
    this.steps = this.changed();
    this.heading = new Heading(svg);
    this.legend = legend(svg);
    svg.querySelector(".below")?.remove();
    svg.querySelector(".columns")?.remove();
    this.crosses = drawn("path", { class: "cross" });
    this.names = drawn("g", { class: "names" });
    this.cursor = drawn("path", { class: "cursor" });
    this.span = { top, bottom };
    this.room = DOWN;
    svg.append(this.crosses, this.names, this.cursor);
    this.controls();
    this.listen();
    const place = /** @type {Element} */ (svg.parentElement);
    place.classList.add("pinned");
    place.addEventListener("scroll", () => svg.style.setProperty("--scrolled", `${place.scrollLeft / PIXELS}px`));
    placed(svg, (width, isFirst) => {
      this.layOut(width);
      // The newest commits are seen first.
      if (isFirst) place.scrollLeft = place.scrollWidth;
    });
    if (data.choices.length > 0) follow("benchmark", (name) => this.take(name));
    follow(`zoom${key}`, (text) => this.restore(text));
    follow(`axis${key}`, (text) => this.scaled(text !== null && Object.hasOwn(AXES, text) ? /** @type {AxisName} */ (text) : "drawn"));
  }

  /** The columns of changes, whose names matter most. */
  changed() {
    return this.panels.flatMap((panel) => panel.changes.filter(({ words }) => words)
      .map(({ x }) => Math.round(((x - this.data.left) / this.drawnWidth) * this.count)));
  }

  /**
   * Shows another choice; the first if none has this name.
   * @param {string | null} name
   */
  take(name) {
    const { choices } = this.data;
    const chosen = choices.find((choice) => choice.name === name) ?? choices[0];
    if (this.benchmark) this.benchmark.value = chosen.name;
    for (const [place, panel] of this.panels.entries()) panel.take(chosen.panels[place], this.data);
    this.steps = this.changed();
    for (const panel of this.panels) panel.place(this.data);
    this.soon();
    // A link elsewhere in the page may have chosen it.
    if (name !== null) this.svg.closest("figure")?.scrollIntoView({ block: "nearest" });
  }

  /** The list of choices; empty without any. */
  choices() {
    if (this.data.choices.length === 0) return [];
    const list = /** @type {HTMLSelectElement} */ (made("select", {}, this.data.choices.map(({ name }) =>
      made("option", { value: name }, [name]))));
    list.addEventListener("change", () => {
      choose("benchmark", list.value);
      this.take(list.value);
    });
    this.benchmark = list;
    return [made("label", {}, ["Benchmark ", list])];
  }

  controls() {
    const choice = made("select", {}, Object.entries(AXES).map(([value, text]) =>
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
    const hint = made("span", { class: "quiet" }, [matchMedia("(pointer: coarse)").matches
      ? "Tap a commit to read its values."
      : "Drag across commits to zoom in. Arrow keys read one commit after another; +, − and 0 zoom."]);
    const bar = made("div", { class: "controls" }, [
      ...this.choices(),
      made("label", {}, ["Vertical axis ", choice]),
      button("Zoom in", () => this.zoomed(0.5)),
      button("Zoom out", () => this.zoomed(2)),
      button("Reset", () => this.window(0, this.count)),
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
      // Fingers scroll, and choose no stretch.
      if (event.button !== 0 || event.pointerType === "touch") return;
      begun = this.place(event);
      svg.setPointerCapture(event.pointerId);
    });
    svg.addEventListener("pointermove", (event) => {
      if (event.pointerType === "touch") return;
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
    svg.addEventListener("pointercancel", () => {
      begun = null;
      this.mark(this.at, this.at + 1);
    });
    // A tap is a click, a finger that scrolls is none.
    svg.addEventListener("click", (event) => {
      if (/** @type {PointerEvent} */ (event).pointerType === "touch") this.look(Math.floor(this.place(event)), false);
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
    if (isByKey) this.cursor.scrollIntoView({ block: "nearest", inline: "nearest" });
    const { names, notes, by, remarks } = this.data;
    const remark = remarks[this.at];
    say([
      `${names[this.at]} ${notes[this.at]}`.trim(),
      ...(by[this.at] ? [by[this.at]] : []),
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

  /**
   * Lays everything out for a place of this width.
   * @param {number} width
   */
  layOut(width) {
    const { data } = this;
    data.right = Math.max(width - MARGIN, data.left + Math.min(WIDEST_NEEDED, NARROWEST * this.count));
    this.clip.setAttribute("width", String(data.right - data.left));
    const top = this.heading.wrap(Math.min(width, data.right) - MARGIN);
    const isAcross = (data.right - data.left) / this.count >= ACROSS_FROM;
    const longest = Math.max(...data.names.map((name, at) => span(`${name} ${data.notes[at]}`)));
    this.room = isAcross ? ACROSS : Math.min(DOWN, longest + 4);
    let [x, y] = [data.left, this.span.bottom + this.room + 34];
    for (const { entry, wide } of this.legend) {
      if (x > data.left && x + wide > data.right) [x, y] = [data.left, y + LEGEND.line];
      entry.setAttribute("transform", `translate(${x} ${y})`);
      x += wide + LEGEND.gap;
    }
    sized(this.svg, { width: data.right + MARGIN, top, bottom: y + MARGIN });
    for (const panel of this.panels) panel.place(data);
    this.draw();
  }

  draw() {
    const { data, from, to, axis } = this;
    for (const panel of this.panels) panel.show(data, from, to, axis);
    const pitch = (data.right - data.left) / (to - from);
    const y = this.span.bottom + 4;
    this.crosses.setAttribute("d", data.crossed.filter((at) => at + 0.5 >= from && at + 0.5 < to).map((at) => {
      const x = data.left + (at + 0.5 - from) * pitch;
      return `M${x - 3} ${y}l6 6M${x - 3} ${y + 6}l6 -6`;
    }).join(""));
    // Turned text takes a browser long, so names wait until the picture rests.
    this.names.replaceChildren();
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.names.replaceChildren(...this.named()), REST);
    this.mark(this.at, this.at + 1);
  }

  /** The names of the columns that are shown, as far as there is room. */
  named() {
    const { left, right, names, notes } = this.data;
    const pitch = (right - left) / (this.to - this.from);
    const isAcross = pitch >= ACROSS_FROM;
    const every = Math.max(1, Math.ceil(NAME_EVERY / pitch));
    const room = isAcross ? pitch - 12 : this.room;
    const first = Math.max(0, Math.ceil((this.from - 0.5) / every) * every);
    const even = Array.from({ length: Math.ceil((this.to - 0.5 - first) / every) }, (_, place) => first + place * every);
    /** @type {number[]} */
    const chosen = [];
    for (const at of [...this.steps, ...even]) {
      const isWithin = at + 0.5 >= this.from && at + 0.5 < this.to;
      if (isWithin && chosen.every((other) => Math.abs(other - at) * pitch >= NAME_EVERY - 2)) chosen.push(at);
    }
    return chosen.sort((one, other) => one - other).flatMap((at) => {
      const x = left + (at + 0.5 - this.from) * pitch;
      const y = this.span.bottom + (isAcross ? 22 : 14);
      const name = drawn("tspan", { class: "mono" }, [cut(names[at], room)]);
      if (isAcross) {
        const middle = { x, "font-size": 10.5, "text-anchor": "middle" };
        return [
          drawn("text", { ...middle, y }, [name]),
          drawn("text", { ...middle, y: y + 14, class: "quiet" }, [cut(notes[at], room)]),
        ];
      }
      const note = drawn("tspan", { class: "quiet" }, [cut(notes[at], room - span(`${names[at]} `))]);
      return [drawn("text", { x, y, "font-size": 10.5, transform: `rotate(90 ${x} ${y}) translate(0 3.8)` }, [name, " ", note])];
    });
  }
}

/**
 * The entries of the legend: marks with the words behind them.
 * @param {Element} svg
 */
function legend(svg) {
  /** @type {{entry: Element, wide: number}[]} */
  const entries = [];
  /** @type {Element[]} */
  let marks = [];
  for (const element of svg.querySelectorAll(":scope > .below ~ path, :scope > .below ~ text")) {
    marks.push(element);
    if (element.tagName !== "text") continue;
    const [x, y] = ["x", "y"].map((name) => Number(element.getAttribute(name)));
    const moved = drawn("g", { transform: `translate(${LEGEND.indent - x} ${-y})` }, marks);
    const entry = drawn("g", { class: "key" }, [moved]);
    svg.append(entry);
    entries.push({ entry, wide: LEGEND.indent + span(element.textContent ?? "") });
    marks = [];
  }
  return entries;
}

for (const [place, figure] of document.querySelectorAll("figure.picture").entries()) {
  const svg = figure.querySelector("svg");
  const text = figure.querySelector("script.data")?.textContent;
  if (!svg || !text) continue;
  const data = JSON.parse(text);
  if (data.kind === "columns" && data.names.length > 1) new Columns(svg, data, String(place + 1));
}
