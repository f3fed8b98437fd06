// One panel over commits: a stretch of them is shown wider, the heights follow what is in it, and the
// axis is the one that the reader chose. Lines and bands are drawn anew from the figures; gaps,
// flags and all else that was drawn is moved along.

/** @typedef {{top: number, bottom: number, low: number, high: number, logarithmic: boolean,
 *   scales: Scales, estimates: string, name: string}} PanelData */
/** @typedef {{first: number, last: number | null, better: boolean, up: boolean, text: string,
 *   tooltip: string}} ChangeData */
/** @typedef {{name: string, panels: (Omit<PanelData, "top" | "bottom"> & {ends: string, note: string,
 *   changes: ChangeData[]})[]}} ChoiceData */
/** @typedef {{left: number, right: number, names: string[], notes: string[],
 *   by: string[],
 *   remarks: Record<string, string>, repeated: number[], crossed: number[],
 *   panels: PanelData[], choices: ChoiceData[]}} ColumnData */

const AXES = /** @type {const} */ ({
  drawn: "default",
  zero: "from zero",
  fit: "fitted to the values",
  log: "logarithmic",
  ratio: "relative to the first commit",
});
/** @typedef {keyof typeof AXES} AxisName */

/** Values have a dot each from this distance on. */
const DOTS_FROM = 6;
/** The line of narrower columns is filled: to stroke thousands of corners takes a browser too long. */
const STROKES_FROM = 2;
/** Half the thickness of the line of narrow columns. */
const HALF_LINE = 0.65;
/** The distance from a pole to the words of its flag. */
const FLAG_INDENT = 12;
/** @type {Scales} */
const RATIO = [["", 1]];

/** @param {string} text */
function floats(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return new Float32Array(bytes.buffer);
}

/**
 * As exact as can be seen, and written in few letters.
 * @param {number} place
 */
function tenths(place) {
  return Math.round(10 * place) / 10;
}

/** What lies between an upper edge and a lower one, as a path. */
class Ribbon {
  path = "";
  /** @type {string[]} */
  upper = [];
  /** @type {string[]} */
  lower = [];

  get isOpen() {
    return this.upper.length > 0;
  }

  /**
   * The next step to the right.
   * @param {number} from
   * @param {number} to
   * @param {number} above
   * @param {number} below
   */
  add(from, to, above, below) {
    this.upper.push(`${from} ${above}H${to}`);
    this.lower.push(`${to} ${below}H${from}`);
  }

  /** What comes next begins anew. */
  end() {
    if (this.isOpen) this.path += `M${this.upper.join("L")}L${this.lower.reverse().join("L")}z`;
    this.upper = [];
    this.lower = [];
  }
}

/** A panel's values, and the elements that show them. */
class Panel {
  /**
   * @param {PanelData} data
   * @param {Set<number>} again the columns whose values are those of another
   * @param {Element} group
   * @param {{clip: string, right: number}} picture its right edge as drawn
   */
  constructor(data, again, group, { clip, right }) {
    this.drawnRight = right;
    this.again = again;
    this.group = group;
    this.data = data;
    this.values = this.lows = this.highs = new Float32Array();
    this.first = Number.NaN;
    this.read();
    this.under = group.querySelector(".under");
    this.ticks = group.querySelector(".ticks");
    const values = group.querySelector(".values");
    // What is empty was left out.
    const part = (/** @type {string} */ name) => {
      const path = values?.querySelector(`.${name}`) ?? drawn("path", { class: name });
      values?.append(path);
      return path;
    };
    this.band = part("band");
    this.line = part("line");
    this.dots = part("dots");
    this.repeated = part("repeated");
    this.cut = part("cut");
    // Numbers stay readable above what is drawn.
    this.numbers = drawn("g", { class: "ticks numbers" });
    this.axis = group.querySelector(":scope > .axis");
    const texts = [...group.querySelectorAll(":scope > text")];
    this.title = texts.find((text) => text.classList.contains("name"));
    this.ends = texts.find((text) => text.getAttribute("text-anchor") === "end");
    this.note = texts.find((text) => text !== this.title && text !== this.ends);
    this.written = { title: this.title?.textContent ?? "", note: this.note?.textContent ?? "", ends: this.ends?.textContent ?? "" };
    group.append(this.numbers);
    this.changes = this.found();
    for (const moved of [this.under, values]) moved?.setAttribute("clip-path", `url(#${clip})`);
  }

