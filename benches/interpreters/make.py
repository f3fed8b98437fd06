#!/usr/bin/env python3
"""Makes what the interpreters run: `make.py FOLDER`.

Each module exports `run`, which has no parameter, as `wasm-interp` can give none, and calls a
program of `cases/winter/programs` so often that starting the interpreter is little beside it.
In `start.wasm` it calls nothing. Prints what the last call must answer.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "cases/winter/programs"))
import make as programs

# A fixed number of calls, of which the last one's answer is kept.
REPEATED = """
    block
      loop
        local.get 0  i32.const {calls}  i32.ge_u  br_if 1
        i32.const {argument}  call 0  {keep}
        local.get 0  i32.const 1  i32.add  local.set 0
        br 0
      end
    end
    {answer}
"""


def repeated(calls, argument, text, results, local_types, pages):
    """A program as function 0, and as function 1, exported, so many calls of it."""

    def section(number, items):
        content = programs.vector(items)
        return bytes([number]) + programs.unsigned(len(content)) + content

    def function_type(params, results):
        encoded = [programs.vector([bytes([programs.TYPES[t]]) for t in ts]) for ts in (params, results)]
        return b"\x60" + b"".join(encoded)

    def body(local_types, text):
        declared = [programs.unsigned(1) + bytes([programs.TYPES[t]]) for t in local_types]
        content = programs.vector(declared) + programs.code(text)
        return programs.unsigned(len(content)) + content

    keep, answer = ("local.set 1", "local.get 1") if results else ("", "")
    calling = REPEATED.format(calls=calls, argument=argument, keep=keep, answer=answer)
    out = b"\0asm\x01\0\0\0"
    out += section(1, [function_type(["i32"], results), function_type([], results)])
    out += section(3, [b"\x00", b"\x01"])
    if pages:
        out += section(5, [b"\x00" + programs.unsigned(pages)])
    out += section(7, [programs.vector([bytes([c]) for c in b"run"]) + b"\x00\x01"])
    return out + section(10, [body(local_types, text), body(["i32", *results], calling)])


def main():
    folder = pathlib.Path(sys.argv[1])
    integer = ["i32"]
    fib = (programs.FIB, integer, [], 0)
    made = {
        "start": repeated(0, 0, *fib),
        "loop": repeated(1, 20_000_000, programs.LOOP, [], integer * 5, 2),
        "fib": repeated(10, 30, *fib),
        "sieve": repeated(10, 1 << 20, programs.SIEVE, integer, integer * 3, 16),
        "matmul": repeated(10, 128, programs.MATMUL, ["f64"], integer * 6 + ["f64", "f64", "i32"], 10),
    }
    for name, content in made.items():
        (folder / f"{name}.wasm").write_bytes(content)
    limit = 1 << 20
    composite = bytearray(limit)
    for i in range(2, 1 << 10):
        composite[i * i :: i] = b"\1" * len(range(i * i, limit, i))
    print("start 0")
    print("fib 832040")
    print("sieve", composite.count(0) - 2)
    print("matmul", programs.matmul_answer(128))


if __name__ == "__main__":
    main()
