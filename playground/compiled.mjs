// Compiles Python sources with the page's own Python: node compiled.mjs PACKAGE SOURCES.zip RESULT.zip
// Sources would be compiled each time that the page is opened, for four of five seconds. Docstrings and tables of lines,
// which nobody reads there, are left out.

import fs from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, source, result] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`));
const python = await loadPyodide({ indexURL: `${folder}/` });
python.FS.writeFile("/sources.zip", fs.readFileSync(source));
python.runPython(`
import types, zipfile
from importlib._bootstrap_external import _code_to_hash_pyc

def bare(code):
    inner = tuple(bare(c) if isinstance(c, types.CodeType) else c for c in code.co_consts)
    return code.replace(co_linetable=b"", co_consts=inner)

with zipfile.ZipFile("/sources.zip") as source, zipfile.ZipFile("/result.zip", "w") as result:
    for name in source.namelist():
        code = compile(source.read(name), name, "exec", optimize=2, dont_inherit=True)
        result.writestr(zipfile.ZipInfo(name + "c"), _code_to_hash_pyc(bare(code), bytes(8), False))
`);
fs.writeFileSync(result, python.FS.readFile("/result.zip"));
