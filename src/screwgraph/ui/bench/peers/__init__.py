"""Other libraries, one a file."""

from screwgraph.ui.bench.peers.base import Case, NotMeasuredError, Peer, PeerResult, import_peer
from screwgraph.ui.bench.peers.mujoco import Mujoco
from screwgraph.ui.bench.peers.pinocchio import PinocchioFromPython

PYTHON_PEERS: tuple[Peer, ...] = (PinocchioFromPython(), Mujoco())
"""Those that are called from Python and need nothing but a package."""

__all__ = [
    "PYTHON_PEERS",
    "Case",
    "Mujoco",
    "NotMeasuredError",
    "Peer",
    "PeerResult",
    "PinocchioFromPython",
    "import_peer",
]
