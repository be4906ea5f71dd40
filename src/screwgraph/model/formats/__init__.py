"""Robot files: URDF, SDF, MJCF and our own YAML, read with a clear line for whatever is wrong in them, and written."""

from typing import TYPE_CHECKING

from screwgraph.base.deprecated import old_names
from screwgraph.model.formats.arrays.array_files import read_arrays
from screwgraph.model.formats.arrays.mapped_tables import (
    Table,
    check_increasing,
    load_table,
    locate_names,
    read_long_arrays,
    read_long_table,
    read_table,
)
from screwgraph.model.formats.arrays.state_files import read_state, write_state
from screwgraph.model.formats.diagnostics import Place, quote_text, suggest_name
from screwgraph.model.formats.expressions import evaluate_parameters
from screwgraph.model.formats.file_io import read_bytes, write_atomically
from screwgraph.model.formats.load import load, zoo_names
from screwgraph.model.formats.meshes.mesh_files import (
    Triangles,
    face_colours,
    hull,
    outline,
    split_readable,
    summarise_unreadable,
    thin_mesh,
    triangles,
)
from screwgraph.model.formats.meshes.mesh_paths import is_missing
from screwgraph.model.formats.packages import Packages
from screwgraph.model.formats.robot_yaml.writer import from_text, to_text, try_to_text
from screwgraph.model.formats.text_sources import TEXT, is_text, is_xml, model_name
from screwgraph.model.formats.yaml_values import Value, parse_yaml

__all__ = [
    "TEXT",
    "Packages",
    "Place",
    "Table",
    "Triangles",
    "Value",
    "check_increasing",
    "evaluate_parameters",
    "face_colours",
    "from_text",
    "hull",
    "is_missing",
    "is_text",
    "is_xml",
    "load",
    "load_table",
    "locate_names",
    "model_name",
    "outline",
    "parse_yaml",
    "quote_text",
    "read_arrays",
    "read_bytes",
    "read_long_arrays",
    "read_long_table",
    "read_state",
    "read_table",
    "split_readable",
    "suggest_name",
    "summarise_unreadable",
    "thin_mesh",
    "to_text",
    "triangles",
    "try_to_text",
    "write_atomically",
    "write_state",
    "zoo_names",
]

if not TYPE_CHECKING:
    __getattr__ = old_names(__name__)
