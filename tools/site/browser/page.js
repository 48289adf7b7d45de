// The page: what is pasted goes to the worker, and what comes back is shown. It stores nothing and sends nothing.
const METRICS = ["em", "f1", "recall", "containment", "bleu", "rouge-l", "meteor", "typed+recall", "typed+f1", "bi-encoder (8-bit)"];
const FURTHER = ["em", "f1"]; // chosen at first
const EXAMPLE = [
  ["question", "gold", "pred old", "pred new"],
  ["Where is the Colosseum?", "Rome", "in Rome", "Rome"],
  ["Capital of Norway?", "Oslo", "Oslo", "the city of Oslo"],
  ["Capital of Switzerland?", "Bern", "Basel", "It is Bern."],
  ["Which river flows through Cologne?", "Rhine", "Danube", "the Rhine"],
  ["How tall is Mont Blanc?", "4,806 m", "4806 meters", "4,860 m"],
  ["Who wrote Faust?", "Johann Wolfgang von Goethe|Goethe", "Goethe", "Schiller"],
  ["When did the wall fall?", "9 November 1989", "November 9, 1989", "1989"],
  ["How many moons has Mars?", "two", "", "2"],
];
const ROLES = [["", "not used"], ["gold", "gold answers"], ["pred", "prediction"], ["question", "question"]];
const OUTCOMES = ["right", "wrong", "unsure", "not attempted"];
const TEXTS = ["gold", "prediction", "question"];
const $ = (id) => document.getElementById(id);

let worker;
let calls = 0;
const waiting = new Map();

async function start() {
  const response = await fetch("worker.js");
  const source = URL.createObjectURL(new Blob([await response.text()], { type: "text/javascript" }));
  const made = new Worker(source, { type: "module" });
  made.onmessage = ({ data }) => {
    if (data.status) return status(data.status);
    waiting.get(data.id)(data.result);
    waiting.delete(data.id);
  };
  made.onerror = (event) => {
    for (const done of waiting.values()) done({ error: `Python did not start: ${event.message ?? "see the console"}` });
    waiting.clear();
    worker = undefined;
  };
  return made;
}

async function call(name, request) {
  worker ??= start();
  const python = await worker;
  const id = (calls += 1);
  const base = new URL(".", location.href).href;
  return new Promise((done) => {
    waiting.set(id, done);
    python.postMessage({ id, base, name, request });
  });
}

function status(text) {
  $("status").textContent = text;
}

function fail(text) {
  $("error").textContent = text;
  $("error").hidden = !text;
}

function element(tag, text, attributes = {}) {
  const made = Object.assign(document.createElement(tag), attributes);
  made.textContent = text;
  return made;
}

function options(select, values, chosen) {
  select.replaceChildren(...values.map(([value, text]) => new Option(text, value, false, value === chosen)));
}

function checks(fieldset, values, chosen) {
  const boxes = values.map((value) => {
    const label = element("label", "", { className: "check" });
    label.append(Object.assign(document.createElement("input"), { type: "checkbox", value, checked: chosen.includes(value) }));
    label.append(value);
    return label;
  });
  fieldset.replaceChildren(fieldset.querySelector("legend"), ...boxes);
}

const checked = (fieldset) => [...fieldset.querySelectorAll("input:checked")].map((box) => box.value);

const wide = new ResizeObserver((parts) => {
  for (const { target } of parts) target.classList.toggle("wide", target.scrollWidth > target.clientWidth + 1);
});

// A part of the page that scrolls, and says so if the table is wider than the screen.
function framed(table, name) {
  const frame = element("div", "", { className: "scroll", tabIndex: 0 });
  frame.setAttribute("role", "region");
  frame.setAttribute("aria-label", name);
  frame.append(table);
  wide.observe(frame);
  return frame;
}

const tag = (cell) => cell.replaceChildren(element("span", cell.textContent, { className: `tag ${cell.textContent.replaceAll(" ", "-")}` }));

// Tables come from the package, which escapes every text in them.
function show(place, html) {
  place.innerHTML = html;
  for (const table of place.querySelectorAll("table")) {
    const spot = document.createComment("");
    table.replaceWith(spot);
    spot.replaceWith(framed(table, table.caption?.textContent || "Table"));
    const names = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
    for (const cell of table.tHead.rows[0].cells) {
      cell.scope = "col";
      if (OUTCOMES.includes(cell.textContent)) tag(cell);
    }
    for (const row of table.tBodies[0].rows)
      names.forEach((name, i) => {
        if (TEXTS.includes(name) || state.preds.includes(name)) row.cells[i].className = "text";
        else if (name === "verdict" || name === "change") tag(row.cells[i]);
      });
  }
}

const state = { text: null, header: null, preds: [], described: false };

