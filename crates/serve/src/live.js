// While something is measured, the page is fetched anew whenever the server says that there is more.
// What a reader chose stays: it is in the address, and what was unfolded is remembered here.

const OPEN = `open ${location.pathname}`;
const folds = () => [...document.querySelectorAll("details")];

for (const [place, fold] of folds().entries()) {
  fold.open = (sessionStorage.getItem(OPEN) ?? "").split(",").includes(String(place));
}
sessionStorage.removeItem(OPEN);

/** Whether somebody is in the middle of something here. */
function isBusy() {
  const chosen = getSelection();
  const ticked = document.querySelector("main input:checked") !== null;
  return ticked || document.activeElement?.matches("input, select") || (chosen !== null && !chosen.isCollapsed);
}

function again() {
  if (isBusy()) {
    setTimeout(again, 2000);
    return;
  }
  const open = folds().flatMap((fold, place) => (fold.open ? [place] : []));
  sessionStorage.setItem(OPEN, open.join(","));
  location.reload();
}

/** @type {EventSource | null} */
let source = null;

// A page that nobody sees costs the server nothing, and browsers allow few connections.
function listen() {
  const events = document.getElementById("live")?.dataset.events;
  if (document.hidden || !events) {
    source?.close();
    source = null;
  } else if (source === null) {
    source = new EventSource(events);
    source.onmessage = () => {
      source?.close();
      again();
    };
  }
}

// Looking must not disturb the measurement: a page that took long to make is made rarely.
const [visit] = performance.getEntriesByType("navigation");
setTimeout(() => {
  listen();
  document.addEventListener("visibilitychange", listen);
}, Math.max(3000, 20 * (visit?.duration ?? 0)));
