#!/usr/bin/env python3
"""Writes the kernels of tests/ptx/matrix_*.ptx: matrix instructions on operands that the kernels make
themselves, one checksum for each block.

    tools/matrix_kernels.py [--build DIR]

The checksums are those of bankrun; tools/gpu_ptx.py holds them against a GPU. Each word of an operand
is a hash of its place, of which `and` leaves some bits and to which `add` adds some: so the exponents
of floats lie close to each other, far apart, or anywhere. One of `edge` words is taken from a table of
special values.
"""

import argparse
import re
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEAD = ".version 8.8\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 memory[];\n"
BITS = {"f16": 16, "bf16": 16, "tf32": 32, "e4m3": 8, "e5m2": 8, "s8": 8, "u8": 8, "s4": 4, "u4": 4,
        "b1": 1, "f32": 32, "s32": 32}
ANY = (0xffffffff, 0)
# and, add: exponents near 1, a wide range, the least ones, anything
STYLES = {
    "f16": [(0x8fff8fff, 0x34003400), (0xbfffbfff, 0x1c001c00), (0x8fff8fff, 0), ANY],
    "bf16": [(0x81ff81ff, 0x3f003f00), (0x8fff8fff, 0x38003800), (0x81ff81ff, 0x1f001f00), ANY],
    "tf32": [(0x81ffffff, 0x3f000000), (0x8fffffff, 0x38000000), (0x81ffffff, 0x1f000000), ANY],
    "e4m3": [(0x9f9f9f9f, 0x28282828), (0xbfbfbfbf, 0x20202020), (0x9f9f9f9f, 0), ANY],
    "e5m2": [(0x8f8f8f8f, 0x38383838), (0xbfbfbfbf, 0x20202020), (0x9f9f9f9f, 0), ANY],
    "f32": [(0x83ffffff, 0x3e000000), (0x8fffffff, 0x38000000), (0x83ffffff, 0), ANY],
}
EDGES = {
    16: [0x00008000, 0x80000000, 0x7c003c00, 0x3c00fc00, 0x7e003c00, 0x3c007c01, 0x03ff8001, 0x7bfffbff,
         0x00010001, 0x7f803f80, 0x3f80ff80, 0x7fc03f80, 0x007f8001, 0x7f7fff7f, 0x3c003c00, 0x3f803f80],
    32: [0, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f802000, 0x00002000, 0x807fe000,
         0x00001fff, 0x7f7fe000, 0xff7fe000, 0x3f800000, 0xbf800000, 0x00800000, 0x7f801fff, 0x3f801fff],
    8: [0x00008080, 0x7f007f01, 0x7c38fc38, 0x7d387e38, 0x01810281, 0x7e7bfe7b, 0x38383838, 0x3c3c3c3c,
        0xff383838, 0x80008000, 0x07870787, 0x03830383, 0x7b7b7b7b, 0xfbfbfbfb, 0x00000001, 0x08080808],
    4: [0x88888888, 0x77777777, 0xffffffff, 0] * 4,
    1: [0, 0xffffffff, 0x80000001, 0xaaaaaaaa] * 4,
}
LOOP = """{{
    .reg .b64 %x<9>;
    .reg .b64 %da, %db;
    .reg .b32 %y<16>;
    .reg .b32 %a<{a}>;
    .reg .b32 %b<{b}>;
    .reg .b32 %d<{d}>;
    .reg .b32 %e;
    .reg .pred %p<4>;
    mov.u32 %y0, %tid.x;
    mov.u32 %y1, %ctaid.x;
    mov.u32 %y2, memory;
    mad.lo.u32 %y1, %y1, 0x9e3779b9, 12345;
    ld.param.u32 %y3, [ab_and];
    ld.param.u32 %y4, [ab_add];
    ld.param.u32 %y5, [c_and];
    ld.param.u32 %y6, [c_add];
    ld.param.u32 %y7, [edge];
    mov.u32 %y8, %y0;
fill:
    mad.lo.u32 %y9, %y8, 0x85ebca6b, %y1;
    shr.u32 %y10, %y9, 15;
    xor.b32 %y9, %y9, %y10;
    mul.lo.u32 %y9, %y9, 0xc2b2ae35;
    shr.u32 %y10, %y9, 13;
    xor.b32 %y9, %y9, %y10;
    mul.lo.u32 %y9, %y9, 0x27d4eb2f;
    shr.u32 %y10, %y9, 16;
    xor.b32 %y9, %y9, %y10;
    mul.lo.u32 %y11, %y9, 0x165667b1;
    shr.u32 %y11, %y11, 8;
    setp.lt.u32 %p0, %y8, {ab};
    setp.lt.u32 %p1, %y8, {c};
    selp.b32 %y12, %y5, -1, %p1;
    selp.b32 %y12, %y3, %y12, %p0;
    selp.b32 %y13, %y6, 0, %p1;
    selp.b32 %y13, %y4, %y13, %p0;
    and.b32 %y9, %y9, %y12;
    add.u32 %y9, %y9, %y13;
    rem.u32 %y12, %y11, %y7;
    shr.u32 %y11, %y11, 20;
    mul.wide.u32 %x1, %y11, 4;
    mov.u64 %x2, special{edges};
    add.u64 %x1, %x1, %x2;
    ld.const.u32 %y13, [%x1];
    setp.eq.and.u32 %p1, %y12, 1, %p0;
    selp.b32 %y9, %y13, %y9, %p1;
    shl.b32 %y10, %y8, 2;
    add.u32 %y10, %y10, %y2;
    st.shared.u32 [%y10], %y9;
    mov.u32 %y10, %ntid.x;
    add.u32 %y8, %y8, %y10;
    setp.lt.u32 %p1, %y8, {words};
    @%p1 bra fill;
    bar.sync 0;
    shl.b32 %y14, %y0, 2;
    add.u32 %y14, %y14, %y2;
"""
PARAMETERS = (".param .u64 out, .param .u32 ab_and, .param .u32 ab_add, .param .u32 c_and, "
              ".param .u32 c_add, .param .u32 edge")


