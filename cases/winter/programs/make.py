#!/usr/bin/env python3
"""Makes the programs that the interpreters run: fib.wasm, matmul.wasm, sieve.wasm, loop.wasm.

    python3 make.py [FOLDER]        (default: the folder of this script)

Written by hand, because no compiler is needed for so little. The known answers:

    fib.wasm     fib 30           i32:832040   calls itself 2,692,537 times
    matmul.wasm  matmul 128       f64:-1.067950014464e12   as `matmul_answer` below works out
    sieve.wasm   sieve 1048576    i32:82025      the primes below 2^20
    loop.wasm    run 1000000      no result      the loop of the founding document with a count of one's own
"""

import pathlib
import struct
import sys

OPCODES = {
    "unreachable": 0x00, "block": 0x02, "loop": 0x03, "if": 0x04, "else": 0x05, "end": 0x0B,
    "br": 0x0C, "br_if": 0x0D, "return": 0x0F, "call": 0x10, "drop": 0x1A,
    "local.get": 0x20, "local.set": 0x21, "local.tee": 0x22,
    "i32.load": 0x28, "f64.load": 0x2B, "i32.load8_u": 0x2D,
    "i32.store": 0x36, "f64.store": 0x39, "i32.store8": 0x3A,
    "memory.size": 0x3F, "memory.grow": 0x40,
    "i32.const": 0x41, "f64.const": 0x44,
    "i32.eqz": 0x45, "i32.eq": 0x46, "i32.ne": 0x47, "i32.lt_u": 0x49, "i32.gt_u": 0x4B,
    "i32.le_u": 0x4D, "i32.ge_u": 0x4F, "i32.lt_s": 0x48, "i32.ge_s": 0x4E,
    "i32.add": 0x6A, "i32.sub": 0x6B, "i32.mul": 0x6C, "i32.and": 0x71, "i32.shl": 0x74,
    "f64.add": 0xA0, "f64.mul": 0xA2, "f64.convert_i32_u": 0xB8,
}
TYPES = {"i32": 0x7F, "i64": 0x7E, "f32": 0x7D, "f64": 0x7C}
ALIGNMENT = {"i32.load": 2, "f64.load": 3, "i32.load8_u": 0, "i32.store": 2, "f64.store": 3, "i32.store8": 0}


def unsigned(n):
    out = bytearray()
    while True:
        n, low = n >> 7, n & 0x7F
        out.append(low | (0x80 if n else 0))
        if not n:
            return bytes(out)


def signed(n):
    out = bytearray()
    while True:
        low, n = n & 0x7F, n >> 7
        if (n == 0 and not low & 0x40) or (n == -1 and low & 0x40):
            out.append(low)
            return bytes(out)
        out.append(low | 0x80)


def vector(items):
    return unsigned(len(items)) + b"".join(items)


def code(text):
    """Instructions one to a line or separated by spaces, in the flat text format."""
    words = [w for line in text.splitlines() for w in line.split(";;")[0].split()]
    out = bytearray()
    at = 0
    while at < len(words):
        op = words[at]
        at += 1
        out.append(OPCODES[op])
        if op in ("block", "loop", "if"):
            if at < len(words) and words[at] in TYPES:
                out.append(TYPES[words[at]])
                at += 1
            else:
                out.append(0x40)
        elif op in ALIGNMENT:
            offset = 0
            if at < len(words) and words[at].startswith("offset="):
                offset = int(words[at][7:])
                at += 1
            out += unsigned(ALIGNMENT[op]) + unsigned(offset)
        elif op == "i32.const":
            out += signed(int(words[at]))
            at += 1
        elif op == "f64.const":
            out += struct.pack("<d", float(words[at]))
            at += 1
        elif op.startswith("memory."):
            out.append(0)
        elif op.startswith("local.") or op in ("br", "br_if", "call"):
            out += unsigned(int(words[at]))
            at += 1
    return bytes(out) + b"\x0b"


def module(name, params, results, local_types, text, pages=0):
    """One exported function, and perhaps a memory."""

    def section(number, content):
        return bytes([number]) + unsigned(len(content)) + content

    function_type = b"\x60" + vector([bytes([TYPES[t]]) for t in params]) + vector([bytes([TYPES[t]]) for t in results])
    body = vector([unsigned(1) + bytes([TYPES[t]]) for t in local_types]) + code(text)
    export = unsigned(len(name)) + name.encode() + b"\x00\x00"
    out = b"\0asm\x01\0\0\0" + section(1, vector([function_type])) + section(3, vector([b"\x00"]))
    if pages:
        out += section(5, vector([b"\x00" + unsigned(pages)]))
    return out + section(7, vector([export])) + section(10, vector([unsigned(len(body)) + body]))


FIB = """
    local.get 0  i32.const 2  i32.lt_s
    if i32
      local.get 0
    else
      local.get 0  i32.const 1  i32.sub  call 0
      local.get 0  i32.const 2  i32.sub  call 0
      i32.add
    end
"""

