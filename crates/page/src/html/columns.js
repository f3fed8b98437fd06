// Panels over commits: a stretch of them is shown wider, the heights follow what is in it, and the
// axis is the one that the reader chose. Lines and bands are drawn anew from the figures; gaps,
// flags and all else that was drawn is moved along.

/** @typedef {{top: number, bottom: number, low: number, high: number, logarithmic: boolean,
 *   scales: Scales, estimates: string, name: string}} PanelData */
/** @typedef {{left: number, right: number, names: string[], notes: string[],
 *   remarks: Record<string, string>, repeated: number[], panels: PanelData[]}} ColumnData */

const AXES = /** @type {const} */ ({
  drawn: "as drawn",
  zero: "from zero",
  fit: "fitted",
  log: "logarithmic",
  ratio: "relative to the first",
});
/** @typedef {keyof typeof AXES} AxisName */

/** Values have a dot each from this distance on. */
const DOTS_FROM = 6;
/** From one name below the panels to the next. */
const NAME_EVERY = 16;
/** @type {Scales} */
const RATIO = [["", 1]];

/** @param {string} text */
function floats(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Float32Array(bytes.buffer);
}

/** A panel's values, and the elements that show them. */
class Panel {
  /**
   * @param {PanelData} data
   * @param {Element} group
   * @param {string} clip
   */
  constructor(data, group, clip) {
    this.data = data;
    this.group = group;
    const all = floats(data.estimates);
    const count = all.length / 3;
    [this.values, this.lows, this.highs] = [0, 1, 2].map((part) =>
      all.subarray(part * count, (part + 1) * count));
    this.first = this.values.find((value) => Number.isFinite(value)) ?? Number.NaN;
    const part = (/** @type {string} */ name) => group.querySelector(name);
    this.under = part(".under");
    this.ticks = part(".ticks");
    this.band = part(".band");
    this.line = part(".line");
    this.dots = part(".dots");
    this.repeated = part(".repeated");
    this.changes = [...group.querySelectorAll(".change")].map((change) => {
      const pole = /** @type {SVGGraphicsElement | null} */ (change.querySelector(".pole"));
      return { change, x: pole ? pole.getBBox().x : 0 };
    });
    for (const moved of [this.under, part(".values")]) moved?.setAttribute("clip-path", `url(#${clip})`);
  }

  /**
   * The least and the largest value that is shown of some columns; none where there is no value.
   * @param {number} from
   * @param {number} to
   * @returns {[number, number] | null}
   */
  range(from, to) {
    let [least, most] = [Infinity, -Infinity];
    for (let at = from; at < to; at += 1) {
      const value = this.values[at];
      if (!Number.isFinite(value)) continue;
      const [low, high] = [this.lows[at], this.highs[at]];
      least = Math.min(least, Number.isFinite(low) ? Math.max(low, value - Math.abs(value)) : value);
      most = Math.max(most, Number.isFinite(high) ? Math.min(high, value + Math.abs(value)) : value);
    }
    return least <= most ? [least, most] : null;
  }

  /**
   * The ends of the vertical axis, and how heights follow from values.
   * @param {number} from
   * @param {number} to
   * @param {AxisName} axis
   */
  vertical(from, to, axis) {
    const { low, high, logarithmic, scales } = this.data;
    if (axis === "drawn" && to - from === this.values.length) {
      return { low, high, isLogarithmic: logarithmic, unit: 1, scales };
    }
    const range = this.range(from, to) ?? [low, high];
    const unit = axis === "ratio" && this.first > 0 ? this.first : 1;
    const [least, most] = range.map((value) => value / unit);
    const air = 0.06 * (most - least || Math.abs(most) || 1);
    const own = axis === "ratio" ? RATIO : scales;
    if ((axis === "log" || (axis === "drawn" && logarithmic)) && least > 0) {
      const factor = Math.max(1.05, (most / least) ** 0.06);
      return { low: least / factor, high: most * factor, isLogarithmic: true, unit, scales: own };
    }
    const isFromZero = axis === "zero" || (axis === "drawn" && low === 0);
    return {
      low: isFromZero ? Math.min(0, least) : least - air,
      high: most + air,
      isLogarithmic: false,
      unit,
      scales: own,
    };
  }

