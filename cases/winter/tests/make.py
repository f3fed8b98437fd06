#!/usr/bin/env python3
"""Makes the modules of the case's own tests, well-behaved and not, in a folder.

    python3 tests/make.py FOLDER

Each is written from the specification, byte by byte, by the assembler of
`programs/make.py`; the test script says what must come of it.
"""

import importlib.util
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
spec = importlib.util.spec_from_file_location("programs", HERE.parent / "programs" / "make.py")
programs = importlib.util.module_from_spec(spec)
spec.loader.exec_module(programs)

vector, unsigned, code = programs.vector, programs.unsigned, programs.code
programs.OPCODES.update({
    "i32.load8_s": 0x2C, "i32.div_s": 0x6D, "i32.trunc_f64_s": 0xAA, "select": 0x1B,
})
programs.ALIGNMENT["i32.load8_s"] = 0


def section(number, content):
    return bytes([number]) + unsigned(len(content)) + content


def module(functions, memory=None, table=None, elements=(), imports=(), data=None, start=None):
    """Functions are (name, parameters, results, locals, text)."""
    types = programs.TYPES
    signatures = [b"\x60" + vector([bytes([types[t]]) for t in f[1]]) + vector([bytes([types[t]]) for t in f[2]]) for f in functions]
    imported = [
        vector([bytes([b]) for b in m.encode()]) + vector([bytes([b]) for b in n.encode()]) + b"\x00" + unsigned(t)
        for m, n, t in imports
    ]
    out = b"\0asm\x01\0\0\0" + section(1, vector(signatures))
    if imported:
        out += section(2, vector(imported))
    out += section(3, vector([unsigned(i) for i in range(len(functions))]))
    if table is not None:
        out += section(4, vector([b"\x70\x00" + unsigned(table)]))
    if memory is not None:
        low, high = memory if isinstance(memory, tuple) else (memory, None)
        limits = b"\x00" + unsigned(low) if high is None else b"\x01" + unsigned(low) + unsigned(high)
        out += section(5, vector([limits]))
    exports = [
        vector([bytes([b]) for b in f[0].encode()]) + b"\x00" + unsigned(i + len(imports))
        for i, f in enumerate(functions) if f[0]
    ]
    out += section(7, vector(exports))
    if start is not None:
        out += section(8, unsigned(start))
    if elements:
        out += section(9, vector([b"\x00\x41\x00\x0b" + vector([unsigned(e) for e in elements])]))
    bodies = [vector([unsigned(1) + bytes([types[t]]) for t in f[3]]) + code(f[4]) for f in functions]
    out += section(10, vector([unsigned(len(b)) + b for b in bodies]))
    if data is not None:
        at, content = data
        out += section(11, vector([b"\x00\x41" + programs.signed(at) + b"\x0b" + unsigned(len(content)) + content]))
    return out


I, D = "i32", "f64"


