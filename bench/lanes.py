#!/usr/bin/env python3
"""Holds the lane code of two builds of bankrun against each other, one instruction at a time.

    bench/lanes.py BEFORE AFTER [--lanes N] [--match REGEX] [--above RATIO] [--layouts N] [--repeat N]

BEFORE and AFTER are bankrun executables. Each instruction of INSTRUCTIONS stands 32 times in a loop
that warps of N lanes go through (default 32: all lanes; fewer: the handlers of some lanes). Both
executables run it by turns, not counting; of each the least user time is kept, and of several
layouts of the loop the median ratio AFTER : BEFORE. With --above, instructions whose ratio is larger
are measured again, four times as often, and only those that stay so are printed. An instruction
that one of them refuses is left out.
"""

import argparse
import math
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile

COPIES, WARPS = 32, 4

# Registers: a b c and r (b32), fa.. fr (f32), da.. dr (f64), ha.. hr (b16), xa.. xr (b64), u v and
# w (b32 destinations), y z (b64), p q (predicates); addresses of shared memory s1 s2 s4 s8 s16 and
# of global memory g1.. g16 that are so many bytes apart from lane to lane, ss and gs in no order.
INSTRUCTIONS = """
add.u32 r, a, b | sub.s32 r, a, b | add.u64 xr, xa, xb | mul.lo.u32 r, a, b | mul.hi.u32 r, a, b
mul.hi.s32 r, a, b | mul.wide.u32 xr, a, b | mul.lo.u64 xr, xa, xb | mad.lo.u32 r, a, b, c
mad.wide.s32 xr, a, b, xc | mul24.lo.u32 r, a, b | sad.u32 r, a, b, c | add.u16 hr, ha, hb
div.u32 r, a, b | div.s32 r, a, b | rem.u32 r, a, b | div.u64 xr, xa, xb | min.s32 r, a, b
max.u32 r, a, b | min.u64 xr, xa, xb | abs.s32 r, a | neg.s32 r, a | min.u16x2 r, a, b
add.cc.u32 r, a, b | addc.u32 r, a, b | sub.cc.u32 r, a, b | madc.lo.u32 r, a, b, c
and.b32 r, a, b | or.b32 r, a, b | xor.b64 xr, xa, xb | not.b32 r, a | cnot.b32 r, a
lop3.b32 r, a, b, c, 0xe8 | lop3.b32 r, a, b, c, 0x5d | and.pred p, q, q | xor.pred p, q, q
shl.b32 r, a, b | shr.u32 r, a, 3 | shr.s32 r, a, b | shl.b64 xr, xa, b | shr.s64 xr, xa, b
shf.l.wrap.b32 r, a, b, c | shf.r.clamp.b32 r, a, b, c | bfe.u32 r, a, b, c | bfe.s32 r, a, 3, 7
bfi.b32 r, a, b, 4, 9 | popc.b32 r, a | clz.b32 r, a | bfind.u32 r, a | brev.b32 r, a | prmt.b32 r, a, b, c
prmt.b32 r, a, b, 0x5410 | dp4a.u32.u32 r, a, b, c | dp2a.lo.s32.s32 r, a, b, c | fns.b32 r, a, 0, 1
vadd.s32.s32.s32 r, a, b | vadd4.u32.u32.u32 r, a, b, c | vabsdiff4.u32.u32.u32.add r, a, b, c
setp.lt.s32 p, a, b | setp.eq.u32 p, a, b | setp.lt.u64 p, xa, xb | setp.lt.and.s32 p, a, b, q
setp.lt.s32 p|q, a, b | setp.lt.f32 p, fa, fb | setp.lt.ftz.f32 p, fa, fb | setp.gtu.f64 p, da, db
setp.lt.u16 p, ha, hb | setp.lt.f16 p, ha, hb | setp.gtu.f16 p, ha, hb | setp.lt.f16x2 p|q, a, b
setp.lt.bf16 p, ha, hb | setp.num.bf16 p, ha, hb | setp.eq.bf16 p, ha, hb | setp.ne.bf16 p, ha, hb
setp.lt.bf16x2 p|q, a, b | setp.eq.f16 p, ha, hb | setp.num.f16 p, ha, hb | setp.lt.ftz.f16 p, ha, hb
setp.lt.and.f16 p, ha, hb, q | setp.lt.and.bf16 p, ha, hb, q
set.lt.u32.s32 r, a, b | set.lt.f32.f32 fr, fa, fb | set.lt.u32.f16 r, ha, hb | set.lt.f16.f16 hr, ha, hb
set.lt.f16x2.f16x2 r, a, b | set.lt.bf16.bf16 hr, ha, hb | set.lt.bf16x2.bf16x2 r, a, b
set.ne.bf16.bf16 hr, ha, hb | set.lt.u32.bf16 r, ha, hb | set.lt.and.bf16.bf16 hr, ha, hb, q
selp.b32 r, a, b, q | selp.b64 xr, xa, xb, q | selp.f32 fr, fa, fb, q | slct.s32.s32 r, a, b, c
mov.b32 r, a | mov.b64 xr, xa | mov.u32 r, 7 | mov.b64 xr, {a, b} | mov.b64 {u, v}, xa
mov.b32 r, {ha, hb} | mov.u32 r, %tid.x | mov.u32 r, %laneid | cvta.to.global.u64 xr, xa
add.f32 fr, fa, fb | sub.f32 fr, fa, fb | mul.f32 fr, fa, fb | fma.rn.f32 fr, fa, fb, fc
add.ftz.f32 fr, fa, fb | mul.ftz.sat.f32 fr, fa, fb | fma.rn.ftz.f32 fr, fa, fb, fc | add.rz.f32 fr, fa, fb
mul.rp.f32 fr, fa, fb | fma.rm.f32 fr, fa, fb, fc | div.rn.f32 fr, fa, fb | rcp.rn.f32 fr, fa | sqrt.rn.f32 fr, fa
min.f32 fr, fa, fb | max.ftz.NaN.f32 fr, fa, fb | min.f32 fr, fa, fb, fc | abs.f32 fr, fa | neg.f32 fr, fa
copysign.f32 fr, fa, fb | testp.finite.f32 p, fa | add.rn.f32x2 xr, xa, xb | fma.rn.f32x2 xr, xa, xb, xc
add.f64 dr, da, db | mul.f64 dr, da, db | fma.rn.f64 dr, da, db, dc | div.rn.f64 dr, da, db | sqrt.rn.f64 dr, da
min.f64 dr, da, db | neg.f64 dr, da | add.rz.f64 dr, da, db | rcp.approx.ftz.f64 dr, da | rsqrt.approx.f64 dr, da
rcp.approx.f32 fr, fa | rcp.approx.ftz.f32 fr, fa | sqrt.approx.f32 fr, fa | sqrt.approx.ftz.f32 fr, fa
rsqrt.approx.f32 fr, fa | rsqrt.approx.ftz.f32 fr, fa | sin.approx.f32 fr, fa | cos.approx.ftz.f32 fr, fa
lg2.approx.f32 fr, fa | lg2.approx.ftz.f32 fr, fa | ex2.approx.f32 fr, fa | ex2.approx.ftz.f32 fr, fa
tanh.approx.f32 fr, fa | div.approx.f32 fr, fa, fb | div.approx.ftz.f32 fr, fa, fb | div.full.f32 fr, fa, fb
ex2.approx.f16 hr, ha | ex2.approx.f16x2 r, a | ex2.approx.ftz.f16 hr, ha | ex2.approx.ftz.f16x2 r, a
ex2.approx.ftz.bf16 hr, ha | ex2.approx.ftz.bf16x2 r, a | tanh.approx.f16 hr, ha | tanh.approx.f16x2 r, a
tanh.approx.bf16 hr, ha | tanh.approx.bf16x2 r, a
add.f16 hr, ha, hb | add.f16x2 r, a, b | mul.f16 hr, ha, hb | mul.sat.f16x2 r, a, b | fma.rn.f16 hr, ha, hb, hc
fma.rn.f16x2 r, a, b, c | fma.rn.relu.f16x2 r, a, b, c | add.ftz.f16x2 r, a, b | add.bf16 hr, ha, hb
mul.bf16x2 r, a, b | fma.rn.bf16 hr, ha, hb, hc | fma.rn.bf16x2 r, a, b, c | min.f16 hr, ha, hb
max.NaN.f16x2 r, a, b | min.bf16x2 r, a, b | neg.f16 hr, ha | abs.f16x2 r, a | neg.bf16x2 r, a
cvt.f32.f16 fr, ha | cvt.rn.f16.f32 hr, fa | cvt.rn.f16x2.f32 r, fa, fb | cvt.f32.bf16 fr, ha
cvt.rn.bf16.f32 hr, fa | cvt.rn.bf16x2.f32 r, fa, fb | cvt.rn.f32.s32 fr, a | cvt.rn.f32.u32 fr, a
cvt.rzi.s32.f32 r, fa | cvt.rni.u32.f32 r, fa | cvt.rzi.s64.f32 xr, fa | cvt.f64.f32 dr, fa | cvt.rn.f32.f64 fr, da
cvt.rn.f64.s32 dr, a | cvt.rzi.s32.f64 r, da | cvt.rn.f64.u64 dr, xa | cvt.rn.f32.s64 fr, xa | cvt.rmi.f32.f32 fr, fa
cvt.u64.u32 xr, a | cvt.s64.s32 xr, a | cvt.u32.u64 r, xa | cvt.s32.s8 r, a | cvt.u16.u32 hr, a | cvt.u32.u16 r, ha
cvt.sat.u8.s32 r, a | cvt.rn.f16.s32 hr, a | cvt.rzi.s32.f16 r, ha | cvt.rn.satfinite.e4m3x2.f32 hr, fa, fb
cvt.rn.f16x2.e4m3x2 r, ha | cvt.rna.tf32.f32 r, fa
ld.shared.u8 r, [s1] | ld.shared.s8 r, [s1] | ld.shared.u16 hr, [s2] | ld.shared.s16 hr, [s2] | ld.shared.s16 r, [s2]
ld.shared.u32 r, [s4] | ld.shared.u32 r, [ss] | ld.shared.u32 r, [sh] | ld.shared.u64 xr, [s8]
ld.shared.v2.u32 {u, v}, [s8] | ld.shared.v4.u32 {u, v, w, r}, [s16] | ld.shared.v4.u32 {u, v, w, r}, [ss]
ld.shared.v2.u64 {y, z}, [s16] | ld.shared.v2.u16 {ha, hb}, [s4]
st.shared.u8 [s1], a | st.shared.u16 [s2], ha | st.shared.u32 [s4], a | st.shared.u32 [ss], a | st.shared.u64 [s8], xa
st.shared.v2.u32 [s8], {a, b} | st.shared.v4.u32 [s16], {a, b, c, r} | st.shared.v4.u32 [ss], {a, b, c, r}
st.shared.v2.u64 [s16], {xa, xb}
ld.global.u8 r, [g1] | ld.global.u16 hr, [g2] | ld.global.s16 r, [g2] | ld.global.u32 r, [g4] | ld.global.u32 r, [gs]
ld.global.u32 r, [gh] | ld.global.u64 xr, [g8] | ld.global.v2.u32 {u, v}, [g8] | ld.global.v4.u32 {u, v, w, r}, [g16]
ld.global.v4.u32 {u, v, w, r}, [gs] | ld.global.v2.u64 {y, z}, [g16]
st.global.u8 [g1], a | st.global.u16 [g2], ha | st.global.u32 [g4], a | st.global.u32 [gs], a | st.global.u64 [g8], xa
st.global.v2.u32 [g8], {a, b} | st.global.v4.u32 [g16], {a, b, c, r} | st.global.v4.u32 [gs], {a, b, c, r}
st.global.v2.u64 [g16], {xa, xb}
ld.u32 r, [g4] | ld.v4.u32 {u, v, w, r}, [g16] | st.u32 [g4], a | st.v4.u32 [g16], {a, b, c, r}
ld.local.u32 r, [l] | ld.local.v4.u32 {u, v, w, r}, [l] | st.local.u32 [l], a | st.local.v4.u32 [l], {a, b, c, r}
ld.param.u32 r, [count] | ld.const.u32 r, [constant] | ld.const.u32 r, [constant + 4]
atom.shared.add.u32 r, [s4], a | red.shared.add.u32 [s4], a | atom.global.add.u32 r, [g4], a | red.global.add.f32 [g4], fa
atom.shared.cas.b32 r, [s4], a, b | atom.shared.exch.b32 r, [ss], a
shfl.sync.bfly.b32 r, a, 1, 0x1f, ALL | shfl.sync.idx.b32 r, a, b, 0x1f, ALL | shfl.sync.up.b32 r|p, a, 1, 0, ALL
vote.sync.ballot.b32 r, q, ALL | vote.sync.any.pred p, q, ALL | match.any.sync.b32 r, a, ALL
redux.sync.add.s32 r, a, ALL | activemask.b32 r | bar.sync 0
ldmatrix.sync.aligned.m8n8.x4.shared.b16 {u, v, w, r}, [s16] FULL
mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {f0, f1, f2, f3}, {a, b, c, a}, {b, c}, {f0, f1, f2, f3} FULL
mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {f0, f1, f2, f3}, {a, b, c, a}, {b, c}, {f0, f1, f2, f3} FULL
mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {u, v, w, r}, {a, b, c, a}, {b, c}, {u, v, w, r} FULL
"""

