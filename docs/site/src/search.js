
// The search of the documentation: entries with all words, those with a word in their heading first.
{
  const MOST_SHOWN = 40;
  const SNIPPET = 240;
  const field = document.getElementById("words");
  const list = document.getElementById("entries");
  const count = document.getElementById("count");
  const entries = [...list.children].map((item) => {
    const [link, text] = item.children;
    return {
      item,
      paragraph: text,
      text: text.textContent,
      heading: link.textContent.toLowerCase(),
      all: `${link.textContent} ${text.textContent}`.toLowerCase(),
    };
  });

  // The part of a text around the first of the words, with all of them marked.
  function snippet(entry, words) {
    const text = entry.text;
    const places = words.map((word) => text.toLowerCase().indexOf(word)).filter((at) => at >= 0);
    const from = Math.max(0, Math.min(...places, text.length) - SNIPPET / 3);
    const part = text.slice(from, from + SNIPPET);
    entry.paragraph.replaceChildren(from > 0 ? "… " : "");
    let done = 0;
    while (done < part.length) {
      const lower = part.toLowerCase();
      const next = words
        .map((word) => ({ at: lower.indexOf(word, done), length: word.length }))
        .filter((found) => found.at >= 0)
        .sort((a, b) => a.at - b.at || b.length - a.length)[0];
      const end = next ? next.at : part.length;
      entry.paragraph.append(part.slice(done, end));
      if (!next) break;
      const mark = document.createElement("mark");
      mark.textContent = part.slice(next.at, next.at + next.length);
      entry.paragraph.append(mark);
      done = next.at + next.length;
    }
    if (from + SNIPPET < text.length) entry.paragraph.append(" …");
  }

  function search() {
    const words = field.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
    const found = words.length === 0 ? [] :
      entries.filter((entry) => words.every((word) => entry.all.includes(word)));
    const inHeading = (entry) => words.filter((word) => entry.heading.includes(word)).length;
    found.sort((a, b) => inHeading(b) - inHeading(a));
    for (const entry of entries) entry.item.hidden = true;
    for (const entry of found.slice(0, MOST_SHOWN)) {
      snippet(entry, words);
      entry.item.hidden = false;
      list.append(entry.item);
    }
    const more = found.length > MOST_SHOWN ? `, the first ${MOST_SHOWN} are shown` : "";
    count.textContent = words.length === 0 ? "" : `${found.length} sections${more}`;
    history.replaceState(null, "", field.value === "" ? location.pathname
      : `#${encodeURIComponent(field.value)}`);
  }

  field.value = decodeURIComponent(location.hash.slice(1));
  field.addEventListener("input", search);
  search();
}
