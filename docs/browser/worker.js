// Runs Python beside the page, so that the page stays responsive. The page starts it from a blob, because such a worker
// obeys the Content-Security-Policy of the page: it cannot reach another host either.
const LIBRARIES = { meteor: ["nltk"], report: ["matplotlib", "jinja2"] };
let base;
let python;
let answers;

const say = (status) => postMessage({ status });

async function start() {
  say("Loading Python (13 MB) …");
  const { loadPyodide } = await import(`${base}lib/pyodide.mjs`);
  const lib = `${base}lib/`;
  python = await loadPyodide({ indexURL: lib, packageBaseUrl: lib, lockFileURL: `${lib}pyodide-lock.json` });
  say("Loading numpy, scipy and answersim (21 MB) …");
  await load(["ssl", "answersim"]); // nltk needs ssl, and ssl must precede the first import of http.client
  const response = await fetch(`${base}answers.py`);
  if (!response.ok) throw new Error(`answers.py: ${response.status} ${response.statusText}`);
  python.FS.writeFile("/home/pyodide/answers.py", await response.text());
  say("Starting answersim …");
  answers = python.pyimport("answers");
}

async function load(names) {
  const errors = [];
  await python.loadPackage(names, { messageCallback: () => {}, errorCallback: (text) => errors.push(text) });
  if (errors.length) throw new Error(errors.join("\n"));
}

async function run(name, request) {
  if (!answers) await start();
  if ([request.metric, ...(request.metrics ?? [])].includes("meteor")) {
    say("Loading the stemmer of METEOR (4 MB) …");
    await load(LIBRARIES.meteor);
  }
  if (name === "report") {
    say("Loading the drawing library (11 MB) …");
    await load(LIBRARIES.report);
  }
  say(name === "describe" ? "Reading the table …" : name === "report" ? "Writing the report …" : "Scoring …");
  return JSON.parse(answers.call(name, JSON.stringify(request)));
}

let queue = Promise.resolve();
onmessage = ({ data }) => {
  base = data.base;
  queue = queue
    .then(() => run(data.name, data.request))
    .catch((error) => ({ error: String(error.message ?? error) }))
    .then((result) => postMessage({ id: data.id, result }));
};