  /** The values, from the data. */
  read() {
    const all = floats(this.data.estimates);
    const count = all.length / 3;
    this.values = all.subarray(0, count);
    this.lows = all.subarray(count, 2 * count);
    this.highs = all.subarray(2 * count);
    this.first = this.values.find((value) => Number.isFinite(value)) ?? Number.NaN;
  }

  /** The changes that are drawn, from the right to the left. A pole goes straight down from where it begins. */
  found() {
    return [...this.group.querySelectorAll(".change")].map((change) => {
      const outline = change.querySelector(".pole")?.getAttribute("d") ?? "";
      const x = Number.parseFloat(outline.slice(1));
      return { change, x, now: x, isShown: true, words: change.querySelector("text") };
    }).sort((one, other) => other.x - one.x);
  }

  /**
   * Takes the values of another choice.
   * @param {ChoiceData["panels"][number]} data
   * @param {ColumnData} figure
   */
  take(data, { left, crossed }) {
    const { top, bottom } = this.data;
    this.data = { ...data, top, bottom };
    this.read();
    this.written = { title: data.name, note: data.note, ends: data.ends };
    if (this.ends) this.ends.textContent = data.ends;
    const was = (this.drawnRight - left) / this.values.length;
    const box = (/** @type {number} */ from, /** @type {number} */ to) =>
      `M${left + from * was} ${top}H${left + to * was}V${bottom}H${left + from * was}z`;
    const without = [...this.values.keys()].filter((at) => !Number.isFinite(this.values[at]));
    const isCrossed = new Set(crossed);
    const gaps = (/** @type {boolean} */ is) =>
      without.filter((at) => isCrossed.has(at) === is).map((at) => box(at, at + 1)).join("");
    const stretches = data.changes.filter(({ last }) => last !== null)
      .map(({ first, last }) => drawn("path", { class: "stretch", d: box(first, Number(last) + 1) }));
    this.under?.replaceChildren(
      drawn("path", { class: "gap", d: gaps(false) }), drawn("path", { class: "crossed", d: gaps(true) }), ...stretches);
    for (const { change } of this.changes) change.remove();
    for (const { first, better, up, text, tooltip } of data.changes) {
      const [x, side] = [left + first * was, better ? "better" : "worse"];
      const [y, tip] = [top - 11.5, up ? -3.2 : 3.2];
      this.group.append(drawn("g", { class: "change" }, [
        drawn("title", {}, [tooltip]),
        drawn("path", { class: `pole ${side}`, d: `M${x} ${y - 5}V${bottom}` }),
        drawn("path", { class: "target", d: `M${x - 3} ${y - 5}h6V${bottom}h-6z` }),
        drawn("path", { class: `flag ${side}`, d: `M${x + 2.1} ${y - tip}h6.8l-3.4 ${2 * tip}z` }),
        drawn("text", { class: side, x: x + FLAG_INDENT, y: y + 3.8, "font-size": 10.5 }, [text]),
      ]));
    }
    this.changes = this.found();
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
    this.cuts(begin, end, pitch, x, (value) => share(value / unit));
    this.scale(ticks(low, high, scales, isLogarithmic), (value) => y(value * unit), figure);
    // What was drawn stands where a column was as wide as all of them allowed.
    const was = (this.drawnRight - left) / this.values.length;
    const times = pitch / was;
    this.under?.setAttribute("transform", `matrix(${times} 0 0 1 ${left - times * (left + from * was)} 0)`);
    for (const one of this.changes) {
      one.now = x((one.x - left) / was);
      const isShown = one.now > left - 0.01 && one.now < right + 0.01;
      if (isShown) one.change.setAttribute("transform", `translate(${(one.now - one.x).toFixed(1)} 0)`);
      if (isShown !== one.isShown) one.change.classList.toggle("hidden", !isShown);
      one.isShown = isShown;
    }
    this.flags(right);
  }