# Parameter: the count. As clang compiles the founding document's loop without
# optimisation, except that the count is given.
LOOP = """
    i32.const 0  local.get 0  i32.store offset=1024
    block
      loop
        i32.const 0  local.set 1
        local.get 1  i32.load offset=1024  local.set 2
        i32.const -1  local.set 3
        local.get 2  local.get 3  i32.add  local.set 4
        i32.const 0  local.set 5
        local.get 5  local.get 4  i32.store offset=1024
        local.get 2  i32.eqz  br_if 1
        br 0
      end
    end
"""

# Parameter: 0 the limit, a multiple of 8 of at most 2^20. Locals: 1 i, 2 j,
# 3 count. One byte for each number; a composite one is marked.
SIEVE = """
    i32.const 2  local.set 1
    loop
      block
        local.get 1  local.get 1  i32.mul  local.tee 2
        local.get 0  i32.ge_u  br_if 0
        local.get 1  i32.load8_u  br_if 0
        loop
          local.get 2  i32.const 1  i32.store8
          local.get 2  local.get 1  i32.add  local.tee 2
          local.get 0  i32.lt_u  br_if 0
        end
      end
      local.get 1  i32.const 1  i32.add  local.tee 1
      i32.const 1024  i32.lt_u  br_if 0
    end
    i32.const 2  local.set 1
    loop
      local.get 3  local.get 1  i32.load8_u  i32.eqz  i32.add  local.set 3
      local.get 1  i32.const 1  i32.add  local.tee 1
      local.get 0  i32.lt_u  br_if 0
    end
    local.get 3
"""

# Parameter: 0 n, at most 200. Locals: 1 i, 2 j, 3 k, 4 address in a, 5 address
# in b, 6 bytes of a row, 7 sum, 8 total, 9 address of b.
# a is at 0, b at n * n * 8. a[i][j] = i + j, b[i][j] = i - 2 j + 1 (as i + 1
# plus j times -2); the answer is the sum over i, j of (a * b)[i][j] * (i + 1).
MATMUL = """
    local.get 0  i32.const 3  i32.shl  local.set 6
    local.get 6  local.get 0  i32.mul  local.set 9
    loop                                     ;; fill, over i
      i32.const 0  local.set 2
      loop                                   ;; over j
        local.get 1  local.get 6  i32.mul  local.get 2  i32.const 3  i32.shl  i32.add  local.tee 4
        local.get 1  local.get 2  i32.add  f64.convert_i32_u  f64.store
        local.get 4  local.get 9  i32.add
        local.get 1  f64.convert_i32_u  f64.const 1  f64.add
        local.get 2  f64.convert_i32_u  f64.const -2  f64.mul  f64.add  f64.store
        local.get 2  i32.const 1  i32.add  local.tee 2  local.get 0  i32.lt_u  br_if 0
      end
      local.get 1  i32.const 1  i32.add  local.tee 1  local.get 0  i32.lt_u  br_if 0
    end
    i32.const 0  local.set 1
    loop                                     ;; multiply, over i
      i32.const 0  local.set 2
      loop                                   ;; over j
        f64.const 0  local.set 7
        i32.const 0  local.set 3
        local.get 1  local.get 6  i32.mul  local.set 4
        local.get 9  local.get 2  i32.const 3  i32.shl  i32.add  local.set 5
        loop                                 ;; over k
          local.get 7
          local.get 4  f64.load  local.get 5  f64.load  f64.mul
          f64.add  local.set 7
          local.get 4  i32.const 8  i32.add  local.set 4
          local.get 5  local.get 6  i32.add  local.set 5
          local.get 3  i32.const 1  i32.add  local.tee 3  local.get 0  i32.lt_u  br_if 0
        end
        local.get 8
        local.get 7  local.get 1  i32.const 1  i32.add  f64.convert_i32_u  f64.mul
        f64.add  local.set 8
        local.get 2  i32.const 1  i32.add  local.tee 2  local.get 0  i32.lt_u  br_if 0
      end
      local.get 1  i32.const 1  i32.add  local.tee 1  local.get 0  i32.lt_u  br_if 0
    end
    local.get 8
"""


def matmul_answer(n):
    """Exact while it is below 2^53, as all intermediate sums are then."""
    total = 0
    for i in range(n):
        for j in range(n):
            total += (i + 1) * sum((i + k) * (k + 1 - 2 * j) for k in range(n))
    return total


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
    programs = {
        "fib": module("fib", ["i32"], ["i32"], [], FIB),
        "loop": module("run", ["i32"], [], ["i32"] * 5, LOOP, pages=2),
        "sieve": module("sieve", ["i32"], ["i32"], ["i32"] * 3, SIEVE, pages=16),
        "matmul": module("matmul", ["i32"], ["f64"], ["i32"] * 6 + ["f64", "f64", "i32"], MATMUL, pages=10),
    }
    for name, content in programs.items():
        (folder / f"{name}.wasm").write_bytes(content)
    for n in (1, 16, 128, 200):
        print("matmul", n, matmul_answer(n))


if __name__ == "__main__":
    main()