def modules():
    yield "names", module([("größe→", [], [I], [], "i32.const 5")])
    yield "runaway", module([("f", [], [], [], "call 0")])
    yield "runaway-mutual", module([("f", [I], [I], [], "local.get 0 call 1"), ("", [I], [I], [], "local.get 0 i32.const 1 i32.add call 0")])
    yield "runaway-locals", module([("f", [], [], [I] * 200, "call 0")])
    yield "forever", module([("f", [], [], [], "loop br 0 end")])
    yield "forever-calls", module([("f", [], [], [], "loop call 1 br 0 end"), ("", [], [], [], "")])
    yield "grow", module([("f", [I], [I], [], "local.get 0 memory.grow")], memory=1)
    # Grows until it is refused; the pages it then has.
    yield "grow-all", module([("f", [], [I], [], "loop i32.const 256 memory.grow i32.const -1 i32.ne br_if 0 end memory.size")], memory=0)
    yield "grow-max", module([("f", [], [I], [], "loop i32.const 1 memory.grow i32.const -1 i32.ne br_if 0 end memory.size")], memory=(1, 7))
    yield "grown-is-zero", module([("f", [], [I], [I], """
        i32.const 65532 i32.const -1 i32.store i32.const 3 memory.grow drop
        i32.const 65536 local.set 0
        loop
          local.get 0 i32.load if unreachable end
          local.get 0 i32.const 4 i32.add local.tee 0 i32.const 262144 i32.lt_u br_if 0
        end
        local.get 0""")], memory=1)
    yield "4gib", module([("f", [], [], [], "")], memory=65536)
    yield "too-large", module([("f", [], [], [], "")], memory=65537)
    for name, access in (
        ("load", "local.get 0 i32.load"),
        ("load8", "local.get 0 i32.load8_s"),
        ("load-offset", "local.get 0 i32.load offset=4294967295"),
        ("store", "local.get 0 i32.const 1 i32.store i32.const 0"),
        ("store8", "local.get 0 i32.const 1 i32.store8 i32.const 0"),
    ):
        yield "bounds-" + name, module([("f", [I], [I], [], access)], memory=1)
    yield "bounds-known", module([("f", [], [I], [], "i32.const -4 i32.load offset=8")], memory=1)
    yield "bounds-dropped", module([("f", [], [I], [I], "i32.const 65536 i32.load local.set 0 i32.const 3")], memory=1)
    yield "bounds-data", module([("f", [], [], [], "")], memory=1, data=(65535, b"ab"))
    yield "bounds-elements", module([("f", [], [], [], "")], table=1, elements=[0, 0])
    yield "no-memory-data", module([("f", [], [], [], "")], data=(0, b"a"))
    yield "indirect", indirect()
    yield "divide", module([("f", [I, I], [I], [], "local.get 0 local.get 1 i32.div_s")])
    yield "divide-dropped", module([("f", [I, I], [I], [], "local.get 0 local.get 1 i32.div_s drop i32.const 1")])
    yield "truncate", module([("f", [D], [I], [], "local.get 0 i32.trunc_f64_s")])
    yield "unknown-import", module([("f", [], [], [], "")], imports=[("env", "missing", 0)])
    yield "wrong-import", module([("f", [], [], [], "")], imports=[("spectest", "print_i32", 0)])
    yield "good-import", module([("f", [], [], [], "call 0")], imports=[("spectest", "print", 0)])
    yield "start-traps", module([("f", [], [], [], "unreachable")], start=0)
    yield "add", module([("add", [I, I], [I], [], "local.get 0 local.get 1 i32.add"), ("half", [D], [D], [], "local.get 0 f64.const 0.5 f64.mul")])
    # What lowering could get wrong: a local read, changed, and used as it was.
    yield "stale", module([("f", [I], [I], [], "local.get 0 i32.const 5 local.set 0 local.get 0 i32.sub")])
    yield "stale-tee", module([("f", [I], [I], [], "local.get 0 local.get 0 i32.const 1 i32.add local.tee 0 i32.mul local.get 0 i32.add")])
    yield "stale-loop", module([("f", [I], [I], [I], """
        local.get 1
        loop local.get 1 local.get 0 i32.add local.set 1 local.get 0 i32.const 1 i32.sub local.tee 0 br_if 0 end
        local.get 1 i32.add""")])
    yield "stale-if", module([("f", [I], [I], [], "local.get 0 local.get 0 if i32.const 9 local.set 0 end local.get 0 i32.add")])
    # A constant in a local that only one branch sets.
    yield "known-if", module([("f", [I], [I], [I], "i32.const 4 local.set 1 local.get 0 if i32.const 6 local.set 1 end local.get 1")])
    yield "known-zero", module([("f", [I], [I], [I], "loop local.get 1 i32.const 3 i32.add local.set 1 local.get 0 i32.const 1 i32.sub local.tee 0 br_if 0 end local.get 1")])
    yield "value-jump", module([("f", [I], [I], [], """
        block i32
          i32.const 10 i32.const 20 local.get 0 br_if 0 drop drop i32.const 30
        end""")])
    yield "operands", module([("f", [I], [I], [], "i32.const 100 local.get 0 i32.sub i32.const 3 i32.lt_s i32.const 7 i32.mul i32.const 5 local.get 0 i32.lt_u i32.add")])
    yield "select", module([("f", [I], [I], [], "i32.const 1 local.get 0 local.get 0 i32.const 5 i32.gt_u select")])
    # A loop that selects without ever looking must not grow.
    yield "select-loop", module([("f", [I], [I], [I], """
        loop local.get 0 local.get 1 local.get 0 select local.set 1
        local.get 0 i32.const 1 i32.sub local.tee 0 br_if 0 end local.get 1""")])


def indirect():
    """Types: 0 for f, 1 for the first element, 2 for the second. Elements 2 and 3 are missing."""

    def flat(text):
        return code(text)[:-1]

    types = [b"\x60\x01\x7f\x01\x7f", b"\x60\x01\x7f\x01\x7f", b"\x60\x00\x00"]
    body_f = b"\x00" + flat("i32.const 6 local.get 0") + b"\x11\x01\x00" + b"\x0b"
    body_1 = b"\x00" + flat("local.get 0 i32.const 7 i32.mul") + b"\x0b"
    body_2 = b"\x00\x0b"
    out = b"\0asm\x01\0\0\0" + section(1, vector(types)) + section(3, vector([b"\x00", b"\x01", b"\x02"]))
    out += section(4, vector([b"\x70\x00\x04"])) + section(7, vector([b"\x01f\x00\x00"]))
    out += section(9, vector([b"\x00\x41\x00\x0b" + vector([b"\x01", b"\x02"])]))
    return out + section(10, vector([unsigned(len(b)) + b for b in (body_f, body_1, body_2)]))


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    whole = dict(modules())
    for name, content in whole.items():
        (folder / f"{name}.wasm").write_bytes(content)
    good = whole["add"]
    (folder / "empty.wasm").write_bytes(b"")
    (folder / "text.wasm").write_bytes(b"(module)\n")
    (folder / "version.wasm").write_bytes(b"\0asm\x02\0\0\0")
    (folder / "truncated").mkdir(exist_ok=True)
    for n in range(len(good)):
        (folder / "truncated" / f"{n}.wasm").write_bytes(good[:n])
    # Bytes that look random and are the same everywhere.
    state = 1
    (folder / "random").mkdir(exist_ok=True)
    for n in range(50):
        content = bytearray(b"\0asm\x01\0\0\0" if n % 2 else b"")
        for _ in range(200):
            state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
            content.append(state >> 56)
        (folder / "random" / f"{n}.wasm").write_bytes(bytes(content))


if __name__ == "__main__":
    main()