  /**
   * The words of the flags: to the left of a pole at the right end, and not over others.
   * @param {number} right
   */
  flags(right) {
    /** @type {{height: number, begin: number}[]} */
    const shown = [];
    for (const { now, x, isShown, words } of this.changes) {
      if (!isShown || !words) continue;
      const width = FLAG_INDENT + span(words.textContent ?? "");
      const isTurned = now + width > right + MARGIN;
      const [begin, end] = isTurned ? [now - width + FLAG_INDENT - 5, now] : [now, now + width];
      words.setAttribute("x", String(isTurned ? x - 5 : x + FLAG_INDENT));
      words.setAttribute("text-anchor", isTurned ? "end" : "start");
      // The poles of higher flags are in the way, too.
      const height = Number(words.getAttribute("y"));
      const isFree = shown.every((other) => other.height > height || other.begin >= end);
      words.classList.toggle("hidden", !isFree);
      shown.push({ height, begin: isFree ? begin : now });
    }
  }

  /**
   * What does not depend on the columns that are shown.
   * @param {ColumnData} figure
   */
  place({ left, right }) {
    const { top, bottom } = this.data;
    this.axis?.setAttribute("d", `M${left} ${top}V${bottom}H${right}`);
    const { title, note, ends } = this.written;
    const taken = span(title, 13) + (note === "" ? 0 : MARGIN + span(note));
    const isFree = left + taken + MARGIN + span(ends) <= right;
    this.ends?.setAttribute("x", String(right));
    this.ends?.classList.toggle("hidden", !isFree);
    if (this.title) this.title.textContent = cut(title, right - left, 13);
    if (this.note) {
      const room = right - Number(this.note.getAttribute("x"));
      this.note.replaceChildren(cut(note, room), drawn("title", {}, [note]));
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
    const band = new Ribbon();
    const mass = new Ribbon();
    /** The value of the step before; none behind a gap. */
    let before = Number.NaN;
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
        before = Number.NaN;
        band.end();
        mass.end();
        continue;
      }
      const from = tenths(x(at));
      const to = tenths(x(at + every));
      if (low < high || band.isOpen) band.add(from, to, tenths(y(high)), tenths(y(low)));
      if (pitch < STROKES_FROM) {
        // From where the step before ended.
        if (before > most) most = before;
        if (before < least) least = before;
        mass.add(from, to, tenths(y(most) - HALF_LINE), tenths(y(least) + HALF_LINE));
      } else {
        const height = tenths(y(last));
        line += `${Number.isNaN(before) ? "M" : "L"}${from} ${height}H${to}`;
        if (pitch >= DOTS_FROM) {
          const dot = `M${tenths(x(at + 0.5) - 2.4)} ${height}a2.4 2.4 0 1 1 0 .01z`;
          if (this.again.has(at)) repeated += dot;
          else dots += dot;
        }
      }
      before = last;
    }
    band.end();
    mass.end();
    this.line.setAttribute("d", line);
    this.band.setAttribute("d", band.path);
    // What is filled in the colour of the line: either there are dots, or columns are too narrow.
    this.dots.setAttribute("d", dots + mass.path);
    this.repeated.setAttribute("d", repeated);
  }

  /**
   * Arrows where intervals go on beyond the axis.
   * @param {number} begin
   * @param {number} end
   * @param {number} pitch
   * @param {(at: number) => number} x
   * @param {(value: number) => number} share
   */
  cuts(begin, end, pitch, x, share) {
    const { top, bottom } = this.data;
    let path = "";
    for (let at = begin; pitch >= DOTS_FROM && at < end; at += 1) {
      const middle = tenths(x(at + 0.5));
      if (share(this.highs[at]) > 1) path += `M${middle} ${top}l-3 6h6z`;
      if (share(this.lows[at]) < 0) path += `M${middle} ${bottom}l-3 -6h6z`;
    }
    this.cut.setAttribute("d", path);
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
    this.ticks?.replaceChildren(drawn("path", { class: "grid", d: lines }));
    const top = Number(this.title?.getAttribute("y") ?? this.data.top) + 4;
    const pane = drawn("rect", { class: "paper pane", x: 0, y: top, width: left, height: this.data.bottom - top + 8 });
    this.numbers.replaceChildren(pane, ...labels);
  }

  /** @param {number} at */
  said(at) {
    const { name, scales } = this.data;
    const [value, low, high] = [this.values[at], this.lows[at], this.highs[at]];
    if (!Number.isFinite(value)) return `${name}: no reading`;
    const interval = low < high ? ` [${quantity(low, scales)}, ${quantity(high, scales)}]` : "";
    const bound = Number.isNaN(low) ? "<= " : "";
    return `${name}: ${bound}${quantity(value, scales)}${interval}`;
  }
}
