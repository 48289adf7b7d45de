// A button at each table that copies it for a spreadsheet: cells between tabs, a number and its interval in three cells.
// A table that is wider than the screen says so.
(() => {
  const { node, tsv, copy } = report;
  const ENDS = /^\[\s*([^,\]]+?)\s*,\s*([^,\]]+?)\s*\]$/;

  function cells(table) {
    const rows = [...table.rows].filter((row) => !row.hidden);
    const parsed = rows.map((row) =>
      [...row.cells].map((cell) => {
        const ends = cell.querySelector("small.interval");
        const match = ends && ENDS.exec(ends.textContent.trim());
        const text = match ? cell.textContent.replace(ends.textContent, "") : cell.textContent;
        return { text, ends: match ? [match[1], match[2]] : null };
      }),
    );
    const split = new Set();
    for (const row of parsed) row.forEach((cell, j) => cell.ends && split.add(j));
    return parsed.map((row, i) =>
      row.flatMap((cell, j) => {
        if (!split.has(j)) return [cell.text];
        const name = cell.text.trim();
        return i === 0 ? [name, name + " low", name + " high"] : [cell.text, ...(cell.ends || ["", ""])];
      }),
    );
  }

  const wide = new ResizeObserver((parts) => {
    for (const { target } of parts) target.classList.toggle("wide", target.scrollWidth > target.clientWidth + 1);
  });
  for (const part of document.querySelectorAll(".scroll")) wide.observe(part);

  for (const table of document.querySelectorAll("table")) {
    const button = node("button", "copy table", "copy");
    button.type = "button";
    button.addEventListener("click", async () => {
      await copy(tsv(cells(table)));
      button.textContent = "copied";
      setTimeout(() => (button.textContent = "copy table"), 1500);
    });
    const place = table.closest(".scroll") || table;
    const tools = place.closest(".browser")?.querySelector(".tools");
    if (tools) tools.append(button);
    else place.after(button);
  }
})();