KERNEL = """.version 9.0
.target sm_100a
.address_size 64
.const .align 16 .b32 constant[64];
.visible .entry k(.param .u64 buffer, .param .u32 count) {
    .shared .align 128 .b8 memory[1024];
    .local .align 16 .b8 own[32];
%(registers)s
%(values)s
LOOP:
%(body)s
    sub.u32 i, i, 1;
    setp.ne.u32 more, i, 0;
    @more bra LOOP;
    exit;
}
"""

# How a register gets its value, in this order; what is named by another one is there, too.
VALUES = [
    ("b32 i", "ld.param.u32 i, [count]"),
    ("pred more", ""),
    ("b32 t", "mov.u32 t, %tid.x"),
    ("b32 a", "mad.lo.u32 a, t, 0x01030507, 0x3c003a01"),
    ("b32 b", "xor.b32 b, a, 0x00370429"),
    ("b32 c", "and.b32 c, b, 0x1f1f3f1f"),
    ("b64 xa", "mad.wide.u32 xa, a, 0x3456789, 12345"),
    ("b64 xb", "mad.wide.u32 xb, a, 5, 7654321"),
    ("b64 xc", "xor.b64 xc, xa, xb"),
    ("b16 ha", "cvt.u16.u32 ha, a"),
    ("b16 hb", "add.u16 hb, ha, 3"),
    ("b16 hc", "sub.u16 hc, ha, 9"),
    ("f32 fa", "cvt.rn.f32.u32 fa, t; fma.rn.f32 fa, fa, 0f3ea3d70a, 0f3f800000"),
    ("f32 fb", "fma.rn.f32 fb, fa, 0f3f19999a, 0f3e99999a"),
    ("f32 fc", "mul.f32 fc, fb, fb"),
    ("f64 da", "cvt.rn.f64.u32 da, t; add.f64 da, da, 0d3ff3333333333333"),
    ("f64 db", "mul.f64 db, da, da"),
    ("f64 dc", "add.f64 dc, da, db"),
    ("pred q", "setp.eq.u32 q, t, 5"),
    ("b32 sh", "mov.u32 sh, memory"),
    ("b64 gh", "ld.param.u64 gh, [buffer]"),
    ("b32 x", "mul.lo.u32 x, t, 7; and.b32 x, x, 31"),
    ("b32 ss", "mad.lo.u32 ss, x, 16, sh"),
    ("b64 gs", "mad.wide.u32 gs, x, 16, gh"),
    ("b64 l", "mov.u64 l, own"),
    ("pred p", ""),
]
VALUES += [(f"b32 s{n}", f"mad.lo.u32 s{n}, t, {n}, sh") for n in (1, 2, 4, 8, 16)]
VALUES += [(f"b64 g{n}", f"mad.wide.u32 g{n}, t, {n}, gh") for n in (1, 2, 4, 8, 16)]
VALUES += [(f"{kind} {name}", f"mov.{kind} {name}, {zero}")
           for kind, zero, names in (("b32", 0, "r u v w"), ("b64", 0, "xr y z"), ("b16", 0, "hr"),
                                     ("f32", "0f00000000", "fr f0 f1 f2 f3"), ("f64", "0d0000000000000000", "dr"))
           for name in names.split()]


