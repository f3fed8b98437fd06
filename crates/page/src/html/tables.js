// Tables are sorted by a click on a heading, and of long ones a word leaves those rows that have it.

/** So long a table can be searched. */
const SEARCHED_FROM = 12;

/** How many of the plain unit each of these is. */
const FACTORS = new Map([
  ["ns", 1e-9], ["µs", 1e-6], ["ms", 1e-3], ["s", 1], ["min", 60], ["h", 3600],
  ["kB", 1e3], ["MB", 1e6], ["GB", 1e9], ["TB", 1e12], ["kHz", 1e3], ["MHz", 1e6], ["GHz", 1e9],
]);
/** A number with what may stand before it, its spread and its unit; not what only begins with digits. */
const AMOUNT = /^[^\p{L}\d\-−]*([\-−]?\d+(?:\.\d+)?)(?: ± [\d.]+)?(?:%|$|[ \[]+(\p{L}*))/u;

/**
 * By what a cell is sorted: its amount in the plain unit, or its text.
 * @param {Element | undefined} cell
 */
function sortKey(cell) {
  const text = cell?.textContent?.trim() ?? "";
  const given = cell?.getAttribute("data-value");
  if (given) return { number: Number(given), text };
  const [, digits = "", unit = ""] = AMOUNT.exec(text) ?? [];
  const number = digits === "" ? Number.NaN : Number(digits.replace("−", "-")) * (FACTORS.get(unit) ?? 1);
  return { number, text };
}

/**
 * @param {HTMLTableElement} table
 * @param {string} key
 */
function sorted(table, key) {
  const body = table.tBodies[0];
  const rows = [...(body?.rows ?? [])];
  const headings = [...(table.tHead?.querySelectorAll("th") ?? [])];
  // Rows that explain the row above them would lose it.
  const named = headings[0]?.cellIndex ?? 0;
  const isPlain = rows.length > 1 && rows.every((row) => row.cells[named]?.textContent !== "");
  if (!isPlain) return;
  /** @param {string | null} text */
  const apply = (text) => {
    const [column, order] = (text ?? "").split("-");
    const at = Number(column);
    const sign = order === "descending" ? -1 : 1;
    const isChosen = (order === "ascending" || order === "descending") && headings.some((heading) => heading.cellIndex === at);
    for (const heading of headings) {
      if (isChosen && heading.cellIndex === at) heading.setAttribute("aria-sort", order);
      else heading.removeAttribute("aria-sort");
    }
    const keys = new Map(rows.map((row) => [row, sortKey(row.cells[at])]));
    const compare = (/** @type {HTMLTableRowElement} */ a, /** @type {HTMLTableRowElement} */ b) => {
      const [one, other] = [keys.get(a), keys.get(b)];
      if (!one || !other) return 0;
      const isAmount = !Number.isNaN(one.number);
      // What has no amount is last in both orders.
      if (isAmount !== !Number.isNaN(other.number)) return isAmount ? -1 : 1;
      if (isAmount) return sign * (one.number - other.number);
      return sign * one.text.localeCompare(other.text, undefined, { numeric: true });
    };
    body.append(...(isChosen ? [...rows].sort(compare) : rows));
  };
  for (const heading of headings) {
    const button = made("button", { type: "button" }, [...heading.childNodes]);
    heading.append(button);
    button.addEventListener("click", () => {
      const now = heading.getAttribute("aria-sort");
      const next = now === null ? "ascending" : now === "ascending" ? "descending" : null;
      const text = next === null ? null : `${heading.cellIndex}-${next}`;
      choose(key, text);
      apply(text);
    });
  }
  follow(key, apply);
}

/**
 * @param {HTMLTableElement} table
 * @param {string} key
 */
function searched(table, key) {
  const rows = [...(table.tBodies[0]?.rows ?? [])];
  if (rows.length < SEARCHED_FROM) return;
  const field = /** @type {HTMLInputElement} */ (made("input", { type: "search", "aria-label": "Filter rows" }));
  const count = made("span", { class: "quiet", role: "status" });
  /** @param {string | null} text */
  const apply = (text) => {
    const wanted = (text ?? "").toLowerCase();
    if (field.value !== (text ?? "")) field.value = text ?? "";
    let shown = 0;
    for (const row of rows) {
      row.hidden = !(row.textContent ?? "").toLowerCase().includes(wanted);
      if (!row.hidden) shown += 1;
    }
    count.textContent = wanted === "" ? "" : `${shown} of ${rows.length} rows`;
  };
  field.addEventListener("input", () => {
    choose(key, field.value === "" ? null : field.value);
    apply(field.value);
  });
  table.parentElement?.before(made("div", { class: "controls" }, [made("label", {}, ["Filter ", field]), count]));
  follow(key, apply);
}

for (const [place, table] of document.querySelectorAll("table").entries()) {
  sorted(table, `sort${place + 1}`);
  searched(table, `rows${place + 1}`);
}