def braces(name, count, first=0):
    return "{" + ", ".join(f"%{name}{i}" for i in range(first, first + count)) + "}"


class Kernel:
    """One instruction, or several, between loads of operands and a checksum of the results."""

    def __init__(self, name, threads, ab_type, c_type, image=0):
        self.name, self.threads, self.ab_type, self.c_type = name, threads, ab_type, c_type
        self.image = image  # words in front that only descriptors name
        self.words = image
        self.loads = []
        self.counts = {"a": 0, "b": 0, "d": 0, "e": 0}
        self.ab = self.c = image
        self.launches = []

    def load(self, name, count):
        for _ in range(count):
            number = "" if name == "e" else self.counts[name]
            self.loads.append(f"    ld.shared.u32 %{name}{number}, [%y14+{4 * self.words}];\n")
            self.counts[name] += 1
            self.words += self.threads
        if name in "ab":
            self.ab = self.c = self.words
        if name == "d":
            self.c = self.words

    def text(self, instructions, more=""):
        counts = {n: max(c, 1) for n, c in self.counts.items()}
        out = f".visible .entry {self.name}({PARAMETERS}{more})\n"
        out += LOOP.format(ab=self.ab, c=self.c, words=self.words, edges=BITS[self.ab_type],
                           a=counts["a"], b=counts["b"], d=counts["d"])
        out += "".join(self.loads) + instructions + "    mov.u32 %y8, 0x811c9dc5;\n"
        for i in range(self.counts["d"]):
            out += f"    mad.lo.u32 %y8, %y8, 0x01000193, %d{i};\n"
        return out + """    mad.lo.u32 %y9, %y0, 0x9e3779b1, 0x7feb352d;
    shr.u32 %y10, %y8, 16;
    xor.b32 %y8, %y8, %y10;
    mul.lo.u32 %y8, %y8, %y9;
    ld.param.u64 %x1, [out];
    mov.u32 %y1, %ctaid.x;
    mul.wide.u32 %x2, %y1, 4;
    add.u64 %x1, %x1, %x2;
    red.global.add.u32 [%x1], %y8;
    ret;
}
"""

    def launch(self, style, blocks, more=""):
        ab, c = (STYLES.get(t, [ANY] * 4)[style] for t in (self.ab_type, self.c_type_styles()))
        edge = 97 if style == 1 or style == 3 else 0x7fffffff
        shared = max(4 * self.words, 1024)
        self.launches.append(
            f"{self.name}<<<{blocks}, {self.threads}, {shared}>>>(out:u32[{blocks}], 0x{ab[0]:x}, "
            f"0x{ab[1]:x}, 0x{c[0]:x}, 0x{c[1]:x}, {edge}{more})")

    def c_type_styles(self):
        return "f32" if self.c_type == "s32" and self.ab_type in STYLES else self.c_type


