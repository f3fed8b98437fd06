// Clicking a box makes it as wide as the picture; "search" marks the boxes whose names match.

/** @typedef {{group: Element, box: Element, label: Element, name: string,
 *   left: number, right: number, top: number, height: number}} Frame */

const INSIDE = 3;

/** @param {Element} svg */
function flame(svg) {
  /** @type {Frame[]} */
  const frames = [...svg.querySelectorAll(".stack")].map((group) => {
    const box = /** @type {SVGPathElement} */ (group.querySelector("path"));
    const { x, y, width, height } = box.getBBox();
    const label = /** @type {Element} */ (group.querySelector("text"));
    const name = (group.querySelector("title")?.textContent ?? "").replace(/ \([^(]*\)$/, "");
    return { group, box, label, name, left: x, right: x + width, top: y, height };
  });
  if (frames.length === 0) return;
  // Boxes come from the lowest up, so the first is the one below all others.
  const [whole] = frames;
  /** The width of a letter: the font is one in which all are as wide. */
  const letter = 0.602 * Number(whole.label.getAttribute("font-size"));

  /** @param {Frame} chosen */
  const zoom = (chosen) => {
    const scale = (whole.right - whole.left) / (chosen.right - chosen.left);
    /** @param {number} x */
    const place = (x) =>
      Math.min(whole.right, Math.max(whole.left, whole.left + (x - chosen.left) * scale));
    for (const { group, box, label, name, left, right, top, height } of frames) {
      const [from, to] = [place(left), place(right)];
      group.classList.toggle("hidden", to - from < 0.1);
      group.classList.toggle("faded", top > chosen.top + 1);
      box.setAttribute("d", `M${from} ${top}h${to - from}v${height}h${from - to}z`);
      label.setAttribute("x", String(from + INSIDE));
      const room = Math.floor((to - from - 2 * INSIDE) / letter);
      label.textContent = name.length <= room ? name : room > 1 ? name.slice(0, room - 1) + "…" : "";
    }
  };

  const search = () => {
    const words = prompt("Which functions? (a regular expression; nothing ends the search)");
    if (words === null) return;
    /** @type {RegExp} */
    let wanted;
    try {
      wanted = new RegExp(words);
    } catch {
      return;
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
    const share = ((found / (whole.right - whole.left)) * 100).toFixed(2);
    const said = svg.querySelector(".found-share");
    if (said) said.textContent = words === "" ? "" : `found: ${share}%`;
  };

  for (const frame of frames) frame.group.addEventListener("click", () => zoom(frame));
  svg.querySelector(".search")?.addEventListener("click", search);
}

for (const svg of document.querySelectorAll("svg")) flame(svg);
