// What the scripts of the page share: its data, and how cells of files and of the clipboard are written.
"use strict";
const report = (() => {
  const data = JSON.parse(document.getElementById("data").textContent);

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
  const csv = (rows) => "\ufeff" + rows.map((row) => row.map(csvCell).join(",") + "\r\n").join("");

  const tsvCell = (text) => {
    const line = text.replace(/\s+/g, " ").trim();
    return isNumber(line) ? line.replaceAll(",", "") : harmless(line); // 1,000 is 1 in some countries
  };
  const tsv = (rows) => rows.map((row) => row.map(tsvCell).join("\t")).join("\n") + "\n";

  function download(name, text) {
    const link = node("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
    link.download = name;
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
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

  return { data, node, csv, tsv, download, copy };
})();
