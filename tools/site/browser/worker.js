// Runs Python beside the page, so that the page stays responsive. The page starts it from a blob, because such a worker
// obeys the Content-Security-Policy of the page: it cannot reach another host either.
const LIBRARIES = { meteor: ["nltk"], report: ["matplotlib", "jinja2"] };
let base;
let python;
let answers;
let encoder; // of the metric that runs a network: its session and the module that keeps its vectors

const MODULES = ["wordpieces.py", "quantized.py", "answers.py"];
const QUANTIZED = "bi-encoder (8-bit)";
const TOKENS = 4096; // of a batch

const say = (status) => postMessage({ status });

async function start() {
  say("Loading Python (13 MB) …");
  const { loadPyodide } = await import(`${base}lib/pyodide.mjs`);
  const lib = `${base}lib/`;
  python = await loadPyodide({ indexURL: lib, packageBaseUrl: lib, lockFileURL: `${lib}pyodide-lock.json` });
  say("Loading numpy, scipy and answersim (21 MB) …");
  await load(["ssl", "answersim"]); // nltk needs ssl, and ssl must precede the first import of http.client
  for (const name of MODULES) python.FS.writeFile(`/home/pyodide/${name}`, await (await loaded(name)).text());
  say("Starting answersim …");
  answers = python.pyimport("answers");
}

async function loaded(name) {
  const response = await fetch(base + name);
  if (!response.ok) throw new Error(`${name}: ${response.status} ${response.statusText}`);
  return response;
}

// The bytes of a file, with a message for every megabyte.
async function bytes(name, what) {
  const response = await loaded(name);
  const total = Number(response.headers.get("Content-Length"));
  const parts = [];
  let size = 0;
  for (const reader = response.body.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    if (Math.floor(size / 1e6) !== Math.floor((size + value.length) / 1e6))
      say(`Loading ${what} (${Math.floor((size + value.length) / 1e6)}${total ? ` of ${Math.round(total / 1e6)}` : ""} MB) …`);
    size += value.length;
  }
  const all = new Uint8Array(size);
  parts.reduce((at, part) => (all.set(part, at), at + part.length), 0);
  return all;
}

async function startEncoder() {
  const pin = await (await loaded("lib/encoder.json")).json();
  const file = await bytes("lib/minilm.onnx", "the encoder");
  const tables = await (await loaded("lib/minilm.json")).text();
  say("Starting the encoder (11 MB) …");
  const keeper = python.pyimport("quantized");
  keeper.start(tables, pin.sha256, python.toPy(file));
  const ort = await import(`${base}lib/ort.wasm.min.mjs`);
  Object.assign(ort.env.wasm, { wasmPaths: `${base}lib/`, numThreads: 1, proxy: false });
  ort.env.logLevel = "error";
  encoder = { ort, keeper, session: await ort.InferenceSession.create(file, { executionProviders: ["wasm"] }) };
}

// Texts of one length are encoded together, so that nothing is padded.
async function encode(request) {
  if (!encoder) await startEncoder();
  const { ids, error } = JSON.parse(answers.call("encoded", JSON.stringify(request)));
  if (error) throw new Error(error);
  for (let start = 0; start < ids.length; ) {
    say(`Encoding: ${start.toLocaleString("en")} of ${ids.length.toLocaleString("en")} texts …`);
    const { length } = ids[start];
    let stop = start + 1;
    while (stop < ids.length && ids[stop].length === length && (stop - start + 1) * length <= TOKENS) stop += 1;
    const batch = ids.slice(start, stop);
    const input = new encoder.ort.Tensor("int32", Int32Array.from(batch.flat()), [batch.length, length]);
    const { vectors } = await encoder.session.run({ ids: input });
    encoder.keeper.store(python.toPy(batch), python.toPy(vectors.data));
    start = stop;
  }
}

async function load(names) {
  const errors = [];
  await python.loadPackage(names, { messageCallback: () => {}, errorCallback: (text) => errors.push(text) });
  if (errors.length) throw new Error(errors.join("\n"));
}

async function run(name, request) {
  if (!answers) await start();
  const metrics = [request.metric, ...(request.metrics ?? [])];
  if (metrics.includes(QUANTIZED)) await encode(request);
  if (metrics.includes("meteor")) {
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
