// Tables to search, filter, sort, page through and download. Texts enter the page as text alone.
(() => {
  const { data, node, csv, download } = report;
  const PAGE = 50;
  const LONG = 360; // characters of a text that are shown at first
  const collator = new Intl.Collator(data.lang);
  const fold = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const folded = new Array(data.texts.length); // made when first searched
  const foldedText = (at) => (folded[at] === undefined ? (folded[at] = fold(data.texts[at])) : folded[at]);
  const shown = (value) => (value === null ? "–" : String(Math.round(value * 1000) / 1000));

  for (const box of document.querySelectorAll(".browser")) browse(box, data.tables[box.dataset.table]);

  function browse(box, table) {
    const part = (role) => box.querySelector(`[data-role="${role}"]`);
    const [search, variant, side, order] = ["search", "variant", "side", "order"].map(part);
    const filters = [...box.querySelectorAll('[data-role="filter"]')];
    const body = box.querySelector("table").tBodies[0];
    const columns = table.columns;
    const column = Object.fromEntries(columns.map((each) => [each.key, each]));
    const texts = columns.filter((each) => each.kind === "text");
    const inside = Object.fromEntries(columns.filter((each) => each.inside).map((each) => [each.inside, each]));
    const n = table.n;
    let found = [];
    let page = 0;
    let sort = { key: "", down: false };

    const gaps = () => column.gap.values[variant ? variant.selectedIndex : 0];
    function value(each, i) {
      if (each.kind === "text") return data.texts[each.at[i]];
      if (each.kind === "choice") return each.values[i];
      if (each.kind === "gap") return gaps()[i] / 1000;
      return each.values[i];
    }

    function select() {
      const words = fold(search.value).split(/\s+/).filter(Boolean);
      const wanted = filters.filter((each) => each.value !== "").map((each) => [column[each.dataset.key].values, Number(each.value)]);
      const way = side ? { low: -1, high: 1 }[side.value] || 0 : 0;
      const gap = way ? gaps() : null;
      found = [];
      for (let i = 0; i < n; i++) {
        if (way && Math.sign(gap[i]) !== way) continue;
        if (!wanted.every(([values, choice]) => values[i] === choice)) continue;
        if (words.length && !words.every((word) => texts.some((each) => foldedText(each.at[i]).includes(word)))) continue;
        found.push(i);
      }
      if (sort.key) {
        const each = column[sort.key === "size" ? "gap" : sort.key];
        const key = sort.key === "size" ? (i) => Math.abs(value(each, i)) : (i) => value(each, i);
        const values = new Map(found.map((i) => [i, key(i)]));
        const sign = sort.down ? -1 : 1;
        const compare = (a, b) => {
          if (a === null || b === null) return (a === null) - (b === null);
          return sign * (each.kind === "text" ? collator.compare(a, b) : a - b);
        };
        found.sort((a, b) => compare(values.get(a), values.get(b)) || a - b);
      } else if (sort.down) {
        found.reverse();
      }
      page = 0;
      draw();
    }

    function marked(each, i) {
      const text = data.texts[each.at[i]];
      const inner = node("div", text === "" ? "(empty)" : undefined, text === "" ? "soft" : "");
      inner.dir = "auto";
      const ends = (each.marks && each.marks[i]) || [];
      const show = (from, to) => {
        let done = from;
        inner.replaceChildren(from ? "… " : "");
        for (let k = 0; k < ends.length; k += 2) {
          const [start, end] = [Math.max(from, ends[k]), Math.min(to, ends[k + 1])];
          if (start >= end) continue;
          inner.append(text.slice(done, start), node("mark", text.slice(start, end), each.mark));
          done = end;
        }
        inner.append(text.slice(done, to));
      };
      if (text.length > LONG) {
        const start = Math.max(0, Math.min((ends[0] || 0) - LONG / 2, text.length - LONG)); // the first mark is shown
        const more = node("button", "…", "more");
        show(start, start + LONG);
        more.type = "button";
        more.title = "show the whole text";
        more.addEventListener("click", () => show(0, text.length));
        inner.append(" ", more);
      } else if (text !== "") {
        show(0, text.length);
      }
      return inner;
    }

    function tag(each, i) {
      const choice = each.values[i];
      return node("div", each.choices[choice] || "–", each.classes ? "tag " + each.classes[choice] : each.inside ? "tag" : "");
    }

    function cell(each, i) {
      const made = node("td", undefined, each.kind === "number" ? "number" : each.kind);
      made.dataset.name = each.name;
      if (each.kind === "text") {
        if (inside[each.key]) made.append(tag(inside[each.key], i));
        made.append(marked(each, i));
      } else if (each.kind === "choice") {
        made.append(tag(each, i));
      } else if (each.kind === "gap") {
        const gap = gaps()[i] / 1000;
        const size = Math.abs(gap).toFixed(2);
        made.append(node("div", gap < 0 ? `▼ ${size} too low` : gap > 0 ? `▲ ${size} too high` : "0"));
      } else {
        made.append(node("div", shown(each.values[i])));
      }
      return made;
    }

    function draw() {
      const pages = Math.max(1, Math.ceil(found.length / PAGE));
      page = Math.min(Math.max(0, page), pages - 1);
      body.replaceChildren(
        ...found.slice(page * PAGE, (page + 1) * PAGE).map((i) => {
          const made = node("tr");
          made.append(...columns.filter((each) => !each.inside).map((each) => cell(each, i)));
          return made;
        }),
      );
      const first = found.length ? page * PAGE + 1 : 0;
      const last = Math.min(found.length, (page + 1) * PAGE);
      const count = found.length.toLocaleString("en");
      part("status").textContent =
        `${first}–${last} of ${count} ${table.name}` + (found.length < n ? ` (${n.toLocaleString("en")} in all)` : "");
      part("download").textContent = `download ${count} rows as CSV`;
      part("where").textContent = `page ${page + 1} of ${pages}`;
      for (const role of ["first", "previous"]) part(role).disabled = page === 0;
      for (const role of ["next", "last"]) part(role).disabled = page === pages - 1;
      for (const head of box.querySelectorAll("th[data-key]")) {
        const own = head.dataset.key === sort.key || (head.dataset.key === "gap" && sort.key === "size");
        head.setAttribute("aria-sort", own ? (sort.down ? "descending" : "ascending") : "none");
      }
      order.value = `${sort.key} ${sort.down ? "down" : "up"}`;
    }

    function rows() {
      const names = columns.map((each) => (each.kind === "gap" ? `gap of ${table.variants[variant.selectedIndex]}` : each.name));
      const line = (i) => columns.map((each) => (each.kind === "choice" ? each.choices[each.values[i]] : value(each, i)));
      return [names, ...found.map(line)];
    }

    const turn = (to) => () => {
      page = to(page, Math.ceil(found.length / PAGE));
      draw();
      box.scrollIntoView();
    };
    const first = (key) => ["text", "choice"].includes(column[key].kind); // such columns rise when first sorted
    part("first").addEventListener("click", turn(() => 0));
    part("previous").addEventListener("click", turn((at) => at - 1));
    part("next").addEventListener("click", turn((at) => at + 1));
    part("last").addEventListener("click", turn((_, pages) => pages - 1));
    part("download").addEventListener("click", () => download(`${table.file}.csv`, csv(rows())));
    let waiting = 0;
    search.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(select, 120);
    });
    for (const each of [variant, side, ...filters]) if (each) each.addEventListener("change", select);
    order.addEventListener("change", () => {
      const at = order.value.lastIndexOf(" ");
      sort = { key: order.value.slice(0, at), down: order.value.slice(at + 1) === "down" };
      select();
    });
    for (const head of box.querySelectorAll("th[data-key]")) {
      head.querySelector("button").addEventListener("click", () => {
        const key = head.dataset.key;
        const own = sort.key === key || (sort.key === "size" && key === "gap");
        sort = { key: own && sort.key === "size" ? "gap" : key, down: own ? !sort.down : !first(key) };
        select();
      });
    }
    box.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
    if (table.sort) sort = table.sort;
    box.hidden = false;
    select();
  }
})();
