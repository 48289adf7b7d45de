// The disagreement browser: search, filter, sort and page through all pairs. Texts enter the page as text alone.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const PAGE = 50;
  const n = data.gold.length;
  const by = (id) => document.getElementById(id);
  const [search, metric, side, category, order] = ["search", "metric", "side", "category", "order"].map(by);
  const body = by("pairs").tBodies[0];
  const fold = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  let folded = null; // made when first searched
  let found = [];
  let page = 0;
  let sort = { key: "size", down: true };

  const node = (tag, text, className) => {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return made;
  };
  const shown = (value) => (value === null ? "–" : String(Math.round(value * 1000) / 1000));
  const current = () => data.metrics[metric.selectedIndex];

  function haystack(i) {
    if (!folded) folded = new Array(n);
    if (folded[i] === undefined) {
      folded[i] = fold([data.gold[i], data.pred[i], data.question ? data.question[i] : ""].join("\n"));
    }
    return folded[i];
  }

  const keys = {
    size: (i) => Math.abs(current().gap[i]),
    gap: (i) => current().gap[i],
    score: (i) => current().score[i],
    label: (i) => data.label[i],
    category: (i) => data.categories[data.category[i]],
    gold: (i) => data.gold[i],
    pred: (i) => data.pred[i],
    question: (i) => data.question[i],
    row: (i) => i,
  };
  const collator = new Intl.Collator(data.lang);

  function select() {
    const words = fold(search.value).split(/\s+/).filter(Boolean);
    const gap = current().gap;
    const kind = category.selectedIndex - 1;
    found = [];
    for (let i = 0; i < n; i++) {
      if (side.value === "low" && gap[i] >= 0) continue;
      if (side.value === "high" && gap[i] <= 0) continue;
      if (kind >= 0 && data.category[i] !== kind) continue;
      if (words.length && !words.every((word) => haystack(i).includes(word))) continue;
      found.push(i);
    }
    const key = keys[sort.key];
    const sign = sort.down ? -1 : 1;
    const values = new Map(found.map((i) => [i, key(i)]));
    const compare = ["gold", "pred", "question", "category"].includes(sort.key)
      ? (a, b) => collator.compare(values.get(a), values.get(b))
      : (a, b) => values.get(a) - values.get(b);
    found.sort((a, b) => sign * compare(a, b) || a - b);
    page = 0;
    draw();
  }

  function cell(name, text, className) {
    const made = node("td", undefined, className);
    made.dataset.name = name;
    const inner = node("div", text === "" ? "(empty)" : text);
    if (text === "") inner.className = "soft";
    if (className === "text") inner.dir = "auto";
    made.append(inner);
    return made;
  }

  function row(i) {
    const made = node("tr");
    const gap = current().gap[i] / 1000;
    const size = Math.abs(gap).toFixed(2);
    const told = gap < 0 ? `▼ ${size} too low` : gap > 0 ? `▲ ${size} too high` : "0";
    made.append(
      cell("gap", told, gap < 0 ? "low" : gap > 0 ? "high" : ""),
      cell("label", shown(data.label[i]), "number"),
      cell("score", shown(current().score[i]), "number"),
      cell("gold", data.gold[i], "text"),
      cell("prediction", data.pred[i], "text"),
    );
    if (data.question) made.append(cell("question", data.question[i], "text"));
    made.append(cell("kind", data.categories[data.category[i]] || "–"));
    const last = node("td");
    last.dataset.name = "row";
    const inner = node("div");
    const button = node("button", "scores");
    button.type = "button";
    button.setAttribute("aria-expanded", "false");
    button.setAttribute("aria-label", "all scores of row " + (i + 1));
    button.addEventListener("click", () => {
      const open = button.getAttribute("aria-expanded") === "true";
      button.setAttribute("aria-expanded", String(!open));
      if (open) made.nextSibling.remove();
      else made.after(more(i));
    });
    inner.append(node("span", String(i + 1)), button);
    last.append(inner);
    made.append(last);
    return made;
  }

  function more(i) {
    const made = node("tr", undefined, "more");
    const inside = node("td");
    inside.colSpan = data.question ? 8 : 7;
    inside.append(node("div", `row ${i + 1}, label ${shown(data.label[i])}`, "soft"));
    const list = node("dl");
    for (const each of data.metrics) list.append(node("dt", each.name), node("dd", shown(each.score[i])));
    inside.append(list);
    made.append(inside);
    return made;
  }

  function draw() {
    const pages = Math.max(1, Math.ceil(found.length / PAGE));
    page = Math.min(Math.max(0, page), pages - 1);
    body.replaceChildren(...found.slice(page * PAGE, (page + 1) * PAGE).map(row));
    const first = found.length ? page * PAGE + 1 : 0;
    const last = Math.min(found.length, (page + 1) * PAGE);
    by("status").textContent =
      `${first}–${last} of ${found.length.toLocaleString("en")} pairs` +
      (found.length < n ? ` (${n.toLocaleString("en")} in all)` : "");
    by("where").textContent = `page ${page + 1} of ${pages}`;
    for (const id of ["first", "previous"]) by(id).disabled = page === 0;
    for (const id of ["next", "last"]) by(id).disabled = page === pages - 1;
    for (const head of document.querySelectorAll("#pairs th[data-key]")) {
      const own = head.dataset.key === sort.key || (head.dataset.key === "gap" && sort.key === "size");
      head.setAttribute("aria-sort", own ? (sort.down ? "descending" : "ascending") : "none");
    }
    order.value = `${sort.key} ${sort.down ? "down" : "up"}`;
  }

  const turn = (to) => () => {
    page = to(page, Math.ceil(found.length / PAGE));
    draw();
    by("browse").scrollIntoView();
  };
  by("first").addEventListener("click", turn(() => 0));
  by("previous").addEventListener("click", turn((at) => at - 1));
  by("next").addEventListener("click", turn((at) => at + 1));
  by("last").addEventListener("click", turn((_, pages) => pages - 1));
  let waiting = 0;
  search.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(select, 120);
  });
  for (const each of [metric, side, category]) each.addEventListener("change", select);
  order.addEventListener("change", () => {
    const [key, way] = order.value.split(" ");
    sort = { key, down: way === "down" };
    select();
  });
  for (const head of document.querySelectorAll("#pairs th[data-key] button")) {
    head.addEventListener("click", () => {
      const key = head.parentElement.dataset.key;
      const own = sort.key === key || (sort.key === "size" && key === "gap");
      const texts = ["gold", "pred", "question", "category"].includes(key);
      sort = { key: own && sort.key === "size" ? "gap" : key, down: own ? !sort.down : !texts };
      select();
    });
  }
  by("controls").addEventListener("submit", (event) => event.preventDefault());
  by("browser").hidden = false;
  select();
})();
