// Play, pause, time, and a hand on the camera.
const part = (name) => document.getElementById(name);
const errors = [];
let time = 0, playing = false, last = null, asked = false;

function ask() {
  if (asked) return;
  asked = true;
  requestAnimationFrame((now) => {
    asked = false;
    if (playing) {
      const passed = last === null ? 0 : (now - last) / 1000 * Number(part("speed").value);
      last = now;
      time = time + passed > duration ? 0 : time + passed;
    }
    show();
    if (playing) ask();
  });
}

function show() {
  part("slider").value = duration > 0 ? 1000 * time / duration : 0;
  part("clock").value = time.toFixed(2) + " s of " + duration.toFixed(2) + " s";
  part("play").textContent = playing ? "||" : "\u25b6";
  render(time);
}

function play() { playing = duration > 0; last = null; ask(); }
function pause() { playing = false; ask(); }
function setTime(value) { pause(); time = Math.min(Math.max(Number(value) || 0, 0), duration); show(); }

part("play").addEventListener("click", () => (playing ? pause() : play()));
part("slider").addEventListener("input", () => setTime(duration * part("slider").value / 1000));
part("reset").addEventListener("click", () => { eye = {...eyeFirst}; ask(); });
part("bar").addEventListener("submit", (event) => event.preventDefault());
addEventListener("resize", ask);
addEventListener("error", (event) => errors.push(String(event.message)));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", ask);
canvas.addEventListener("keydown", (event) => {
  const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
  if (event.key === " ") { event.preventDefault(); playing ? pause() : play(); }
  else if (step) setTime(time + step * duration / 100);
});

const pointers = new Map();
const spread = () => { const [a, b] = [...pointers.values()]; return Math.hypot(a.x - b.x, a.y - b.y) || 1; };
const zoom = (factor) => { eye.distance = Math.min(Math.max(eye.distance * factor, 0.05), 20); };
function pan(x, y) {
  const view = camera();
  eye.target = add(eye.target, add(scaled(view.right, -x * view.scale), scaled(view.top, y * view.scale)));
}
canvas.addEventListener("pointerdown", (event) => {
  canvas.setPointerCapture(event.pointerId);
  pointers.set(event.pointerId, {x: event.clientX, y: event.clientY});
});
canvas.addEventListener("pointermove", (event) => {
  const before = pointers.get(event.pointerId);
  if (!before || !gl) return;
  const apart = pointers.size === 2 ? spread() : 0, x = event.clientX - before.x, y = event.clientY - before.y;
  pointers.set(event.pointerId, {x: event.clientX, y: event.clientY});
  if (pointers.size === 2) { zoom(apart / spread()); pan(x / 2, y / 2); }
  else if (event.shiftKey || event.buttons & 6) pan(x, y);
  else {
    eye.turn -= 0.008 * x;
    eye.lift = Math.min(Math.max(eye.lift + 0.008 * y, -1.57), 1.57);
  }
  ask();
});
for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => pointers.delete(event.pointerId));
canvas.addEventListener("wheel", (event) => { event.preventDefault(); zoom(Math.exp(0.0012 * event.deltaY)); ask(); }, {passive: false});
canvas.addEventListener("contextmenu", (event) => event.preventDefault());

for (const trail of trails) {
  if (!trail.name) continue;
  const entry = document.createElement("li"), swatch = document.createElement("i");
  entry.textContent = trail.name;
  swatch.style.background = trail.colour;
  entry.append(swatch);
  part("legend").append(entry);
}
if (!gl) {
  part("complaint").hidden = false;
  part("complaint").textContent = "This browser has no WebGL, which draws the animation.";
}
for (const name of ["play", "slider", "clock", "speed"]) part(name).hidden = !(duration > 0);
for (const name of ["frames", "com"]) part(name).addEventListener("change", (event) => { choice[name] = event.target.checked; ask(); });
part("com").parentElement.hidden = !massive.length;

window.screwgraph = {
  bodies: bodies.map((body) => body.name), duration, errors, setTime, play, pause,
  get time() { return time; },
  get playing() { return playing; },
  get ready() { return Boolean(paint) && errors.length === 0; },
  pose(name) {  // row after row, at the time shown
    const M = poseAt(bodies.find((body) => body.name === name), frameAt(time));
    return [0, 1, 2, 3].flatMap((i) => [M[i], M[4 + i], M[8 + i], M[12 + i]]);
  },
};
show();
if (!matchMedia("(prefers-reduced-motion: reduce)").matches) play();