class File:
    def __init__(self, name, title):
        self.name, self.title, self.kernels, self.body = name, title, [], ""

    def add(self, kernel, text):
        self.kernels.append(kernel)
        self.body += text

    def text(self, expected=None):
        lines = [f"// {self.title}", "// Made by tools/matrix_kernels.py; the checksums are those of an H200.",
                 "// A word of `out` for each block."]
        for launch in [line for k in self.kernels for line in k.launches]:
            lines.append(f"// launch: {launch}")
            if expected:
                values = expected[launch]
                for i in range(0, len(values), 8):
                    lines.append("// expect out: " + " ".join(values[i:i + 8]))
        tables = sorted({BITS[k.ab_type] for k in self.kernels})
        text = "\n".join(lines) + "\n" + HEAD
        for bits in tables:
            words = ", ".join(f"0x{v:08x}" for v in EDGES[bits])
            text += f".const .align 4 .b32 special{bits}[16] = {{{words}}};\n"
        return text + self.body


# ---- mma and wmma -----------------------------------------------------------------------------

def registers(kind, m, n):
    return max(m * n * BITS[kind] // 32 // 32, 1)


def add_mma(file, name, mnemonic, shape, types, styles, blocks=4, sparse=None):
    """types: D, A, B, C; sparse: the selector."""
    m, n, k = (int(v) for v in re.findall(r"\d+", shape))
    d, a, b, c = types
    kernel = Kernel(name, 32, a, c)
    kernel.load("a", registers(a, m, k // 2 if sparse is not None else k))
    kernel.load("b", registers(b, k, n))
    c_count, d_count = registers(c, m, n), registers(d, m, n)
    kernel.load("d", c_count)
    more = ""
    if sparse is not None:
        kernel.load("e", 1)
        more = f", %e, {sparse}"
    kernel.counts["d"] = max(c_count, d_count)
    text = (f"    {mnemonic} {braces('d', d_count)}, {braces('a', kernel.counts['a'])}, "
            f"{braces('b', kernel.counts['b'])}, {braces('d', c_count)}{more};\n")
    for style in styles:
        kernel.launch(style, blocks)
    file.add(kernel, kernel.text(text))


def mma_files():
    files = []
    fp8 = [(a, b) for a in ("e4m3", "e5m2") for b in ("e4m3", "e5m2")]
    s8 = [(a, b) for a in ("s8", "u8") for b in ("s8", "u8")]
    s4 = [(a, b) for a in ("s4", "u4") for b in ("s4", "u4")]

    file = File("matrix_mma_sparse", "mma.sp of floats: any metadata, each selector.")
    for variant, short in (("sp", "s"), ("sp::ordered_metadata", "o")):
        for a, ks, results in (("f16", (16, 32), ("f32", "f16")), ("bf16", (16, 32), ("f32",)),
                               ("tf32", (8, 16), ("f32",))):
            for k in ks:
                for d in results:
                    for selector in range({16: 4, 32: 2}[k if a != "tf32" else 2 * k]):
                        if variant != "sp" and selector:
                            continue
                        add_mma(file, f"{short}_k{k}_{d}_{a}_{selector}",
                                f"mma.{variant}.sync.aligned.m16n8k{k}.row.col.{d}.{a}.{a}.{d}",
                                f"m16n8k{k}", (d, a, a, d), (0, 1, 2, 3), sparse=selector)
        for a, b in fp8:
            add_mma(file, f"{short}_k64_{a}_{b}",
                    f"mma.{variant}.sync.aligned.m16n8k64.row.col.f32.{a}.{b}.f32", "m16n8k64",
                    ("f32", a, b, "f32"), (0, 1, 2), sparse=0)
    files.append(file)

    file = File("matrix_mma_sparse_int", "mma.sp of 8-bit and 4-bit integers.")
    for pairs, ks in ((s8, (32, 64)), (s4, (64, 128))):
        for a, b in pairs:
            for k in ks:
                for sat in ("", ".satfinite"):
                    for selector in (0, 1) if k == ks[0] else (0,):
                        add_mma(file, f"k{k}_{a}_{b}_{selector}{'_sat' if sat else ''}",
                                f"mma.sp::ordered_metadata.sync.aligned.m16n8k{k}.row.col{sat}.s32.{a}.{b}.s32",
                                f"m16n8k{k}", ("s32", a, b, "s32"), (0, 1), sparse=selector)
    files.append(file)

    file = File("matrix_mma_int4", "mma and wmma of 4-bit integers and of bits.")
    for a, b in s4:
        for sat in ("", ".satfinite"):
            for shape in ("m8n8k32", "m16n8k32", "m16n8k64"):
                add_mma(file, f"{shape}_{a}_{b}{'_sat' if sat else ''}",
                        f"mma.sync.aligned.{shape}.row.col{sat}.s32.{a}.{b}.s32", shape,
                        ("s32", a, b, "s32"), (0, 1))
            if a == b:
                add_mma(file, f"wmma_{a}{'_sat' if sat else ''}",
                        f"wmma.mma.sync.aligned.row.col.m8n8k32.s32.{a}.{b}.s32{sat}", "m8n8k32",
                        ("s32", a, b, "s32"), (0, 1))
    for op in ("xor", "and"):
        for shape in ("m8n8k128", "m16n8k128", "m16n8k256"):
            add_mma(file, f"{shape}_{op}",
                    f"mma.sync.aligned.{shape}.row.col.s32.b1.b1.s32.{op}.popc", shape,
                    ("s32", "b1", "b1", "s32"), (0, 1))
        add_mma(file, f"wmma_{op}",
                f"wmma.mma.{op}.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32", "m8n8k128",
                ("s32", "b1", "b1", "s32"), (0, 1))
    files.append(file)

    file = File("matrix_mma_more", "mma.m8n8k4 of halves, and mma of 8-bit floats.")
    for a_layout in ("row", "col"):
        for b_layout in ("row", "col"):
            for d, c in (("f32", "f32"), ("f16", "f16"), ("f32", "f16")):
                name = f"quads_{a_layout}_{b_layout}_{d}_{c}"
                kernel = Kernel(name, 32, "f16", c)
                kernel.load("a", 2)
                kernel.load("b", 2)
                kernel.load("d", 4 if c == "f16" else 8)
                c_count, d_count = kernel.counts["d"], 4 if d == "f16" else 8
                kernel.counts["d"] = max(c_count, d_count)
                for style in (0, 1, 2, 3):
                    kernel.launch(style, 4)
                file.add(kernel, kernel.text(
                    f"    mma.sync.aligned.m8n8k4.{a_layout}.{b_layout}.{d}.f16.f16.{c} "
                    f"{braces('d', d_count)}, {braces('a', 2)}, {braces('b', 2)}, "
                    f"{braces('d', c_count)};\n"))
    for a, b in fp8:
        for k in (16, 32):
            for d in ("f32", "f16"):
                add_mma(file, f"k{k}_{d}_{a}_{b}",
                        f"mma.sync.aligned.m16n8k{k}.row.col.{d}.{a}.{b}.{d}", f"m16n8k{k}",
                        (d, a, b, d), (0, 1, 2))
    files.append(file)
    return files


# ---- wgmma ------------------------------------------------------------------------------------

def descriptor(start, leading, stride, swizzle=0, base=0):
    return start >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | base << 49 | swizzle << 62


def add_wgmma(file, name, mnemonic, n, k_bytes, types, tail, a_in_registers, styles, pairs=None,
              sparse=None, scale="1", image=None, blocks=2):
    """k_bytes: of a column of B; pairs: descriptors of A and B."""
    d, a, b = types
    plain = 4096 + n * k_bytes  # A, then B
    kernel = Kernel(name, 128, a, d, (image or plain) // 4)
    if a_in_registers:
        kernel.load("a", 4)
    kernel.load("d", n // 4 if d == "f16" else n // 2)
    if sparse is not None:
        kernel.load("e", 1)
    pairs = pairs or [(descriptor(0, 128, 256), descriptor(4096, 128, 8 * k_bytes))]
    text = """    ld.param.u64 %da, [a_at];
    ld.param.u64 %db, [b_at];
    shr.u32 %y9, %y2, 4;
    cvt.u64.u32 %x1, %y9;
    add.u64 %da, %da, %x1;
    add.u64 %db, %db, %x1;
    setp.ne.u32 %p2, %y1, 12345;
    fence.proxy.async.shared::cta;
"""
    for one in mnemonic if isinstance(mnemonic, list) else [mnemonic]:
        m_n = int(re.search(r"m64n(\d+)", one)[1])
        count = m_n // 4 if d == "f16" else m_n // 2
        text += (f"    wgmma.fence.sync.aligned;\n    {one} {braces('d', count)}, {braces('a', 4) if a_in_registers else '%da'}, %db"
                 + (f", %e, {sparse}" if sparse is not None else "") + f", {scale}{tail};\n"
                 "    wgmma.commit_group.sync.aligned;\n    wgmma.wait_group.sync.aligned 0;\n")
    for style in styles:
        for at, bt in pairs:
            kernel.launch(style, blocks, f", 0x{at:x}, 0x{bt:x}")
    file.add(kernel, kernel.text(text, ", .param .u64 a_at, .param .u64 b_at"))


def wgmma(shape, types, sparse=False, more=""):
    return f"wgmma.mma_async{'.sp' if sparse else ''}.sync.aligned.{shape}.{types}{more}"


def wgmma_files():
    files = []
    fp8 = [(a, b) for a in ("e4m3", "e5m2") for b in ("e4m3", "e5m2")]
    s8 = [(a, b) for a in ("s8", "u8") for b in ("s8", "u8")]

    file = File("matrix_wgmma_half", "wgmma of 16-bit floats: A from both places, scales, every N.")
    for a, d in (("f16", "f32"), ("f16", "f16"), ("bf16", "f32")):
        for where in (0, 1):
            for scales in ("1, 1", "-1, 1", "-1, -1"):
                if scales != "1, 1" and where:
                    continue
                tag = scales.replace("-1", "m").replace(", ", "")
                add_wgmma(file, f"{d}_{a}_{'r' if where else 's'}_{tag}", wgmma("m64n16k16", f"{d}.{a}.{a}"),
                          16, 32, (d, a, a), f", {scales}, 0" + (", 0" if not where else ""), where,
                          (0, 1, 2, 3) if scales == "1, 1" else (0, 3))
    add_wgmma(file, "scale_d", wgmma("m64n16k16", "f32.f16.f16"), 16, 32, ("f32", "f16", "f16"),
              ", 1, 1, 0, 0", 0, (0, 3), scale="%p2")
    # every N, one after the other into the same registers
    add_wgmma(file, "every_n", [wgmma(f"m64n{n}k16", "f16.f16.f16") for n in range(8, 257, 8)], 256,
              32, ("f16", "f16", "f16"), ", 1, 1, 0, 0", 0, (0,), blocks=1)
    add_wgmma(file, "n256", wgmma("m64n256k16", "f32.bf16.bf16"), 256, 32, ("f32", "bf16", "bf16"),
              ", 1, 1, 0, 0", 0, (0, 1), blocks=1)
    files.append(file)

    file = File("matrix_wgmma_descriptor",
                "wgmma: swizzles, offsets, base offsets and transposition of matrices in shared memory.")
    pairs = []
    for swizzle in range(4):
        for start, leading, stride, base in ((0, 16, 1024, 0), (1024, 512, 2048, 0), (32, 2048, 256, 0),
                                             (640, 144, 272, 0), (1152, 1040, 528, 1), (128, 256, 1024, 5)):
            at = descriptor(start, leading, stride, swizzle, base)
            pairs.append((at, at + (16384 >> 4)))
    for a_transposed in (0, 1):
        for b_transposed in (0, 1):
            add_wgmma(file, f"t{a_transposed}{b_transposed}", wgmma("m64n64k16", "f32.f16.f16"), 64, 32,
                      ("f32", "f16", "f16"), f", 1, 1, {a_transposed}, {b_transposed}", 0, (0,), pairs,
                      image=36864 + 16384, blocks=1)
    add_wgmma(file, "bytes", wgmma("m64n64k32", "s32.s8.u8"), 64, 32, ("s32", "s8", "u8"), "", 0, (0,),
              pairs, image=36864 + 16384, blocks=1)
    add_wgmma(file, "words", wgmma("m64n64k8", "f32.tf32.tf32"), 64, 32, ("f32", "tf32", "tf32"), ", 1, 1",
              0, (0,), pairs, image=36864 + 16384, blocks=1)
    for b_transposed in (0, 1):
        add_wgmma(file, f"sparse_t{b_transposed}", wgmma("m64n64k32", "f32.f16.f16", True), 64, 64,
                  ("f32", "f16", "f16"), f", 1, 1, 0, {b_transposed}", 0, (0,), pairs, sparse=1,
                  image=36864 + 16384, blocks=1)
    files.append(file)

    file = File("matrix_wgmma_float", "wgmma of tf32 and 8-bit floats.")
    for where in (0, 1):
        tag = "r" if where else "s"
        for scales in ("1, 1", "1, -1"):
            add_wgmma(file, f"tf32_{tag}_{'m' if '-' in scales else ''}", wgmma("m64n24k8", "f32.tf32.tf32"),
                      24, 32, ("f32", "tf32", "tf32"), f", {scales}", where, (0, 1, 2, 3))
        for a, b in fp8:
            for d in ("f32", "f16"):
                add_wgmma(file, f"{d}_{a}_{b}_{tag}", wgmma("m64n16k32", f"{d}.{a}.{b}"), 16, 32,
                          (d, a, b), ", 1, 1", where, (0, 1, 2))
    files.append(file)

    file = File("matrix_wgmma_int", "wgmma of 8-bit integers and of bits.")
    for where in (0, 1):
        tag = "r" if where else "s"
        for a, b in s8:
            for sat in ("", ".satfinite"):
                add_wgmma(file, f"{a}_{b}_{tag}{'_sat' if sat else ''}",
                          wgmma("m64n32k32", f"s32.{a}.{b}", more=sat), 32, 32, ("s32", a, b), "", where,
                          (0, 1))
        add_wgmma(file, f"bits_{tag}", wgmma("m64n24k256", "s32.b1.b1", more=".and.popc"), 24, 32,
                  ("s32", "b1", "b1"), "", where, (0, 1))
    ns = [8, 16, 24] + list(range(32, 257, 16))
    add_wgmma(file, "every_n", [wgmma(f"m64n{n}k32", "s32.s8.s8") for n in ns], 256, 32,
              ("s32", "s8", "s8"), "", 0, (0,), blocks=1)
    files.append(file)

    file = File("matrix_wgmma_sparse", "wgmma with a sparse A: any metadata, each selector.")
    for where in (0, 1):
        tag, trans = ("r", ", 0") if where else ("s", ", 0, 0")
        for selector in (0, 1):
            for a, d in (("f16", "f32"), ("f16", "f16"), ("bf16", "f32")):
                add_wgmma(file, f"{d}_{a}_{tag}{selector}", wgmma("m64n16k32", f"{d}.{a}.{a}", True), 16, 64,
                          (d, a, a), f", 1, -1{trans}", where, (0, 1, 3), sparse=selector)
            add_wgmma(file, f"tf32_{tag}{selector}", wgmma("m64n16k16", "f32.tf32.tf32", True), 16, 64,
                      ("f32", "tf32", "tf32"), ", 1, 1", where, (0, 1, 3), sparse=selector)
        for a, b in fp8:
            for d in ("f32", "f16"):
                add_wgmma(file, f"{d}_{a}_{b}_{tag}", wgmma("m64n16k64", f"{d}.{a}.{b}", True), 16, 64,
                          (d, a, b), ", 1, 1", where, (0, 1), sparse=0)
        for a, b in s8:
            add_wgmma(file, f"{a}_{b}_{tag}", wgmma("m64n16k64", f"s32.{a}.{b}", True, ".satfinite"), 16, 64,
                      ("s32", a, b), "", where, (0,), sparse=0)
    files.append(file)
    return files


# ---- Expectations -----------------------------------------------------------------------------

def checksums(bankrun, path, launches):
    values = {}
    with tempfile.TemporaryDirectory() as folder:
        for launch in launches:
            out = Path(folder) / "out"
            subprocess.run([bankrun, "run", path, "--launch", launch, "--dump", f"out={out}", "-q",
                            "--no-count"], check=True)
            data = out.read_bytes()
            values[launch] = [f"0x{int.from_bytes(data[i:i + 4], 'little'):08x}"
                              for i in range(0, len(data), 4)]
    return values


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", default=ROOT / "build", type=Path)
    build = parser.parse_args().build
    for file in mma_files() + wgmma_files():
        path = ROOT / "tests" / "ptx" / f"{file.name}.ptx"
        path.write_text(file.text(), encoding="utf-8")
        launches = [line for k in file.kernels for line in k.launches]
        path.write_text(file.text(checksums(build / "bankrun", path, launches)), encoding="utf-8")
        print(f"{path.name}: {len(file.kernels)} kernels, {len(launches)} launches")


if __name__ == "__main__":
    main()
