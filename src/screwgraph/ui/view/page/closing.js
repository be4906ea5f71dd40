// Closed loops: chosen coordinates go where they are told, the others follow so that loops close, by Newton's method.
const CLOSED = 1e-10, ROUNDS = 25, LEAST = 1e-12;

// The solution of A d = b, by elimination with pivots.
function solution(A, b) {
  const n = b.length, rows = A.map((row, i) => [...row, b[i]]);
  for (let k = 0; k < n; k++) {
    let best = k;
    for (let i = k + 1; i < n; i++) if (Math.abs(rows[i][k]) > Math.abs(rows[best][k])) best = i;
    [rows[k], rows[best]] = [rows[best], rows[k]];
    for (let i = k + 1; i < n; i++) {
      const factor = rows[i][k] / rows[k][k];
      for (let j = k; j <= n; j++) rows[i][j] -= factor * rows[k][j];
    }
  }
  const d = new Array(n);
  for (let k = n - 1; k >= 0; k--) {
    d[k] = rows[k][n];
    for (let j = k + 1; j < n; j++) d[k] -= rows[k][j] * d[j];
    d[k] /= rows[k][k];
  }
  return d;
}

// The coordinates d that make the sum of columns A_i d_i nearest to b; of rows that say the same, one counts.
function nearest(columns, b) {
  const inner = (a, c) => a.reduce((sum, value, i) => sum + value * c[i], 0);
  const A = columns.map((a, i) => columns.map((c, j) => inner(a, c) + (i === j ? LEAST : 0)));
  return solution(A, columns.map((a) => inner(a, b)));
}

// The coordinates next to `at` at which all loops are closed, null where Newton's method does not get there; `errors(x)`
// tells by how much loops are open, and `dependent` lists the coordinates that may change.
function closed(errors, dependent, at) {
  for (let round = 0; round < ROUNDS; round++) {
    const open = errors(at), worst = open.reduce((most, r) => Math.max(most, Math.abs(r)), 0);
    if (worst < CLOSED) return at;
    const slopes = dependent.map((k) => {
      const [ahead, behind] = [1e-6, -1e-6].map((h) => { const there = at.slice(); there[k] += h; return errors(there); });
      return ahead.map((value, i) => (value - behind[i]) / 2e-6);
    });
    const d = nearest(slopes, open).map((step) => -step);
    if (!d.every((step) => Math.abs(step) < 1)) return null;
    dependent.forEach((k, i) => { at[k] += d[i]; });
  }
  return null;
}

// Where a coordinate gets to on its way to a value, in strides of `step`, while the loops close; whether it gets there.
function follow(errors, dependent, x, coordinate, value, step) {
  const from = x[coordinate], count = Math.max(1, Math.ceil(Math.abs(value - from) / step));
  for (let s = 1; s <= count; s++) {
    const next = x.slice();
    next[coordinate] = from + (value - from) * s / count;
    const found = closed(errors, dependent, next);
    if (!found) return [x, false];
    x = found;
  }
  return [x, true];
}