async function describe(header) {
  const text = $("text").value;
  if (!text.trim()) return false;
  busy(true);
  const result = await call("describe", { text, header });
  busy(false);
  if (text !== $("text").value) return false;
  fail(result.error ?? "");
  if (result.error) {
    state.described = false;
    $("columns").hidden = true;
    status("The table could not be read.");
    return false;
  }
  state.text = text;
  state.header = result.header;
  state.described = true;
  const chosen = result.gold !== null && result.preds.length > 0;
  const ask = chosen ? "Check what each column is." : "Choose which column has the gold answers, and which ones have predictions.";
  $("found").textContent = `${result.rows.toLocaleString("en")} rows, ${result.columns.length} columns. ${ask}`;
  $("header").checked = result.header;
  const head = element("thead", "");
  head.append(element("tr", ""), element("tr", ""));
  head.firstChild.append(...result.columns.map((name) => element("th", name, { scope: "col" })));
  head.lastChild.append(...result.columns.map((name) => element("td", "")));
  result.columns.forEach((name, i) => {
    const select = Object.assign(document.createElement("select"), { name });
    select.setAttribute("aria-label", `What ${name} is`);
    const role = name === result.gold ? "gold" : name === result.question ? "question" : result.preds.includes(name) ? "pred" : "";
    options(select, ROLES, role);
    select.addEventListener("change", () => {
      if (["gold", "question"].includes(select.value)) for (const other of roles(select.value)) if (other !== select) other.value = "";
    });
    head.lastChild.cells[i].append(select);
  });
  const body = element("tbody", "");
  for (const row of result.first) {
    const line = element("tr", "");
    line.append(...row.map((cell) => element("td", cell, { className: "text" })));
    body.append(line);
  }
  const table = element("table", "");
  table.append(head, body);
  $("preview").replaceChildren(framed(table, "The first rows"));
  $("columns").hidden = false;
  status("The table is read.");
  return true;
}

// The choices of the columns that have this role.
const roles = (role) => [...$("preview").querySelectorAll("select")].filter((select) => select.value === role);

function request() {
  return {
    text: state.text,
    header: state.header,
    gold: roles("gold")[0]?.name ?? null,
    preds: roles("pred").map((select) => select.name),
    question: roles("question")[0]?.name ?? null,
    split_gold: $("split").value || null,
    metric: $("metric").value,
    metrics: checked($("metrics")),
    lang: $("lang").value,
  };
}

function busy(is) {
  $("run").disabled = is;
  $("report").disabled = is || $("results").hidden;
  $("form").setAttribute("aria-busy", String(is));
}

function file(link, content, type) {
  if (link.href) URL.revokeObjectURL(link.href);
  link.href = URL.createObjectURL(new Blob([content], { type }));
}

async function score() {
  if (!$("text").value.trim()) return fail("Paste a table, open a file, or use the example.");
  if (state.text !== $("text").value || !state.described) {
    if (!(await describe(null))) return;
  }
  if (!roles("gold").length || !roles("pred").length) {
    $("preview").querySelector("select").focus();
    return fail("Choose above the first rows which column has the gold answers, and which ones have predictions.");
  }
  fail("");
  busy(true);
  const asked = request();
  state.preds = asked.preds;
  const result = await call("evaluated", asked);
  fail(result.error ?? "");
  if (result.error) {
    busy(false);
    return status("The table could not be scored.");
  }
  show($("verdicts"), result.verdicts);
  $("comparison").hidden = !result.comparisons.length;
  show($("comparisons"), result.comparisons.join(""));
  show($("scores"), result.scores);
  $("signatures").replaceChildren(...result.signatures.map((line) => element("li", line)));
  $("warnings").replaceChildren(...result.warnings.map((line) => element("li", line)));
  $("version").textContent = `answersim ${result.version}.`;
  file($("csv"), result.csv, "text/csv");
  file($("json"), JSON.stringify(result.numbers, null, 1), "application/json");
  $("page").hidden = true;
  $("results").hidden = false;
  busy(false);
  status("Done.");
  $("results-heading").focus();
}

async function report() {
  busy(true);
  const result = await call("report", request());
  busy(false);
  fail(result.error ?? "");
  if (result.error) return status("The report could not be written.");
  file($("page"), result.html, "text/html");
  $("page").hidden = false;
  status("The report is ready.");
  $("page").focus();
}

options($("metric"), METRICS.map((name) => [name, name]), "typed+recall");
checks($("metrics"), METRICS, FURTHER);
$("form").addEventListener("submit", (event) => {
  event.preventDefault();
  score();
});
$("report").addEventListener("click", report);
$("header").addEventListener("change", () => describe($("header").checked));
$("text").addEventListener("change", () => describe(null));
$("text").addEventListener("paste", () => setTimeout(() => describe(null)));
$("example").addEventListener("click", () => {
  $("text").value = EXAMPLE.map((row) => row.join("\t")).join("\n");
  $("split").value = "|";
  describe(null);
});
$("file").addEventListener("change", async () => {
  const [chosen] = $("file").files;
  if (!chosen) return;
  $("text").value = await chosen.text();
  describe(null);
});
