"""Dynamics of a tree need few libraries: the first call is not for waiting."""

import subprocess
import sys

SCRIPT = """
import sys
import screwgraph as sg
f = sg.forward_dynamics(sg.load("rr"))
f([0.0, 0.0], [0.0, 0.0], [0.0, 0.0])
print(*sorted({name.partition(".")[0] for name in sys.modules} & {"scipy", "matplotlib", "casadi", "dask", "mujoco"}))
"""


def test_importing_the_package_imports_none_of_its_modules():
    script = "import sys, screwgraph; print(*[name for name in sys.modules if name.startswith('screwgraph.')])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_no_large_library_is_imported_before_it_is_needed():
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
