// Tables are sorted by a click on a heading, and of long ones a word leaves those rows that have it.

/** So long a table can be searched. */
const SEARCHED_FROM = 12;

/** @param {Element | undefined} cell */
function sortKey(cell) {
  const given = cell?.getAttribute("data-value");
  const text = cell?.textContent?.trim() ?? "";
  const number = given ? Number(given) : Number.parseFloat(text.replace(/^[<>≤≥~×÷]+\s*/, ""));
  return { number, text };
}

/**
 * @param {HTMLTableElement} table
 * @param {string} key
 */
function sorted(table, key) {
  const body = table.tBodies[0];
  const rows = [...body.rows];
  // Rows that explain the row above them would lose it.
  const isPlain = rows.length > 1 && rows.every((row) => row.cells[0]?.textContent !== "");
  if (!isPlain) return;
  const headings = [...(table.tHead?.querySelectorAll("th") ?? [])];
  /** @param {string | null} text */
  const apply = (text) => {
    const [column, order] = (text ?? "").split("-");
    const at = Number(column);
    const sign = order === "descending" ? -1 : 1;
    const isChosen = text !== null && headings.some((heading) => heading.cellIndex === at);
    for (const heading of headings) {
      if (isChosen && heading.cellIndex === at) heading.setAttribute("aria-sort", order);
      else heading.removeAttribute("aria-sort");
    }
    const keys = new Map(rows.map((row) => [row, sortKey(row.cells[at])]));
    const compare = (/** @type {HTMLTableRowElement} */ a, /** @type {HTMLTableRowElement} */ b) => {
      const [one, other] = [keys.get(a), keys.get(b)];
      if (!one || !other) return 0;
      const [isNumber, areBoth] = [!Number.isNaN(one.number), !Number.isNaN(one.number) && !Number.isNaN(other.number)];
      if (areBoth) return sign * (one.number - other.number);
      if (isNumber !== !Number.isNaN(other.number)) return isNumber ? -1 : 1;
      return sign * one.text.localeCompare(other.text);
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
  const rows = [...table.tBodies[0].rows];
  if (rows.length < SEARCHED_FROM) return;
  const field = /** @type {HTMLInputElement} */ (made("input", { type: "search", "aria-label": "rows with this text" }));
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
  table.parentElement?.before(made("div", { class: "controls" }, [made("label", {}, ["rows with ", field]), count]));
  follow(key, apply);
}

for (const [place, table] of document.querySelectorAll("table").entries()) {
  sorted(table, `sort${place + 1}`);
  searched(table, `rows${place + 1}`);
}
