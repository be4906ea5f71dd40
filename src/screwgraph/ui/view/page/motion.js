// The scene: what moves, and where it is at a time.
const floats = (text) => new Float32Array(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
const counts = (text) => new Uint16Array(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
const scene = JSON.parse(document.getElementById("scene").textContent);
const times = floats(scene.t);
const bodies = scene.bodies.map((body) => ({...body, poses: floats(body.poses)}));
const trails = [...scene.lines, ...scene.points].map((trail) => ({...trail, data: floats(trail.data)}));
const surfaces = scene.surfaces.map((surface) => ({...surface, triangles: floats(surface.triangles)}));
const duration = times[times.length - 1] - times[0];

// The frame before a time (from 0), and the share of the way to the next one.
function frameAt(time) {
  const t = Math.min(Math.max(times[0] + time, times[0]), times[times.length - 1]);
  let low = 0, high = times.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) low = middle; else high = middle;
  }
  const step = times[high] - times[low];
  return [low, high, step > 0 ? (t - times[low]) / step : 0];
}

function mixed(data, size, [low, high, share]) {
  if (data.length === size) return data;
  const a = data.subarray(low * size, low * size + size), b = data.subarray(high * size, high * size + size);
  return share === 0 ? a : share === 1 ? b : a.map((value, i) => value + share * (b[i] - value));
}

function poseAt(body, frame) {
  if (body.matrix) return body.matrix; // where sliders have put it
  if (body.poses.length === 7) return poseMatrix(body.poses);
  const [low, high, share] = frame, a = body.poses.subarray(low * 7, low * 7 + 7), b = body.poses.subarray(high * 7, high * 7 + 7);
  const same = a[3] * b[3] + a[4] * b[4] + a[5] * b[5] + a[6] * b[6] < 0 ? -1 : 1;
  const pose = a.map((value, i) => value + share * ((i < 3 ? 1 : same) * b[i] - value));
  const length = Math.hypot(pose[3], pose[4], pose[5], pose[6]);
  return poseMatrix(pose.map((value, i) => (i < 3 ? value : value / length)));
}
