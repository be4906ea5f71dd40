// Unpacks Python and screwgraph, starts them beside the page, and answers its questions one after the other.

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;,=>?@^_`{|}~";

/** Bytes of a text in base 85, five letters for four bytes. */
function bytesOf(text) {
  const digit = new Uint8Array(128);
  for (let i = 0; i < 85; ++i) digit[ALPHABET.charCodeAt(i)] = i;
  const found = new Uint8Array((text.length / 5) * 4), view = new DataView(found.buffer);
  for (let i = 0, at = 0; i < text.length; at += 4) {
    let word = 0;
    for (let k = 0; k < 5; ++k) word = word * 85 + digit[text.charCodeAt(i++)];
    view.setUint32(at, word);
  }
  return found;
}

/** What an LZMA stream (the format of .lzma files, its length in the header) holds. */
function unpacked(input) {
  const header = new DataView(input.buffer, input.byteOffset);
  const lc = input[0] % 9, lp = Math.floor(input[0] / 9) % 5, pb = Math.floor(input[0] / 45);
  const size = header.getUint32(5, true), out = new Uint8Array(size);
  const MATCH = 0, REP = 192, REP0 = 204, REP1 = 216, REP2 = 228, REP0_LONG = 240, SLOT = 432, SPECIAL = 688;
  const ALIGN = 816, LENGTH = 832, REP_LENGTH = 1346, LITERAL = 1860;
  const odds = new Uint16Array(LITERAL + (0x300 << (lc + lp))).fill(1024);
  let at = 18, range = 0xffffffff, code = header.getUint32(14);

  function bit(place) {
    const chance = odds[place], bound = (range >>> 11) * chance;
    let found = 0;
    if (code < bound) {
      range = bound;
      odds[place] = chance + ((2048 - chance) >> 5);
    } else {
      range -= bound;
      code -= bound;
      odds[place] = chance - (chance >> 5);
      found = 1;
    }
    if (range < 0x1000000) {
      range *= 256;
      code = code * 256 + input[at++];
    }
    return found;
  }
  function number(place, bits) {
    let found = 1;
    for (let i = 0; i < bits; ++i) found = 2 * found + bit(place + found);
    return found - (1 << bits);
  }
  function reversed(place, bits) {
    let found = 0;
    for (let i = 0, node = 1; i < bits; ++i) {
      const next = bit(place + node);
      node = 2 * node + next;
      found |= next << i;
    }
    return found;
  }
  function even(bits) {
    let found = 0;
    for (let i = 0; i < bits; ++i) {
      range = Math.floor(range / 2);
      const next = code >= range ? 1 : 0;
      if (next) code -= range;
      found = 2 * found + next;
      if (range < 0x1000000) {
        range *= 256;
        code = code * 256 + input[at++];
      }
    }
    return found;
  }
  function length(place, position) {
    if (!bit(place)) return 2 + number(place + 2 + 8 * position, 3);
    if (!bit(place + 1)) return 10 + number(place + 130 + 8 * position, 3);
    return 18 + number(place + 258, 8);
  }

  let state = 0, done = 0, rep0 = 0, rep1 = 0, rep2 = 0, rep3 = 0;
  while (done < size) {
    const position = done & ((1 << pb) - 1);
    if (!bit(MATCH + 16 * state + position)) {
      const before = done ? out[done - 1] : 0;
      const place = LITERAL + 0x300 * (((done & ((1 << lp) - 1)) << lc) + (before >> (8 - lc)));
      let symbol = 1;
      if (state >= 7) {
        let match = out[done - rep0 - 1];
        while (symbol < 256) {
          const expected = match >> 7, next = bit(place + 256 * (1 + expected) + symbol);
          match = (match << 1) & 255;
          symbol = 2 * symbol + next;
          if (next !== expected) break;
        }
      }
      while (symbol < 256) symbol = 2 * symbol + bit(place + symbol);
      out[done++] = symbol;
      state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
      continue;
    }
    let count;
    if (bit(REP + state)) {
      if (!bit(REP0 + state)) {
        if (!bit(REP0_LONG + 16 * state + position)) {
          state = state < 7 ? 9 : 11;
          out[done] = out[done - rep0 - 1];
          ++done;
          continue;
        }
      } else {
        let distance = rep1;
        if (bit(REP1 + state)) {
          distance = rep2;
          if (bit(REP2 + state)) {
            distance = rep3;
            rep3 = rep2;
          }
          rep2 = rep1;
        }
        rep1 = rep0;
        rep0 = distance;
      }
      count = length(REP_LENGTH, position);
      state = state < 7 ? 8 : 11;
    } else {
      [rep3, rep2, rep1] = [rep2, rep1, rep0];
      count = length(LENGTH, position);
      state = state < 7 ? 7 : 10;
      const slot = number(SLOT + 64 * Math.min(count - 2, 3), 6), bits = (slot >> 1) - 1;
      rep0 = slot;
      if (slot >= 14) rep0 = (2 + (slot & 1)) * 2 ** bits + even(bits - 4) * 16 + reversed(ALIGN, 4);
      else if (slot >= 4) {
        rep0 = (2 + (slot & 1)) << bits;
        rep0 += reversed(SPECIAL + rep0 - slot, bits);
      }
    }
    for (let from = done - rep0 - 1; count > 0 && done < size; --count) out[done++] = out[from++];
  }
  return out;
}

/** The files of an archive: the length of a list of names and sizes, the list, and the files. */
function filesOf(archive) {
  const view = new DataView(archive.buffer), found = {};
  let at = 4 + view.getUint32(0);
  for (const [name, size] of JSON.parse(new TextDecoder().decode(archive.subarray(4, at)))) {
    found[name] = archive.subarray(at, at + size);
    at += size;
  }
  return found;
}

const say = (text) => postMessage({ doing: text });
const imported = (bytes) => import(URL.createObjectURL(new Blob([bytes], { type: "text/javascript" })));
let python, program, session, question;

async function start(text) {
  say("unpacking Python and screwgraph");
  const files = filesOf(unpacked(bytesOf(text)));
  // Python asks for its own files by address: they are here already, and nothing else is ever asked for.
  globalThis.fetch = async (address) => {
    const file = files[String(address).split("/").pop()];
    if (!file) throw new Error(`the page is offline: ${address}`);
    return new Response(file, { headers: { "Content-Type": "application/wasm" } });
  };
  say("starting Python");
  const { loadPyodide } = await imported(files["pyodide.mjs"]);
  const createPyodideModule = (await imported(files["pyodide.asm.mjs"])).default;
  const lockFileContents = JSON.parse(new TextDecoder().decode(files["lock.json"]));
  python = await loadPyodide({ indexURL: "https://page.invalid/", createPyodideModule, lockFileContents });
  say("loading screwgraph");
  python.FS.writeFile("/screwgraph.zip", files["screwgraph.zip"]);
  python.runPython("import sys; sys.path.insert(0, '/screwgraph.zip')");
  program = python.pyimport("program");
}

const answers = {
  start: ({ text }) => start(text),
  open: ({ text, file }) => {
    const next = program.opened(text, file, say);
    [session, question] = [next, undefined];
    return JSON.parse(session.described());
  },
  ask: ({ kind }) => {
    question = session.asked(kind);
    say("drawing the factor graph");
    return JSON.parse(question.drawn());
  },
  eliminate: ({ order }) => JSON.parse(question.eliminated(typeof order === "string" ? order : JSON.stringify(order))),
  count: ({ order }) => question.counted(order),
};

/** The message of an error: Python's own errors are asked for theirs. */
function message(error) {
  if (!python || !(error instanceof python.ffi.PythonError)) return String(error);
  return python.runPython("import sys\nfrom program import failure\nfailure(sys.last_exc)");
}

let line = Promise.resolve();
onmessage = ({ data }) => {
  line = line.then(async () => {
    try {
      postMessage({ id: data.id, answer: await answers[data.what](data) });
    } catch (error) {
      postMessage({ id: data.id, error: message(error) });
    }
  });
};
