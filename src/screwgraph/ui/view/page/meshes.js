// Meshes of size 1, as rows of position and normal: every shape is made of them.
function boxMesh() {
  const rows = [];
  for (let axis = 0; axis < 3; axis++)
    for (const side of [-1, 1]) {
      const corner = (u, v) => {
        const p = [0, 0, 0], n = [0, 0, 0];
        p[axis] = 0.5 * side; p[(axis + 1) % 3] = u; p[(axis + 2) % 3] = v; n[axis] = side;
        rows.push(...p, ...n);
      };
      for (const [u, v] of [[-1, -1], [1, -1], [1, 1], [-1, -1], [1, 1], [-1, 1]]) corner(0.5 * u, 0.5 * v);
    }
  return rows;
}

function grid(rows, m, n, vertex) {
  for (let i = 0; i < m; i++)
    for (let j = 0; j < n; j++)
      for (const [a, b] of [[0, 0], [1, 0], [1, 1], [0, 0], [1, 1], [0, 1]]) rows.push(...vertex((i + a) / m, (j + b) / n));
  return rows;
}

function sphereMesh() {
  return grid([], 28, 16, (u, v) => {
    const a = 2 * Math.PI * u, b = Math.PI * v, n = [Math.sin(b) * Math.cos(a), Math.sin(b) * Math.sin(a), Math.cos(b)];
    return [...n, ...n];
  });
}

// Corners of triangles, nine numbers each, with the normals of these.
function surfaceMesh(triangles) {
  const rows = [];
  for (let i = 0; i < triangles.length; i += 9) {
    const [a, b, c] = [0, 3, 6].map((k) => [...triangles.subarray(i + k, i + k + 3)]);
    const n = unit(cross(add(b, scaled(a, -1)), add(c, scaled(a, -1))));
    rows.push(...a, ...n, ...b, ...n, ...c, ...n);
  }
  return rows;
}

// Coordinates of corners, and three of their numbers for each triangle, as nine coordinates for each.
function cornersOf(corners, faces) {
  const triangles = new Float32Array(3 * faces.length);
  faces.forEach((corner, i) => triangles.set(corners.subarray(3 * corner, 3 * corner + 3), 3 * i));
  return triangles;
}

// Radius 1, length 1 along z, faces included.
function cylinderMesh() {
  const round = (a) => [Math.cos(2 * Math.PI * a), Math.sin(2 * Math.PI * a)];
  const rows = grid([], 36, 1, (u, v) => [...round(u), v - 0.5, ...round(u), 0]);
  for (const side of [-1, 1]) grid(rows, 36, 1, (u, v) => [...round(u).map((x) => x * v), 0.5 * side, 0, 0, side]);
  return rows;
}
