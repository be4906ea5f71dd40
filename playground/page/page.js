// The page: what is dropped and dragged becomes questions to the worker, and answers become figures and numbers.

const $ = (id) => document.getElementById(id);
const IMPORTS = { math: {
  ...Object.fromEntries(["sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "atan2"].map((n) => [n, Math[n]])),
  pow: Math.pow, fmod: (a, b) => a % b,
  wrapped: (x) => x, // angles of sliders are small
} };
const ASKED = {
  forward: ["q", "qd", "tau", "qdd", "q\u0308", "Accelerations q\u0308 of the joints under torques \u03c4, from the generated code."],
  inverse: ["q", "qd", "qdd", "tau", "\u03c4", "Torques \u03c4 that accelerate the joints by q\u0308, from the generated code."],
};
const UNITS = {
  revolute: { q: "rad", qd: "rad/s", qdd: "rad/s\u00b2", tau: "N m" },
  prismatic: { q: "m", qd: "m/s", qdd: "m/s\u00b2", tau: "N" },
};
const SIGN = { q: "q", qd: "q\u0307", qdd: "q\u0308", tau: "\u03c4" };

const state = { robot: null, poses: null, kind: "forward", view: "dag", drawn: null, made: null, code: null, loops: null, values: {}, run: {}, busy: 0, files: [] };
window.state = state; // for tests and curious people
const view = robotView($("robot"));

// Questions to the worker

const waiting = new Map();
// A module at an address of type blob is refused where the page is a file; one in the address itself is not.
const worker = new Worker(`data:text/javascript,${encodeURIComponent($("worker").textContent)}`, { type: "module" });
worker.onmessage = ({ data }) => {
  if (data.doing) return doing(data.doing);
  const { resolve, reject } = waiting.get(data.id);
  waiting.delete(data.id);
  if (data.error) reject(new Error(data.error));
  else resolve(data.answer);
};
worker.onerror = (event) => { state.busy = 0; doing(""); complain(event.message || "this browser cannot run Python"); };

function ask(what, more = {}) {
  return new Promise((resolve, reject) => {
    const id = (ask.last = (ask.last || 0) + 1);
    waiting.set(id, { resolve, reject });
    worker.postMessage({ id, what, ...more });
  });
}
function doing(text) {
  $("status").classList.toggle("idle", !text);
  $("doing").textContent = text || "ready";
}
function complain(text) {
  $("error").hidden = !text;
  $("error").textContent = text;
}
/** Run what may fail; a failure is shown, and nothing else changes. */
async function tried(work) {
  complain("");
  state.busy += 1;
  try {
    await work();
  } catch (error) {
    complain(error.message);
  } finally {
    state.busy -= 1;
    if (!state.busy) doing("");
  }
}

// Code

/** What a module of WebAssembly in base 64 exports. */
function instance(text) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new WebAssembly.Instance(new WebAssembly.Module(bytes), IMPORTS).exports;
}
/** A function from one list of numbers to another. */
function coded(text, size) {
  const { memory, run } = instance(text);
  const numbers = new Float64Array(memory.buffer);
  return (inputs) => {
    numbers.set(inputs);
    run();
    return numbers.slice(inputs.length, inputs.length + size);
  };
}

// A robot, a question, an order

async function open(text, file, files = []) {
  state.run = {}; // what is still being counted is of no interest any more
  const robot = await ask("open", { text, file });
  const note = await dressed(robot, files);
  Object.assign(state, { files, robot, poses: coded(robot.poses, 12 * (robot.links.length - 1)), code: null, made: null, loops: loopsOf(robot) });
  state.values = atRest(robot);
  $("name").textContent = `${robot.name}: ${robot.links.length} links, ${robot.joints.length} ${robot.joints.length === 1 ? "joint" : "joints"}`;
  $("stuck").textContent = "";
  $("warnings").textContent = [...note, ...robot.warnings.slice(0, 3)].join(" \u2022 ");
  inputs();
  pose();
  await question(state.kind);
}
/** Give a robot the meshes that were dropped; what to say of those that were not. */
async function dressed(robot, files) {
  const { named, missing } = await dress(robot, files, view);
  return missing ? [`${missing} of ${named} meshes are not here: drop them, or their folder`] : [];
}
/** Zero positions, or those of the limits that are nearest, and nothing that moves. */
function atRest(robot) {
  const q = state.loops ? state.loops.rest() : [...robot.neutral];
  let at = 0;
  for (const { nq, limits } of state.loops ? [] : robot.joints) {
    if (limits && nq === 1) q[at] = Math.max(limits[0], Math.min(limits[1], q[at]));
    at += nq;
  }
  return { q, ...Object.fromEntries(["qd", "qdd", "tau"].map((kind) => [kind, zeros(robot, "nv")])) };
}
const zeros = (robot, size) => robot.joints.flatMap((joint) => Array(joint[size]).fill(0));

async function question(kind) {
  const run = (state.run = {});
  state.kind = kind;
  mark("questions", "kind", kind);
  $("question").textContent = ASKED[kind][5];
  state.counts = {};
  inputs();
  const drawn = await ask("ask", { kind });
  if (state.run !== run) return;
  state.drawn = drawn;
  if (!state.made) $("figure").innerHTML = svg(drawn.graph); // until its elimination is there
  await eliminate(state.drawn.orders[0]);
  for (const order of state.drawn.orders) {
    if (state.counts[order]) continue;
    const count = await ask("count", { order }).catch(() => "impossible");
    if (state.run !== run) return;
    state.counts[order] = count;
    bars();
  }
}

async function eliminate(order) {
  const made = await ask("eliminate", { order });
  state.made = made;
  state.chosen = typeof order === "string" ? order : "yours";
  state.counts[state.chosen] = made.operations;
  state.code = coded(made.module, zeros(state.robot, "nv").length);
  $("count").innerHTML = `<b>${made.operations}</b> operations (${escaped(made.counts)}) after the compiler's passes, ${made.plain} before`;
  chips();
  bars();
  figure();
  answer();
}

// The order

function chips() {
  $("order").replaceChildren(...state.made.order.map(({ key, label, kind }, i) => {
    const chip = document.createElement("li"), [fill, line] = colours(kind);
    chip.draggable = true;
    chip.tabIndex = 0;
    chip.dataset.key = key;
    chip.title = `${i + 1}. ${key}`;
    chip.innerHTML = `<i>${escaped(label[0])}</i><sub>${escaped(label[1])}</sub>`;
    Object.assign(chip.style, { background: fill, borderColor: line });
    return chip;
  }));
}
function moved(from, to) {
  const keys = state.made.order.map(({ key }) => key), [key] = keys.splice(from, 1);
  keys.splice(to > from ? to - 1 : to, 0, key);
  if (keys.some((k, i) => k !== state.made.order[i].key)) return tried(() => eliminate(keys)).then(() => chips());
}
const placeOf = (chip) => [...$("order").children].indexOf(chip);
let dragged = null;
$("order").addEventListener("dragstart", (event) => {
  dragged = event.target.closest("li");
  dragged.classList.add("dragged");
  event.dataTransfer.effectAllowed = "move";
  event.dataTransfer.setData("text/plain", dragged.dataset.key);
});
$("order").addEventListener("dragover", (event) => {
  if (!dragged) return;
  event.preventDefault();
  event.stopPropagation();
  for (const chip of $("order").children) chip.classList.toggle("before", chip === event.target.closest("li"));
});
$("order").addEventListener("drop", (event) => {
  if (!dragged) return;
  event.preventDefault();
  event.stopPropagation();
  const target = event.target.closest("li");
  moved(placeOf(dragged), target ? placeOf(target) : $("order").children.length);
});
$("order").addEventListener("dragend", () => {
  for (const chip of $("order").children) chip.classList.remove("dragged", "before");
  dragged = null;
});
$("order").addEventListener("keydown", (event) => {
  const step = { ArrowLeft: -1, ArrowRight: 2 }[event.key], from = placeOf(event.target);
  if (!step || from < 0) return;
  event.preventDefault();
  const key = event.target.dataset.key;
  moved(from, Math.max(0, from + step))?.then(() => $("order").querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus());
});

function bars() {
  const names = [...state.drawn.orders, ...("yours" in state.counts ? ["yours"] : [])];
  const most = Math.max(1, ...Object.values(state.counts).filter((n) => n > 0));
  $("bars").replaceChildren(...names.flatMap((name) => {
    const [button, cell, bar, number] = ["button", "div", "div", "span"].map((tag) => document.createElement(tag));
    const count = state.counts[name], on = name === state.chosen;
    button.textContent = name === "yours" ? "your order" : name;
    button.className = bar.className = on ? "on" : "";
    bar.classList.add("bar");
    bar.style.width = `${count > 0 ? (100 * count) / most : 0}%`;
    number.className = "number";
    number.textContent = count ?? "\u2026";
    button.onclick = () => name !== "yours" && tried(() => eliminate(name));
    cell.append(bar);
    return [button, cell, number];
  }));
}

// Figures

function figure() {
  mark("views", "view", state.view);
  if (!state.made) return;
  const { dag, algorithm } = state.made;
  $("figure").innerHTML = state.view === "algorithm" ? algorithm : svg(state.view === "dag" ? dag : state.drawn.graph);
}
function mark(id, key, value) {
  for (const button of $(id).children) button.classList.toggle("on", button.dataset[key] === value);
}

// Numbers

function inputs() {
  if (!state.robot) return;
  const [, , given, , sign] = ASKED[state.kind], head = document.createElement("tr");
  head.innerHTML = ["joint", "q", "", SIGN.qd, SIGN[given], sign].map((t, i) => `<th${i === 5 ? ' style="text-align:right"' : ""}>${t}</th>`).join("");
  const rows = [head];
  let q = 0, v = 0;
  for (const joint of state.robot.joints) {
    const units = UNITS[joint.type] || {}, plain = joint.nq === 1 && joint.nv === 1;
    for (let k = 0; k < joint.nv; ++k, ++v) {
      const row = document.createElement("tr"), name = joint.nv > 1 ? `${joint.name}[${k}]` : joint.name;
      const [low, high] = joint.limits || (joint.type === "prismatic" ? [-1, 1] : [-3.1416, 3.1416]);
      const slider = `<input type="range" min="${low}" max="${high}" step="any" data-kind="q" data-at="${q}" data-coordinate="${v}"${joint.follows ? " disabled" : ""}>`;
      row.innerHTML = `<td class="name" title="${escaped(name)} (${joint.type}${joint.follows ? ", follows the others" : ""})">${escaped(name)}</td>` +
        (plain ? `<td>${slider}</td><td class="at"></td>` : "<td></td><td></td>") +
        ["qd", given].map((kind) => `<td><input type="number" step="${joint.follows ? "any" : 0.1}" title="${units[kind] || ""}" data-kind="${kind}" data-at="${v}"${joint.follows && kind !== "tau" ? " disabled" : ""}></td>`).join("") +
        `<td class="answer"></td>`;
      row.units = units;
      rows.push(row);
    }
    q += joint.nq;
  }
  $("answers").replaceChildren(...rows);
  for (const input of $("answers").querySelectorAll("input")) {
    input.value = state.values[input.dataset.kind][input.dataset.at];
    input.oninput = () => {
      if (state.loops && input.dataset.kind === "q") turn(Number(input.dataset.coordinate), Number(input.value));
      else state.values[input.dataset.kind][input.dataset.at] = Number(input.value) || 0;
      if (input.dataset.kind === "q") pose();
      answer();
    };
  }
  answer();
}
/** Turn an independent joint of a closed chain; the others follow, as far as the loops close. */
function turn(coordinate, value) {
  const arrived = state.loops.move(coordinate, value, 0.05);
  state.values.q = state.loops.q;
  $("stuck").textContent = arrived ? "" : "The loops do not close beyond here.";
}
/** Show what follows: positions and velocities of the dependent joints. */
function followed() {
  if (!state.loops) return;
  state.values.qd = [...state.loops.velocities(state.values.q, state.values.qd)];
  for (const input of $("answers").querySelectorAll("input")) {
    const value = state.values[input.dataset.kind][input.dataset.at];
    if (input.dataset.kind === "q") input.value = value;
    else if (input.disabled) input.value = input.dataset.kind === "qd" ? value.toFixed(2) : "";
  }
}
function pose() {
  if (state.poses) view.show(state.robot, state.poses(state.values.q));
}
function answer() {
  followed();
  for (const input of $("answers").querySelectorAll("input[type=range]")) {
    const unit = input.closest("tr").units.q || "";
    input.parentElement.nextElementSibling.textContent = `${state.values.q[input.dataset.at].toFixed(2)} ${unit}`;
  }
  if (!state.code) return;
  const [a, b, c, asked] = ASKED[state.kind], given = [a, b, c].flatMap((kind) => state.values[kind]);
  let found = state.code(given), calls = 0; // the first call of a module compiles it
  const start = performance.now();
  do found = state.code(given); while (++calls < 200 && performance.now() - start < 4);
  const micro = (1e3 * (performance.now() - start)) / calls;
  state.answer = [...found];
  const rows = [...$("answers").querySelectorAll("tr")].slice(1);
  rows.forEach((row, i) => {
    row.querySelector(".answer").textContent = Number.isFinite(found[i]) ? "" : "no number";
    if (Number.isFinite(found[i])) row.querySelector(".answer").innerHTML = `${found[i].toFixed(3)} <small>${row.units[asked] || ""}</small>`;
  });
  $("time").textContent = `WebAssembly of ${state.made.operations} operations, written from this elimination: ${micro < 0.1 ? "below 0.1" : micro.toFixed(1)} \u00b5s a call.`;
}
$("zero").onclick = () => {
  if (!state.robot) return;
  state.values = atRest(state.robot);
  inputs();
  pose();
};
$("random").onclick = () => {
  if (!state.robot) return;
  const some = (size) => Array.from({ length: size }, () => Math.round(200 * (Math.random() - 0.5)) / 100);
  for (const kind of ["qd", "qdd", "tau"]) state.values[kind] = some(state.values[kind].length);
  let at = 0, coordinate = 0;
  for (const joint of state.robot.joints) {
    const [low, high] = joint.limits || [-1.5, 1.5], value = low + Math.random() * (high - low);
    if (state.loops && joint.nq === 1 && !joint.follows) turn(coordinate, value);
    else if (!state.loops && joint.nq === 1) state.values.q[at] = value;
    at += joint.nq;
    coordinate += joint.nv;
  }
  $("stuck").textContent = "";
  inputs();
  pose();
};

// What people drop, choose and press

async function dropped(found) {
  const robot = found.find(({ path }) => ROBOT_FILE.test(path)), meshes = found.filter(({ path }) => MESH_FILE.test(path));
  const chosen = robot || (meshes.length ? null : found[0]);
  if (chosen) return open(await chosen.file.text(), chosen.file.name, meshes);
  if (!state.robot || !meshes.length) return;
  const files = [...state.files, ...meshes], note = await dressed(state.robot, files);
  state.files = files;
  $("warnings").textContent = [...note, ...state.robot.warnings.slice(0, 3)].join(" \u2022 ");
  view.show(state.robot, state.poses(state.values.q), true);
}
addEventListener("dragover", (event) => { if (!dragged) { event.preventDefault(); document.body.classList.add("over"); } });
addEventListener("dragleave", (event) => { if (!event.relatedTarget) document.body.classList.remove("over"); });
addEventListener("drop", (event) => {
  document.body.classList.remove("over");
  if (dragged) return;
  event.preventDefault();
  const found = droppedFiles(event.dataTransfer); // a drop can be read now alone
  tried(async () => dropped(await found));
});
$("file").onchange = () => tried(() => dropped([...$("file").files].map((file) => ({ path: file.name, file }))));
for (const [name, text] of Object.entries(BUILT_IN)) {
  const button = document.createElement("button");
  button.textContent = name;
  button.onclick = () => tried(() => open(text, `${name}.urdf`));
  $("builtin").append(button);
}
for (const button of $("questions").children) button.onclick = () => state.robot && tried(() => question(button.dataset.kind));
for (const button of $("views").children) button.onclick = () => { state.view = button.dataset.view; figure(); };

tried(async () => {
  await ask("start", { text: $("data").textContent });
  $("data").remove();
  await open(BUILT_IN.rrr, "rrr.urdf");
});
