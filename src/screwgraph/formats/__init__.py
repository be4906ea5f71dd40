"""Robot files: URDF, SDF, MJCF and our own YAML, read with a clear line for whatever is wrong in them, and written."""

from screwgraph.formats.diagnostics import Place, did_you_mean, shown
from screwgraph.formats.expressions import evaluate_parameters
from screwgraph.formats.files import read_bytes, write_atomically
from screwgraph.formats.load import load, zoo_names
from screwgraph.formats.long_tables import read_long_arrays, read_long_table
from screwgraph.formats.mesh_files import Triangles, hull, outline, readable, summary, thinned, triangles
from screwgraph.formats.meshes import is_missing
from screwgraph.formats.packages import Packages
from screwgraph.formats.save import save
from screwgraph.formats.state_files import read_state, write_state
from screwgraph.formats.tables import Table, read_table
from screwgraph.formats.text import described, from_text, to_text
from screwgraph.formats.texts import TEXT, is_text, is_xml, model_name
from screwgraph.formats.yaml_values import Value, parse_yaml

__all__ = [
    "TEXT",
    "Packages",
    "Place",
    "Table",
    "Triangles",
    "Value",
    "described",
    "did_you_mean",
    "evaluate_parameters",
    "from_text",
    "hull",
    "is_missing",
    "is_text",
    "is_xml",
    "load",
    "model_name",
    "outline",
    "parse_yaml",
    "read_bytes",
    "read_long_arrays",
    "read_long_table",
    "read_state",
    "read_table",
    "readable",
    "save",
    "shown",
    "summary",
    "thinned",
    "to_text",
    "triangles",
    "write_atomically",
    "write_state",
    "zoo_names",
]
