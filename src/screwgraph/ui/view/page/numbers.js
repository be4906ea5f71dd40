// Small linear algebra; matrices are 4 x 4, column after column, as WebGL takes them.
const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const scaled = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => scaled(a, 1 / (Math.hypot(a[0], a[1], a[2]) || 1));

function product(A, B) {
  const C = new Float32Array(16);
  for (let j = 0; j < 4; j++)
    for (let i = 0; i < 4; i++)
      for (let k = 0; k < 4; k++) C[4 * j + i] += A[4 * k + i] * B[4 * j + k];
  return C;
}

// The matrix of x y z and a unit quaternion x y z w.
function poseMatrix([x, y, z, a, b, c, w]) {
  return new Float32Array([
    1 - 2 * (b * b + c * c), 2 * (a * b + c * w), 2 * (a * c - b * w), 0,
    2 * (a * b - c * w), 1 - 2 * (a * a + c * c), 2 * (b * c + a * w), 0,
    2 * (a * c + b * w), 2 * (b * c - a * w), 1 - 2 * (a * a + b * b), 0,
    x, y, z, 1]);
}

// What turns normals: cofactors of the upper 3 x 3 part, which are its inverse transposed but for a factor.
function normalMatrix(M) {
  const a = [M[0], M[1], M[2]], b = [M[4], M[5], M[6]], c = [M[8], M[9], M[10]];
  return new Float32Array([...cross(b, c), ...cross(c, a), ...cross(a, b)]);
}

function perspective(angle, aspect, near, far) {
  const f = 1 / Math.tan(angle / 2), d = near - far;
  return new Float32Array([f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / d, -1, 0, 0, 2 * far * near / d, 0]);
}

function lookAt(eye, target, up) {
  const z = unit(add(eye, scaled(target, -1))), x = unit(cross(up, z)), y = cross(z, x);
  return new Float32Array([x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0, -dot(x, eye), -dot(y, eye), -dot(z, eye), 1]);
}

// Two unit vectors that make a right-handed frame with a third.
function beside(up) {
  const e = Math.abs(up[2]) > 0.5 ? [1, 0, 0] : Math.abs(up[1]) > 0.5 ? [1, 0, 0] : [0, 0, 1];
  const x = unit(add(e, scaled(up, -dot(e, up))));
  return [x, cross(up, x)];
}
