// Rows to search, filter, sort, page through and download; a button at each table that copies it for a spreadsheet.
// Texts enter the page as text alone.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const node = (tag, text, className) => {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = text;
    if (className) made.className = className;
    return made;
  };

  // A spreadsheet runs a cell that begins with one of these. An apostrophe before it makes it a text; one more if there
  // is one already, so that the readers of this package restore it (spreadsheets.py has the same rule).
  const harmless = (text) => (/^'*(?:\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n])[^]*[\p{L}\p{N}_]/u.test(text) ? "'" + text : text);
  const isNumber = (text) => /^[-+]?\d[\d,]*(\.\d+)?( ?%)?$|^[-+]?\.\d+$/.test(text);
  const csvCell = (value) => {
    if (value === null || value === undefined) return "";
    if (typeof value === "number") return String(value);
    return '"' + (isNumber(value) ? value : harmless(value)).replaceAll('"', '""') + '"';
  };
  const tsvCell = (text) => {
    const line = text.replace(/\s+/g, " ").trim();
    return isNumber(line) ? line.replaceAll(",", "") : harmless(line); // 1,000 is 1 in some countries
  };

  // Tables: an interval is two cells of its own when it is copied.
  const ENDS = /^\[\s*([^,\]]+?)\s*,\s*([^,\]]+?)\s*\]$/;
  function cells(table) {
    const parsed = [...table.rows].map((row) =>
      [...row.cells].map((cell) => {
        const ends = cell.querySelector("small.interval");
        const match = ends && ENDS.exec(ends.textContent.trim());
        return { text: match ? cell.textContent.replace(ends.textContent, "") : cell.textContent, ends: match };
      }),
    );
    const split = new Set(parsed.flatMap((row) => row.flatMap((cell, j) => (cell.ends ? [j] : []))));
    return parsed.map((row, i) =>
      row.flatMap((cell, j) => {
        if (!split.has(j)) return [cell.text];
        const name = cell.text.trim();
        if (i === 0) return [name, name + " low", name + " high"];
        return [cell.text, ...(cell.ends ? cell.ends.slice(1) : ["", ""])];
      }),
    );
  }

  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = node("textarea", undefined, "skip"); // pages from a disk may lack the clipboard
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
  }

  const say = (part) => part.classList.toggle("wide", part.scrollWidth > part.clientWidth + 1);
  const wide = new ResizeObserver((parts) => parts.forEach(({ target }) => say(target)));
  for (const part of document.querySelectorAll(".scroll")) {
    say(part);
    wide.observe(part);
  }
  for (const table of document.querySelectorAll("table")) {
    const button = node("button", "copy table", "copy");
    button.type = "button";
    button.addEventListener("click", async () => {
      await copy(cells(table).map((row) => row.map(tsvCell).join("\t")).join("\n") + "\n");
      button.textContent = "copied";
      setTimeout(() => (button.textContent = "copy table"), 1500);
    });
    const tools = table.closest(".browser")?.querySelector(".tools");
    if (tools) tools.append(button);
    else table.closest(".scroll").after(button);
  }

  if (data.table) browse(data.table);

  function browse(table) {
    const PAGE = 50;
    const LONG = 360; // characters of a text that are shown at first
    const LOOKS = new Set("right,wrong,unsure,not attempted,went wrong,became right,higher,lower".split(","));
    const collator = new Intl.Collator();
    const fold = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
    const folded = new Array(data.texts.length); // made when first searched
    const foldedText = (at) => (folded[at] === undefined ? (folded[at] = fold(data.texts[at])) : folded[at]);
    const shown = (value) => (value === null ? "–" : String(Math.round(value * 1000) / 1000));
    const box = byId("browser");
    const [search, order, body] = [byId("search"), byId("order"), box.querySelector("tbody")];
    const filters = [...box.querySelectorAll("select[data-key]")];
    const columns = table.columns;
    const column = Object.fromEntries(columns.map((each) => [each.key, each]));
    const texts = columns.filter((each) => each.kind === "text");
    let found = [];
    let page = 0;
    let sort = { key: "", down: false };

    const value = (each, i) => (each.kind === "text" ? data.texts[each.at[i]] : each.values[i]);
    const written = (each, i) => (each.kind === "choice" ? each.choices[each.values[i]] : value(each, i));

    function select() {
      const words = fold(search.value).split(/\s+/).filter(Boolean);
      const wanted = filters.filter((each) => each.value !== "").map((each) => [column[each.dataset.key].values, Number(each.value)]);
      found = [];
      for (let i = 0; i < table.n; i++) {
        if (!wanted.every(([values, choice]) => values[i] === choice)) continue;
        if (words.length && !words.every((word) => texts.some((each) => foldedText(each.at[i]).includes(word)))) continue;
        found.push(i);
      }
      if (sort.key) {
        const each = column[sort.key];
        const values = new Map(found.map((i) => [i, value(each, i)]));
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
      const text = value(each, i);
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

    function cell(each, i) {
      const made = node("td", undefined, each.kind);
      made.dataset.name = each.name;
      if (each.kind === "text") {
        made.append(marked(each, i));
      } else if (each.kind === "choice") {
        const choice = written(each, i);
        made.append(node("div", choice || "–", LOOKS.has(choice) ? "tag " + choice.replace(" ", "-") : ""));
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
          made.append(...columns.map((each) => cell(each, i)));
          return made;
        }),
      );
      const first = found.length ? page * PAGE + 1 : 0;
      const last = Math.min(found.length, (page + 1) * PAGE);
      const count = found.length.toLocaleString("en");
      byId("status").textContent =
        `${first}–${last} of ${count} ${table.name}` + (found.length < table.n ? ` (${table.n.toLocaleString("en")} in all)` : "");
      byId("download").textContent = `download ${count} rows as CSV`;
      byId("where").textContent = `page ${page + 1} of ${pages}`;
      for (const id of ["first", "previous"]) byId(id).disabled = page === 0;
      for (const id of ["next", "last"]) byId(id).disabled = page === pages - 1;
      for (const head of box.querySelectorAll("th[data-key]")) {
        head.setAttribute("aria-sort", head.dataset.key === sort.key ? (sort.down ? "descending" : "ascending") : "none");
      }
      order.value = `${sort.key} ${sort.down ? "down" : "up"}`;
    }

    function download() {
      const rows = [columns.map((each) => each.name), ...found.map((i) => columns.map((each) => written(each, i)))];
      const text = "\ufeff" + rows.map((row) => row.map(csvCell).join(",") + "\r\n").join("");
      const link = node("a");
      link.href = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
      link.download = `${table.file}.csv`;
      document.body.append(link);
      link.click();
      link.remove();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    }

    const turn = (to) => () => {
      page = to(page, Math.ceil(found.length / PAGE));
      draw();
      box.scrollIntoView();
    };
    byId("first").addEventListener("click", turn(() => 0));
    byId("previous").addEventListener("click", turn((at) => at - 1));
    byId("next").addEventListener("click", turn((at) => at + 1));
    byId("last").addEventListener("click", turn((_, pages) => pages - 1));
    byId("download").addEventListener("click", download);
    let waiting = 0;
    search.addEventListener("input", () => {
      clearTimeout(waiting);
      waiting = setTimeout(select, 120);
    });
    for (const each of filters) each.addEventListener("change", select);
    order.addEventListener("change", () => {
      const at = order.value.lastIndexOf(" ");
      sort = { key: order.value.slice(0, at), down: order.value.slice(at + 1) === "down" };
      select();
    });
    for (const head of box.querySelectorAll("th[data-key]")) {
      head.querySelector("button").addEventListener("click", () => {
        const key = head.dataset.key;
        sort = { key, down: key === sort.key ? !sort.down : column[key].kind === "number" }; // texts rise at first
        select();
      });
    }
    box.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
    box.hidden = false;
    select();
  }
})();
