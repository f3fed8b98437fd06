// What a picture says when its points are pointed at, for those who use a keyboard: arrow keys go
// from one to the next, and each is read out.

/** So far from a point a tap is still for it. */
const FINGER = 24;

for (const svg of /** @type {NodeListOf<SVGSVGElement>} */ (document.querySelectorAll("figure.picture svg"))) {
  const isSaid = (/** @type {Element} */ group) => group.querySelector(":scope > title") !== null;
  // Columns have keys of their own.
  if (svg.getAttribute("role") === "application") continue;
  const points = [...svg.querySelectorAll("g")].filter(isSaid);
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
    if (event.pointerType === "touch") return;
    const group = event.target instanceof Element ? event.target.closest("g") : null;
    const place = group ? points.indexOf(group) : -1;
    if (place >= 0) go(place);
  });
  // A finger is wider than a point: a tap is for the nearest one.
  svg.addEventListener("click", (event) => {
    if (/** @type {PointerEvent} */ (event).pointerType !== "touch") return;
    const distances = points.map((point) => {
      const { left, right, top, bottom } = point.getBoundingClientRect();
      const across = Math.max(left - event.clientX, 0, event.clientX - right);
      return Math.hypot(across, Math.max(top - event.clientY, 0, event.clientY - bottom));
    });
    const nearest = Math.min(...distances);
    if (nearest <= FINGER) go(distances.indexOf(nearest));
  });
}