def needed(text):
    """The values that an instruction needs, and those that they need."""
    names, values = set(re.findall(r"\w+", text)) | {"i", "more"}, []
    while True:
        more = [value for value in VALUES if value[0].split()[1] in names and value not in values]
        if not more:
            return [value for value in VALUES if value in values]
        values += more
        names |= set(re.findall(r"\w+", " ".join(value[1] for value in more)))


def kernel(text, layout):
    """The loop around an instruction. Where registers and instructions lie makes a difference of up
    to a third, which is no difference of the builds: each layout moves them."""
    values = needed(text)
    spare = [f"    mov.u32 spare{n}, {n};" for n in range(3 * layout)]
    registers = [f"    .reg .{register};" for register, _ in values]
    registers += [f"    .reg .b32 spare{n};" for n in range(3 * layout)]
    lines = spare + [f"    {value};" for _, value in values if value]
    return KERNEL % {"registers": "\n".join(registers), "values": "\n".join(lines),
                     "body": f"    {text};\n" * COPIES}


class Loop:
    def __init__(self, text, arguments, folder):
        self.lanes, self.folder = arguments.lanes, folder
        text = text.replace("FULL", "").replace("ALL", hex((1 << self.lanes) - 1)).strip()
        for layout in range(arguments.layouts):
            with open(self.path(layout), "w") as file:
                file.write(kernel(text, layout))

    def path(self, layout):
        return os.path.join(self.folder, f"{layout}.ptx")

    def seconds(self, bankrun, layout, count):
        """User seconds of one run, or None when it is refused."""
        launch = f"k<<<{WARPS}, {self.lanes}>>>(buffer:u32[2048]=7, {count})"
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        run = subprocess.run([bankrun, "run", "--no-count", "--quiet", "--threads", "1", "--arch", "sm_100a",
                              self.path(layout), "--launch", launch],
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if run.returncode:
            self.refusal = run.stderr.decode().strip().split("\n")[0]
            return None
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before

    def count_for(self, bankrun, seconds):
        """How often to loop, so that a run takes about so long."""
        count = 1000
        while True:
            took = self.seconds(bankrun, 0, count)
            if took is None or took > seconds / 4:
                return took and max(1, int(count * seconds / took))
            count *= 4

    def least(self, builds, layout, count, repeat):
        """Of each build the least user time of `repeat` runs by turns."""
        times = [[self.seconds(build, layout, count) for build in builds] for _ in range(repeat)]
        return [min(column) for column in zip(*times)]


def measure(text, arguments, folder):
    """AFTER : BEFORE of one instruction, the median over the layouts."""
    if "FULL" in text and arguments.lanes < 32:
        return None
    loop, builds = Loop(text, arguments, folder), [arguments.before, arguments.after]
    count = loop.count_for(builds[1], arguments.seconds)
    if count is None or loop.seconds(builds[0], 0, 1) is None:
        print(f"{text:70} refused: {loop.refusal}")
        return None
    for repeat in (arguments.repeat, 4 * arguments.repeat):
        times = [loop.least(builds, layout, count, repeat) for layout in range(arguments.layouts)]
        before, after = (statistics.median(column) for column in zip(*times))
        ratio = statistics.median(b / a for a, b in times)
        if not arguments.above or ratio <= arguments.above:
            break
    if ratio > arguments.above:
        unit = 1e-9 * count * COPIES * WARPS
        print(f"{text:70} {before / unit:7.2f} {after / unit:7.2f} ns {ratio:6.3f}", flush=True)
    return ratio


def instructions():
    # A bar between two predicates is no separator.
    parts = re.split(r"\n| \| ", INSTRUCTIONS)
    return [part.strip() for part in parts if part.strip()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--lanes", type=int, default=32)
    parser.add_argument("--layouts", type=int, default=3)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.04, help="of one run, about")
    parser.add_argument("--match", default="")
    parser.add_argument("--above", type=float, default=0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        ratios = [measure(text, arguments, folder) for text in instructions() if re.search(arguments.match, text)]
    ratios = [ratio for ratio in ratios if ratio]
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else 0
    print(f"{len(ratios)} instructions, geometric mean {mean:.3f}, most {max(ratios, default=0):.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