  /**
   * Shows the columns from `from` to `to`, which may lie within a column.
   * @param {ColumnData} figure
   * @param {number} from
   * @param {number} to
   * @param {AxisName} axis
   */
  show(figure, from, to, axis) {
    const { left, right } = figure;
    const { top, bottom } = this.data;
    const [begin, end] = [Math.max(0, Math.floor(from)), Math.min(this.values.length, Math.ceil(to))];
    const { low, high, isLogarithmic, unit, scales } = this.vertical(begin, end, axis);
    const share = isLogarithmic
      ? (/** @type {number} */ value) => Math.log(value / low) / Math.log(high / low)
      : (/** @type {number} */ value) => (value - low) / (high - low);
    const pitch = (right - left) / (to - from);
    const x = (/** @type {number} */ at) => left + (at - from) * pitch;
    const y = (/** @type {number} */ value) => {
      const part = share(value / unit);
      return bottom - Math.min(1, Math.max(0, Number.isFinite(part) ? part : 0)) * (bottom - top);
    };
    this.outline(begin, end, pitch, x, y);
    this.scale(ticks(low, high, scales, isLogarithmic), (value) => y(value * unit), figure);
    // What was drawn stands where a column was as wide as all of them allowed.
    const was = (right - left) / this.values.length;
    const times = pitch / was;
    this.under?.setAttribute("transform", `matrix(${times} 0 0 1 ${left - times * (left + from * was)} 0)`);
    for (const { change, x: place } of this.changes) {
      const now = x((place - left) / was);
      change.setAttribute("transform", `translate(${now - place} 0)`);
      change.classList.toggle("hidden", now < left - 0.01 || now > right + 0.01);
    }
  }

  /**
   * The line, the band and the dots of some columns.
   * @param {number} begin
   * @param {number} end
   * @param {number} pitch
   * @param {(at: number) => number} x
   * @param {(value: number) => number} y
   */
  outline(begin, end, pitch, x, y) {
    const { values, lows, highs } = this;
    // So many columns share a step of the line where they are narrower than a pixel.
    const every = Math.max(1, Math.floor(1 / pitch));
    let [line, dots, repeated] = ["", "", ""];
    /** @type {string[]} */
    let [upper, lower] = [[], []];
    let band = "";
    const close = () => {
      if (upper.length > 0) band += `M${upper.join("L")}L${lower.reverse().join("L")}z`;
      [upper, lower] = [[], []];
    };
    let isOpen = false;
    const first = begin - (begin % every);
    for (let at = first; at < end; at += every) {
      let [least, most, low, high, last] = [Infinity, -Infinity, Infinity, -Infinity, Number.NaN];
      for (let one = at; one < Math.min(at + every, values.length); one += 1) {
        const value = values[one];
        if (!Number.isFinite(value)) continue;
        least = Math.min(least, value);
        most = Math.max(most, value);
        low = Math.min(low, Number.isFinite(lows[one]) ? lows[one] : value);
        high = Math.max(high, Number.isFinite(highs[one]) ? highs[one] : value);
        last = value;
      }
      if (least > most) {
        isOpen = false;
        close();
        continue;
      }
      const [from, to] = [x(at).toFixed(1), x(at + every).toFixed(1)];
      const height = y(last).toFixed(1);
      line += `${isOpen ? "L" : "M"}${from} ${height}`;
      if (least < most) line += `V${y(least).toFixed(1)}V${y(most).toFixed(1)}V${height}`;
      line += `H${to}`;
      isOpen = true;
      const [above, below] = [y(high).toFixed(1), y(low).toFixed(1)];
      upper.push(`${from} ${above}`, `${to} ${above}`);
      lower.push(`${from} ${below}`, `${to} ${below}`);
      if (pitch >= DOTS_FROM) {
        const dot = `M${(x(at + 0.5) - 2.4).toFixed(1)} ${height}a2.4 2.4 0 1 1 0 .01z`;
        if (this.again?.has(at)) repeated += dot;
        else dots += dot;
      }
    }
    close();
    this.line?.setAttribute("d", line);
    this.band?.setAttribute("d", band);
    this.dots?.setAttribute("d", dots);
    this.repeated?.setAttribute("d", repeated);
  }

  /**
   * The lines and labels of the vertical axis.
   * @param {{value: number, label: string}[]} all
   * @param {(value: number) => number} y
   * @param {ColumnData} figure
   */
  scale(all, y, { left, right }) {
    const lines = all.map(({ value }) => `M${left} ${y(value).toFixed(1)}H${right}`).join("");
    const labels = all.map(({ value, label }) =>
      drawn("text", { class: "quiet", x: left - 7, y: y(value) + 3.8, "font-size": 10.5, "text-anchor": "end" },
        [label]));
    this.ticks?.replaceChildren(drawn("path", { class: "grid", d: lines }), ...labels);
  }

