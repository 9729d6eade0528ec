"""More instruction forms for tools/truth_isa.py: video instructions with parts of registers,
atomics, and what the lanes of a warp do together.
"""

import random
import zlib

from isa_forms import Body, spellings
from isa_operands import EDGES, bits_of, edges_of, pack
from isa_rows import read_rows


def pick(text, choices):
    """One of some choices, the same each time for a text."""
    return choices[zlib.crc32(text.encode()) % len(choices)]


# ---- Video ------------------------------------------------------------------------------------

SCALAR = ("vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr", "vset", "vmad")
PARTS = ["", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"]
HALVES = [".h10", ".h01", ".h32", ".h31", ".h20", ".h33"]
BYTES = [".b3210", ".b0123", ".b7654", ".b6420", ".b7531", ".b4455"]


def video_form(mnemonic, words, d="", a="", b="", signs=("", "", ""), rows=128):
    body = Body()
    body.destination("%d", "b32")
    sources = [signs[0] + body.source("%a", "b32") + a, body.source("%b", "b32") + b]
    is_simd = mnemonic.partition(".")[0][-1] in "24"
    if is_simd or words & {"add", "min", "max"} or d or mnemonic.startswith("vmad"):
        sources.append(signs[2] + body.source("%c", "b32"))
    family = "video_simd" if is_simd else "video_scalar"
    return body.form(f"{mnemonic} %d{d}, {', '.join(sources)}", rows, family)


def scalar_forms(mnemonic, words):
    a, b = (pick(mnemonic + which, PARTS) for which in "ab")
    signs = ("", "", "")
    yield video_form(mnemonic, words)
    if mnemonic.startswith("vmad") and "po" not in words:
        signs = pick(mnemonic, [("-", "", ""), ("", "", "-")])
        yield video_form(mnemonic, words, signs=signs)
    if mnemonic.startswith("vmad") or words & {"add", "min", "max"}:
        yield video_form(mnemonic, words, "", a, b, signs)
    else:
        yield video_form(mnemonic, words, pick(mnemonic, PARTS[1:]), a, b)


def simd_forms(mnemonic, words):
    is_bytes = mnemonic.partition(".")[0].endswith("4")
    parts = BYTES if is_bytes else HALVES
    masks = [".b0", ".b31", ".b210", ".b3", ".b3210"] if is_bytes else [".h0", ".h1", ".h10"]
    yield video_form(mnemonic, words)
    yield video_form(mnemonic, words, pick(mnemonic, masks), pick(mnemonic + "a", parts),
                     pick(mnemonic + "b", parts))


def video_forms():
    for row in read_rows():
        if row.opcode[0] != "v" or row.form not in ("scalar", "simd"):
            continue
        for mnemonic, _, words in spellings(row):
            make = scalar_forms if row.opcode in SCALAR else simd_forms
            yield from make(mnemonic, words)


# ---- Atomics ----------------------------------------------------------------------------------

NO_MATTER = {"relaxed", "cta", "L2::cache_hint"}  # orders, scopes and hints change no value


def atomic_row(row):
    row.elements = [e for e in row.elements if not e.words & NO_MATTER]
    for element in row.elements:
        if "global" in element.words:
            element.words -= {"shared::cta", "shared::cluster"}
    return row


def vector(register, count):
    return "{" + ", ".join(f"{register}{i}" for i in range(count)) + "}" if count > 1 else register


def atomic_form(row, mnemonic, types, words):
    """A thread's cell has the row's first value; the results are the cell and what it held."""
    kind, body = types[0], Body()
    count = next((int(w[1:]) for w in words if w in ("v2", "v4", "v8")), 1)
    names = lambda register: [f"{register}{i}" for i in range(count)] if count > 1 else [register]
    sources = ["%b", "%c"] if "cas" in words else ["%b"]
    for register in ["%a"] + sources:
        for name in names(register):
            body.source(name, kind)
    for name in names("%m"):
        body.destination(name, kind)
    if row.opcode == "atom":
        for name in names("%d"):
            body.destination(name, kind)
    space = "shared" if "shared" in words else "global"
    size = bits_of(kind) // 8
    body.text += ".reg .b64 %cell;\n"
    before = "mov.b64 %cell, %out;\n"
    if space == "shared":
        body.text += ".shared .align 16 .b8 cells[512];\n"
        before = "mov.u64 %cell, cells;\nmad.wide.u32 %cell, %thread, 16, %cell;\n"
    for i, name in enumerate(names("%a")):
        before += f"st.{space}.b{8 * size} [%cell+{i * size}], {name};\n"
    after = "".join(f"ld.{space}.b{8 * size} {name}, [%cell+{i * size}];\n"
                    for i, name in enumerate(names("%m")))
    operands = ([vector("%d", count)] if row.opcode == "atom" else []) + ["[%cell]"]
    operands += [vector(register, count) for register in sources]
    return body.form(f"{mnemonic} {', '.join(operands)}", 128, "atomic", before, after)


def wide_form(row, mnemonic, words):
    """128 bits: pairs of registers."""
    body = Body()
    sources = ["%b", "%c"] if "cas" in words else ["%b"]
    for register in ["%a"] + sources:
        body.source(register + "0", "b64")
        body.source(register + "1", "b64")
        body.declare(register, 128)
    for register in ("%m0", "%m1", "%d0", "%d1"):
        body.destination(register, "b64")
    body.declare("%d", 128)
    space = "shared" if "shared" in words else "global"
    body.text += ".reg .b64 %cell;\n.shared .align 16 .b8 cells[512];\n"
    # rows of results are 32 bytes, so that a cell in them is aligned
    before = "".join(f"mov.b128 {r}, {{{r}0, {r}1}};\n" for r in sources)
    before += ("mov.b64 %cell, %out;\n" if space == "global" else
               "mov.u64 %cell, cells;\nmad.wide.u32 %cell, %thread, 16, %cell;\n")
    before += f"st.{space}.v2.b64 [%cell], {{%a0, %a1}};\n"
    after = f"ld.{space}.v2.b64 {{%m0, %m1}}, [%cell];\nmov.b128 {{%d0, %d1}}, %d;\n"
    operands = ", ".join(["%d", "[%cell]"] + sources)
    return body.form(f"{mnemonic} {operands}", 128, "atomic", before, after)


def atomic_forms():
    for row in read_rows():
        if row.opcode not in ("atom", "red") or row.is_refused or row.form == "async":
            continue
        for mnemonic, types, words in spellings(atomic_row(row)):
            yield (wide_form(row, mnemonic, words) if types[0] == "b128" else
                   atomic_form(row, mnemonic, types, words))


# ---- Warps ------------------------------------------------------------------------------------

WARPS = 12


def warp_table(kinds, alike):
    """Rows of 32 lanes: a mask that all lanes of a warp have in common, then values of which some
    warps have few different ones."""
    r = random.Random(zlib.crc32(",".join(kinds).encode()))
    data = b""
    for warp in range(WARPS):
        mask = 0xffffffff if alike or warp < 6 else r.choice((0xffff, 0x55555555, 1, 0x80000000))
        mask = r.getrandbits(32) | 1 << r.randrange(32) if not alike and warp > 8 else mask
        for _ in range(32):
            row = [mask]
            for kind in kinds[1:]:
                edges = edges_of(kind)
                few = edges[:1] if warp % 6 == 0 else edges[-1:] if warp % 6 == 1 else edges[-2:]
                is_any = warp % 6 > 2 or kind in EDGES and kind != "pred"
                row.append(r.choice(edges if is_any else few))
            data += pack(kinds, row)
    return data


def warp_form(row, mnemonic, types, words):
    body = Body()
    is_shuffle = row.opcode == "shfl"
    mask = body.source("%m", "mask")
    kind = types[0] if types else None
    operands = []
    if row.operands.startswith("d2"):
        operands.append(body.destination("%d", "b32") + "|" + body.destination("%p", "pred"))
    elif row.operands.startswith("d"):
        operands.append(body.destination("%d", "b32"))
    else:
        operands.append(body.destination("%p", "pred"))
    if is_shuffle:
        operands += [body.source("%a", "b32"), body.source("%b", "lane"),
                     body.source("%c", "segment")]
    elif row.opcode != "elect":
        operands.append(body.source("%a", "pred" if row.opcode == "vote" else kind))
    operands.append(mask)
    before = (".reg .b32 %bit, %lane;\n.reg .pred %on;\nmov.u32 %lane, %laneid;\n"
              "shr.u32 %bit, %m, %lane;\nand.b32 %bit, %bit, 1;\nsetp.eq.u32 %on, %bit, 0;\n"
              "@%on bra DONE;\n")
    form = body.form(f"{mnemonic} {', '.join(operands)}", 32 * WARPS, "warp", before)
    form.body += "DONE:\n"
    form.table = warp_table(form.kinds, is_shuffle)
    return form


def warp_forms():
    for row in read_rows():
        if row.opcode in ("shfl", "vote", "match", "redux", "elect") and row.form != "float":
            for mnemonic, types, words in spellings(row):
                if "sync" in words:
                    yield warp_form(row, mnemonic, types, words)
