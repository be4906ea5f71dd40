// Figures of graphs as SVG, and the colours of variables.

const COLOURS = {
  acceleration: ["#d3ecd5", "#2a7d3b"], twist: ["#d3ecd5", "#2a7d3b"], wrench: ["#d5e4f7", "#2160a8"],
  tau: ["#fde2c4", "#c05f00"], qdd: ["#fde2c4", "#c05f00"],
};
const colours = (kind) => COLOURS[kind] || ["#e6e2ee", "#5d5279"];
const escaped = (text) => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
const r = (x) => Math.round(100 * x) / 100;

/** The SVG of a figure: nodes over edges, texts over nodes; a point is a point. */
function svg({ bounds, edges, nodes, texts }) {
  const [left, top, right, bottom] = bounds, margin = 12;
  const [w, h] = [right - left + 2 * margin, bottom - top + 2 * margin];
  const parts = [`<svg xmlns="http://www.w3.org/2000/svg" viewBox="${r(left - margin)} ${r(top - margin)} ${r(w)} ${r(h)}" width="${r(1.35 * w)}">`];
  for (const { points, colour, arrow, ends } of edges) {
    const path = points.map(([x, y], i) => `${["M", points.length > 2 ? "Q" : "L", ""][i]}${r(x)} ${r(y)}`).join(" ");
    parts.push(`<path d="${path}" fill="none" stroke="${colour}" stroke-width="1.1" data-ends="${escaped(ends.join(" "))}"/>`);
    if (arrow) parts.push(head(points, colour));
  }
  for (const { name, shape, at: [x, y], radius, fill, line, label } of nodes) {
    const look = `fill="${shape === "dot" ? line : fill}" stroke="${line}" stroke-width="1.1" data-name="${escaped(name)}"`;
    if (shape === "square") parts.push(`<rect x="${r(x - radius)}" y="${r(y - radius)}" width="${r(2 * radius)}" height="${r(2 * radius)}" ${look}/>`);
    else parts.push(`<circle cx="${r(x)}" cy="${r(y)}" r="${r(radius)}" ${look}><title>${escaped(name)}</title></circle>`);
    if (label) parts.push(`<text x="${r(x)}" y="${r(y + 4)}" text-anchor="middle" font-family="'STIX Two Text','Times New Roman',serif" font-size="13" pointer-events="none"><tspan font-style="italic">${escaped(label[0])}</tspan><tspan font-size="9" dy="3">${escaped(label[1])}</tspan></text>`);
  }
  for (const { text, at: [x, y], align, size, colour } of texts) {
    const anchor = { left: "start", center: "middle", right: "end" }[align];
    parts.push(`<text x="${r(x)}" y="${r(y + size / 3)}" text-anchor="${anchor}" font-size="${0.88 * size}" fill="${colour}" font-family="'STIX Two Text','Times New Roman',serif">${escaped(text)}</text>`);
  }
  return parts.join("") + "</svg>";
}

function head(points, colour) {
  const [x, y] = points.at(-1), [u, v] = points.at(-2), length = Math.hypot(x - u, y - v) || 1;
  const [a, b] = [(x - u) / length, (y - v) / length], [p, q] = [x - 6.5 * a, y - 6.5 * b];
  return `<path d="M${r(x)} ${r(y)} L${r(p - 2.6 * b)} ${r(q + 2.6 * a)} L${r(p + 2.6 * b)} ${r(q - 2.6 * a)} Z" fill="${colour}"/>`;
}
