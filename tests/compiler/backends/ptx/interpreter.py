"""An interpreter of PTX for tests: the instructions that kernels have, on NumPy arrays, one lane for each thread.

Registers hold bits. Threads that branch apart go on one group at a time, that of the first instruction first, so that
all meet again behind loops and branches. What it does not know is an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

BITS = {1: np.bool_, 8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}
FLOATS = {32: np.float32, 64: np.float64}
SIGNED = {16: np.int16, 32: np.int32, 64: np.int64}
LOCAL = 1 << 40
"""Addresses from which on memory is a thread's own."""
Array = np.ndarray


@dataclass(frozen=True)
class Kernel:
    """The entry of a text of PTX: its parameters, its memory for each thread, its lines, and tables."""

    name: str
    parameters: tuple[tuple[str, int], ...]
    depot: int
    lines: tuple[tuple[str, str, tuple[str, ...]], ...]
    labels: dict[str, int]
    tables: dict[str, bytes]


def read(text: str) -> Kernel:
    """Read the only entry of a text."""
    (name,) = re.findall(r"\.visible \.entry (\w+)\(", text)
    assert ".func" not in text
    assert ".extern" not in text
    head, body = text.split(".entry", 1)[1].split("\n{\n", 1)
    parameters = [(n, int(bits)) for bits, n in re.findall(r"\.param \.[a-z](\d+)[^,\n]*?\s(\w+)[,\n]", head + "\n")]
    listed = re.findall(r"\.b8 (\w+)\[(\d+)\] = \{([^}]*)\}", text)
    tables = {n: bytes(map(int, row.split(","))).ljust(int(size), b"\0") for n, size, row in listed}
    depot = re.search(r"__local_depot0\[(\d+)\]", body)
    lines, labels = [], {}
    for line in body[: body.rindex("}")].splitlines():
        line = line.split("//")[0].strip()
        if line.endswith(":"):
            labels[line[:-1]] = len(lines)
        elif line and not line.startswith(("{", "}", ".")):
            guard, rest = re.fullmatch(r"(?:@(!?%p\d+)\s+)?(.*);", line).groups()
            operation, _, operands = rest.partition(" ")
            parts = re.findall(r"\{[^}]*\}|\[[^\]]*\]|[^,\s]+", operands.replace("\t", " "))
            lines.append((guard or "", operation.strip(), tuple(parts)))
    return Kernel(name, tuple(parameters), int(depot[1]) if depot else 0, tuple(lines), labels, tables)


