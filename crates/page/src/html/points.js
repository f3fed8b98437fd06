// What a picture says when its points are pointed at, for those who use a keyboard: arrow keys go
// from one to the next, and each is read out.

for (const svg of document.querySelectorAll("figure.picture svg")) {
  const isSaid = (/** @type {Element} */ group) => group.querySelector(":scope > title") !== null;
  // Columns have keys of their own.
  if (svg.getAttribute("role") === "application") continue;
  const points = [...svg.querySelectorAll("g, a")].filter(isSaid);
  if (points.length === 0) continue;
  svg.setAttribute("tabindex", "0");
  svg.setAttribute("role", "application");
  let at = -1;
  /** @param {number} next */
  const go = (next) => {
    points[at]?.classList.remove("here");
    at = Math.min(points.length - 1, Math.max(0, next));
    points[at].classList.add("here");
    say(points[at].querySelector(":scope > title")?.textContent ?? "");
  };
  svg.addEventListener("keydown", (event) => {
    const { key, shiftKey } = /** @type {KeyboardEvent} */ (event);
    const step = shiftKey ? 10 : 1;
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowRight: () => go(at + step),
      ArrowDown: () => go(at + step),
      ArrowLeft: () => go(at - step),
      ArrowUp: () => go(at - step),
      Home: () => go(0),
      End: () => go(points.length - 1),
      Enter: () => points[at]?.dispatchEvent(new MouseEvent("click", { bubbles: true })),
    };
    if (!(key in keys)) return;
    event.preventDefault();
    keys[key]();
  });
  svg.addEventListener("pointerover", (event) => {
    const group = event.target instanceof Element ? event.target.closest("g, a") : null;
    const place = group ? points.indexOf(group) : -1;
    if (place >= 0) go(place);
  });
}
