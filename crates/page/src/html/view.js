// What a reader chose is in the address behind `#`, so that it can be sent and kept: `zoom1=10-40`.

/** @type {Map<string, (value: string | null) => void>} */
const watchers = new Map();

function chosen() {
  return new URLSearchParams(location.hash.slice(1));
}

/**
 * Has `apply` follow what the address says of `key`, now and whenever it changes.
 * @param {string} key
 * @param {(value: string | null) => void} apply
 */
function follow(key, apply) {
  watchers.set(key, apply);
  apply(chosen().get(key));
}

/** @type {number | undefined} */
let pending;
/** @type {Map<string, string | null>} */
const unwritten = new Map();

/**
 * Keeps a choice in the address; none takes it out. Browsers limit how often an address may change,
 * so choices are written together.
 * @param {string} key
 * @param {string | null} value
 */
function choose(key, value) {
  unwritten.set(key, value);
  clearTimeout(pending);
  pending = setTimeout(() => {
    const all = chosen();
    for (const [name, text] of unwritten) {
      if (text === null) all.delete(name);
      else all.set(name, text);
    }
    unwritten.clear();
    const text = all.toString();
    history.replaceState(null, "", text === "" ? location.pathname + location.search : `#${text}`);
  }, 150);
}

addEventListener("hashchange", () => {
  const all = chosen();
  for (const [key, apply] of watchers) apply(all.get(key));
});

/**
 * Says something to those who do not see it, and shows it.
 * @param {string} text
 */
function say(text) {
  const said = document.getElementById("said");
  if (said && said.textContent !== text) said.textContent = text;
}

/**
 * An element with attributes and content.
 * @param {string} tag
 * @param {Record<string, string>} attributes
 * @param {(Node | string)[]} content
 */
function made(tag, attributes = {}, content = []) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...content);
  return element;
}

/**
 * The same for a picture.
 * @param {string} tag
 * @param {Record<string, string | number>} attributes
 * @param {(Node | string)[]} content
 */
function drawn(tag, attributes = {}, content = []) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...content);
  return element;
}