class Machine:
    """The threads of one launch, in the memory `arena`, whose first byte has the address 0."""

    def __init__(self, kernel: Kernel, arena: Array, grid: int, block: int, parameters: Sequence[int]) -> None:
        self.kernel, self.count = kernel, grid * block
        self.tables, start = {}, len(arena) + (-len(arena)) % 64
        pieces = [arena, np.zeros(start - len(arena), np.uint8)]
        for name, data in kernel.tables.items():
            self.tables[name] = start
            pieces.append(np.frombuffer(data + bytes(-len(data) % 64), np.uint8))
            start += len(pieces[-1])
        self.arena, self.memory = arena, np.concatenate(pieces)
        self.depot = np.zeros((self.count, kernel.depot + 8), np.uint8)
        threads = np.arange(self.count)
        self.special = {"%tid.x": threads % block, "%ctaid.x": threads // block, "%ntid.x": np.full(self.count, block)}
        self.parameters = {n: value for (n, _), value in zip(kernel.parameters, parameters, strict=True)}
        self.registers: dict[str, Array] = {}
        self.place = np.zeros(self.count, np.int64)

    def run(self) -> None:
        """Run all threads to their end, and write the memory back."""
        while (self.place >= 0).any():
            here = int(self.place[self.place >= 0].min())
            mask = self.place == here
            guard, operation, operands = self.kernel.lines[here]
            acts = mask
            if guard:
                truth = self.registers[guard.lstrip("!")]
                acts = mask & (~truth if guard.startswith("!") else truth)
            self.place[mask] = here + 1
            if operation in ("bra", "bra.uni"):
                self.place[acts] = self.kernel.labels[operands[0]]
            elif operation == "ret":
                self.place[acts] = -1
            else:
                with np.errstate(all="ignore"):
                    self.execute(operation.split("."), operands, acts)
        self.arena[:] = self.memory[: len(self.arena)]

    def execute(self, operation: list[str], operands: Sequence[str], acts: Array) -> None:
        """Do one instruction on the threads that it is for."""
        name, kinds = operation[0], operation[1:]
        size = int(re.sub(r"\D", "", kinds[-1])) if re.search(r"\d", kinds[-1]) else 1
        if name == "ld":
            self.load(kinds, size, operands, acts)
        elif name == "st":
            self.store(size, operands, acts)
        elif name == "cvt":
            self.put(operands[0], convert(kinds, self.value(operands[1], source_size(kinds[-1]))), acts)
        elif name == "setp":
            values = [typed(self.value(o, size), kinds[-1]) for o in operands[1:]]
            self.put(operands[0], compared(kinds[0], *values), acts)
        elif name == "selp":
            a, b = (self.value(o, size) for o in operands[1:3])
            self.put(operands[0], np.where(self.value(operands[3], 1), a, b), acts)
        elif name in ("mul", "mad") and kinds[0] == "wide":
            a, b = (typed(self.value(o, size), kinds[-1]) for o in operands[1:3])
            product = a.astype(SIGNED[2 * size] if kinds[-1][0] == "s" else BITS[2 * size]) * b
            self.put(operands[0], product.astype(SIGNED[2 * size]).view(BITS[2 * size]), acts)
        else:
            values = [typed(self.value(o, size), kinds[-1]) for o in operands[1:]]
            found = OPERATIONS[name, kinds[-1][0]](*values)
            self.put(operands[0], found.astype(values[0].dtype).view(BITS[size]), acts)

    def value(self, operand: str, size: int) -> Array:
        """Return the bits of a register, a constant, a special register, or an address."""
        if operand in self.registers:
            return self.registers[operand]
        if operand.startswith("0d"):
            return np.full(self.count, int(operand[2:], 16), np.uint64)
        if operand.startswith("0f"):
            return np.full(self.count, int(operand[2:], 16), np.uint32)
        if operand in self.special:
            return self.special[operand].astype(np.uint32)
        if operand == "__local_depot0":
            return np.full(self.count, LOCAL, np.uint64)
        if operand in self.tables:
            return np.full(self.count, self.tables[operand], np.uint64)
        number = int(operand, 0)
        return np.full(self.count, number & (2**size - 1) if size > 1 else bool(number), BITS[size])

    def put(self, register: str, bits: Array, acts: Array) -> None:
        """Give a register's threads new bits."""
        if not acts.all():
            old = self.registers.get(register)
            bits = np.where(acts, bits, np.zeros_like(bits) if old is None else old)
        self.registers[register] = bits

    def addresses(self, operand: str) -> Array:
        """Return the address of each thread."""
        base, _, offset = operand.strip("[]").replace("+-", "+ -").partition("+")
        return self.value(base, 64).view(np.int64) + int(offset or 0)

    def load(self, kinds: Sequence[str], size: int, operands: Sequence[str], acts: Array) -> None:
        targets = operands[0].strip("{}").replace(" ", "").split(",")
        if kinds[0] == "param":
            number = self.parameters[operands[1].strip("[]")]
            self.put(targets[0], np.full(self.count, number % 2**64, np.uint64), acts)
            return
        address = self.addresses(operands[1])
        for k, target in enumerate(targets):
            self.put(target, self.read(address + k * size // 8, size, acts), acts)

    def read(self, address: Array, size: int, acts: Array) -> Array:
        found = np.zeros(self.count, BITS[size])
        own = address >= LOCAL
        for at, memory in ((acts & ~own, self.memory), (acts & own, None)):
            threads = np.flatnonzero(at)
            if len(threads):
                where = address[threads] - (LOCAL if memory is None else 0)
                rows = where[:, None] + np.arange(size // 8)
                data = self.depot[threads[:, None], rows] if memory is None else memory[rows]
                found[threads] = np.ascontiguousarray(data).view(BITS[size])[:, 0]
        return found

    def store(self, size: int, operands: Sequence[str], acts: Array) -> None:
        address = self.addresses(operands[0])
        for k, source in enumerate(operands[1].strip("{}").replace(" ", "").split(",")):
            bits = np.ascontiguousarray(np.broadcast_to(self.value(source, size), self.count)).astype(BITS[size])
            data, here = bits.view(np.uint8).reshape(self.count, -1), address + k * size // 8
            own = here >= LOCAL
            columns = np.arange(size // 8)
            near, far = np.flatnonzero(acts & own), np.flatnonzero(acts & ~own)
            self.depot[near[:, None], here[near][:, None] - LOCAL + columns] = data[near]
            self.memory[here[far][:, None] + columns] = data[far]


def typed(bits: Array, kind: str) -> Array:
    """Return bits as numbers of a type such as f64, s32, u64, b64."""
    if kind == "pred":
        return bits.astype(bool)
    size = int(kind[1:])
    table = {"f": FLOATS, "s": SIGNED}.get(kind[0], BITS)
    bits = np.asarray(bits).astype(BITS[size], copy=False)
    return bits.view(table[size])


def source_size(kind: str) -> int:
    return int(kind[1:])


def convert(kinds: Sequence[str], bits: Array) -> Array:
    """Convert: to the type before the last, from the last, rounded as said before."""
    target, source = kinds[-2:]
    value = typed(bits, source)
    rounded = {"rni": np.rint, "rmi": np.floor, "rpi": np.ceil, "rzi": np.trunc}
    for kind in kinds[:-2]:
        if kind in rounded:
            value = rounded[kind](value)
    size = int(target[1:])
    table = {"f": FLOATS, "s": SIGNED}.get(target[0], BITS)
    return np.asarray(value).astype(table[size]).view(BITS[size])


def compared(relation: str, a: Array, b: Array) -> Array:
    """Compare; relations of numbers that end in u hold where one is NaN."""
    plain = {
        "eq": np.equal,
        "ne": np.not_equal,
        "lt": np.less,
        "le": np.less_equal,
        "gt": np.greater,
        "ge": np.greater_equal,
    }
    unordered = np.isnan(a) | np.isnan(b) if a.dtype.kind == "f" else np.zeros(np.shape(a), bool)
    if relation == "num":
        return ~unordered
    if relation == "nan":
        return unordered
    if relation.endswith("u") and relation[:-1] in plain:
        return plain[relation[:-1]](a, b) | unordered
    return plain[relation](a, b) & ~unordered


def fma(a: Array, b: Array, c: Array) -> Array:
    """Return a b + c rounded once, but for rare ties: by sums and products without error (Dekker, 1971)."""
    if a.dtype == np.float32:
        return (a.astype(float) * b + c).astype(np.float32)
    product, plain = a * b, a * b + c
    (ah, al), (bh, bl) = _halves(a), _halves(b)
    low = ((ah * bh - product) + ah * bl + al * bh) + al * bl
    total = product + c
    back = total - product
    rest = (product - (total - back)) + (c - back)
    exact = total + (rest + low)
    return np.where(np.isfinite(exact), exact, plain)


def _halves(x: Array) -> tuple[Array, Array]:
    big = 134217729.0 * x
    high = big - (big - x)
    return high, x - high


def _shift(move: Callable[[Array, Array], Array]) -> Callable[[Array, Array], Array]:
    def shifted(a: Array, b: Array) -> Array:
        size = 8 * a.dtype.itemsize
        by = b.astype(np.uint64)
        return np.where(by >= size, 0, move(a, (by % np.uint64(size)).astype(a.dtype))).astype(a.dtype)

    return shifted


FLOAT: dict[str, Callable[..., Array]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "neg": np.negative,
    "abs": np.abs,
    "sqrt": np.sqrt,
    "rcp": lambda a: a.dtype.type(1.0) / a,
    "fma": fma,
    "mov": lambda a: a,
    "min": np.fmin,
    "max": np.fmax,
    "copysign": lambda a, b: np.copysign(b, a),
}
WHOLE: dict[str, Callable[..., Array]] = {
    "add": np.add,
    "sub": np.subtract,
    "neg": np.negative,
    "mul": np.multiply,
    "mad": lambda a, b, c: a * b + c,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "not": np.invert,
    "shl": _shift(np.left_shift),
    "shr": _shift(np.right_shift),
    "min": np.minimum,
    "max": np.maximum,
    "mov": lambda a: a,
    "cvta": lambda a: a,
}
OPERATIONS = {
    **{(name, "f"): f for name, f in FLOAT.items()},
    **{(name, kind): f for name, f in WHOLE.items() for kind in "subp"},
}


def launch(text: str, arena: Array, grid: int, block: int, parameters: Sequence[int]) -> None:
    """Run the kernel of a text on memory."""
    Machine(read(text), arena, grid, block, parameters).run()


def on_interpreter(text: str, values: Sequence[Array], results: Sequence[Array], block: int = 4) -> list[Array]:
    """Run a kernel on arrays `(N, *shape)` of one type of numbers; return its results, arrays like these."""
    count, starts, size = len(results[0]), [], 0
    arrays = [*values, *results]
    for array in arrays:
        starts.append(size)
        size += array.nbytes + (-array.nbytes) % 64
    arena = np.zeros(size, np.uint8)
    for array, start in zip(arrays, starts, strict=True):
        arena[start : start + array.nbytes] = np.ascontiguousarray(array).view(np.uint8).ravel()
    steps = [(start, a.nbytes // max(len(a), 1), a.itemsize) for a, start in zip(arrays, starts, strict=True)]
    launch(text, arena, -(-count // block), block, [*(n for step in steps for n in step), count])
    ends = [(a, start) for a, start in zip(arrays, starts, strict=True)][len(values) :]
    return [arena[start : start + a.nbytes].view(a.dtype).reshape(a.shape) for a, start in ends]