  /** @param {number} at */
  said(at) {
    const { name, scales } = this.data;
    const [value, low, high] = [this.values[at], this.lows[at], this.highs[at]];
    if (!Number.isFinite(value)) return `${name}: no reading`;
    const interval = low < high ? ` [${quantity(low, scales)}, ${quantity(high, scales)}]` : "";
    return `${name}: ${quantity(value, scales)}${interval}`;
  }
}

/** A picture of panels, and what of it is shown. */
class Columns {
  /**
   * @param {SVGSVGElement} svg
   * @param {ColumnData} data
   * @param {string} key
   */
  constructor(svg, data, key) {
    [this.svg, this.data, this.key] = [svg, data, key];
    this.count = data.names.length;
    [this.from, this.to, this.at] = [0, this.count, -1];
    /** @type {AxisName} */
    this.axis = "drawn";
    this.waits = false;
    const clip = `clip-${key}`;
    const { top } = data.panels[0];
    const { bottom } = data.panels[data.panels.length - 1];
    const area = { x: data.left, y: 0, width: data.right - data.left, height: bottom + 1 };
    svg.append(drawn("clipPath", { id: clip }, [drawn("rect", area)]));
    const groups = svg.querySelectorAll(".panel");
    this.panels = data.panels.map((panel, place) => new Panel(panel, groups[place], clip));
    for (const panel of this.panels) panel.again = new Set(data.repeated);
    this.below = svg.querySelector(".below");
    this.names = drawn("g", {});
    this.cursor = drawn("path", { class: "cursor" });
    this.span = { top, bottom };
    svg.append(this.names, this.cursor);
    svg.querySelector(".columns")?.remove();
    this.controls();
    this.listen();
    follow(`zoom${key}`, (text) => this.restore(text));
    follow(`axis${key}`, (text) => this.scaled(text !== null && text in AXES ? /** @type {AxisName} */ (text) : "drawn"));
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
      const [from, here] = [begun, this.place(event)];
      begun = null;
      this.mark(this.at, this.at + 1);
      if (from === null) return;
      const pixels = (Math.abs(here - from) / (this.to - this.from)) * (this.data.right - this.data.left);
      if (pixels > 5) this.window(Math.floor(Math.min(from, here)), Math.ceil(Math.max(from, here)));
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
        "+": () => this.zoomed(0.5, this.at),
        "=": () => this.zoomed(0.5, this.at),
        "-": () => this.zoomed(2, this.at),
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
   * Marks some columns.
   * @param {number} from
   * @param {number} to
   */
  mark(from, to) {
    const { left, right } = this.data;
    const x = (/** @type {number} */ at) => left + ((at - this.from) / (this.to - this.from)) * (right - left);
    const [begin, end] = [x(Math.min(from, to)), x(Math.max(from, to))].map((place) =>
      Math.min(right, Math.max(left, place)));
    this.cursor.setAttribute("d", `M${begin} ${this.span.top}H${Math.max(end, begin + 1)}V${this.span.bottom}H${begin}z`);
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
    const [from, to] = parts ? [Number(parts[1]), Number(parts[2])] : [0, this.count];
    const isWithin = from < to && to <= this.count;
    [this.from, this.to] = isWithin ? [from, to] : [0, this.count];
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
    this.names.replaceChildren(...(isAll ? [] : this.named()));
    this.mark(this.at, this.at + 1);
  }

  /** The names of the columns that are shown, as far as there is room. */
  named() {
    const { left, right, names, notes } = this.data;
    const pitch = (right - left) / (this.to - this.from);
    const every = Math.max(1, Math.ceil(NAME_EVERY / pitch));
    const all = [];
    const first = Math.ceil(this.from / every) * every;
    for (let at = first; at + 0.5 < this.to; at += every) {
      const x = left + (at + 0.5 - this.from) * pitch;
      const y = this.span.bottom + 8;
      const text = `${names[at]} ${notes[at]}`.trim();
      const shown = text.length > 28 ? `${text.slice(0, 27)}…` : text;
      all.push(drawn("text", { class: "quiet", x, y, "font-size": 10.5, transform: `rotate(90 ${x} ${y})` }, [shown]));
    }
    return all;
  }
}

for (const [place, figure] of document.querySelectorAll("figure.picture").entries()) {
  const svg = figure.querySelector("svg");
  const text = figure.querySelector("script.data")?.textContent;
  if (!svg || !text) continue;
  const data = JSON.parse(text);
  if (data.kind === "columns" && data.names.length > 1) new Columns(svg, data, String(place + 1));
}
