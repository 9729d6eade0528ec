"""Matrix instructions for tools/truth_isa.py: mma, wmma and wgmma, dense and sparse, of all types
and shapes, and the loads, stores and transpositions of matrices in registers.

Operands have the styles of tools/matrix_kernels.py (exponents close to each other, far apart,
least, anything, with special values among them); a group of warps has one style.
"""

import random
import re
import zlib

from isa_forms import Body, Form, spellings
from isa_rows import read_rows
from isa_special import pick
from matrix_kernels import ANY, BITS, EDGES, STYLES

BITS = BITS | {"f64": 64}
STYLE_COUNT = 4


class Words:
    """Random words of a type in a style."""

    def __init__(self, seed):
        self.random = random.Random(zlib.crc32(seed.encode()))

    def float64(self, style):
        r = self.random
        if style in (1, 3) and r.randrange(23) == 0:
            return r.choice((0, 1 << 63, 0x7ff << 52, 0xfff << 52, 0x7ff8 << 48, 1, (1 << 52) - 1,
                             0x7fe << 52, 0x3ff << 52))
        exponent = 1023 + r.randrange(-3, 4) if style < 2 else r.randrange(1, 2046)
        return (r.getrandbits(1) << 63 | (exponent if style != 2 else r.randrange(3)) << 52 |
                r.getrandbits(52))

    def word(self, kind, style, is_factor):
        if is_factor and style in (1, 3) and self.random.randrange(97) == 0:
            return self.random.choice(EDGES[BITS[kind]])
        mask, more = STYLES.get(kind, [ANY] * STYLE_COUNT)[style]
        return (self.random.getrandbits(32) & mask) + more & 0xffffffff

    def some(self, count, kind, style, is_factor=True):
        """As many words of 32 bits, little end first."""
        if kind == "f64":
            return b"".join(self.float64(style).to_bytes(8, "little") for _ in range(count // 2))
        words = [self.word(kind, style, is_factor) for _ in range(count)]
        return b"".join(word.to_bytes(4, "little") for word in words)


def result_style(factor, kind):
    """Sums of floats lie where their products do."""
    return "f32" if kind == "s32" and factor in STYLES else kind


def class_of(kind):
    """Types whose operands are the same random bits."""
    return "s8" if BITS[kind] <= 8 and kind not in STYLES else kind


def size_of(shape):
    return (int(v) for v in re.findall(r"\d+", shape))


def braces(register, count):
    return "{" + ", ".join(f"{register}{i}" for i in range(count)) + "}"


def shape_of(words):
    return next(w for w in words if re.fullmatch(r"m\d+n\d+k\d+", w))


# ---- mma --------------------------------------------------------------------------------------

MMA_WARPS = 4
A_WORDS, B_WORDS, C_WORDS = 16, 8, 8  # of a lane; then as many of C as halves, and metadata


def mma_table(kind, cache={}):  # the tables are made once
    if kind not in cache:
        words, rows = Words("mma " + kind), []
        for lane in range(32 * MMA_WARPS):
            style = lane // 32 % STYLE_COUNT
            c = kind if kind in ("f64", "s8") else "f32"
            rows.append(words.some(A_WORDS + B_WORDS, kind, style) +
                        words.some(C_WORDS, c, style, False) +
                        words.some(4, "s8" if kind in ("f64", "s8") else "f16", style, False) +
                        words.some(2, "s8", 0))
        cache[kind] = b"".join(rows)
    return cache[kind]


MMA_KINDS = ("b32",) * (A_WORDS + B_WORDS + C_WORDS + 6)


def fragment(body, register, count, bits, offset):
    """Registers that are loaded from the row, and their list in braces."""
    for i in range(count):
        body.declare(f"{register}{i}", bits)
        body.text += f"ld.global.b{bits} {register}{i}, [%in+{offset + i * bits // 8}];\n"
    return braces(register, count)


def registers(kind, elements):
    """How many registers of a lane hold a warp's elements, and their width."""
    if kind == "f64":
        return elements // 32, 64
    return max(elements * BITS[kind] // 1024, 1), 32


def mma_form(mnemonic, types, words, selector=None):
    d, a, b, c = types if len(types) == 4 else (types[0], "f16", "f16", types[1])
    shape = shape_of(words)
    m, n, k = size_of(shape)
    is_quads = shape == "m8n8k4" and a == "f16"
    counts = {"d": registers(d, m * n), "b": registers(b, k * n), "c": registers(c, m * n),
              "a": registers(a, m * k // (1 if selector is None else 2))}
    if is_quads:  # four products at once
        counts = {"a": (2, 32), "b": (2, 32), "c": (4 if c == "f16" else 8, 32),
                  "d": (4 if d == "f16" else 8, 32)}
    if max(count * bits // 32 for count, bits in counts.values()) > (8 if a != "f64" else 16):
        return None
    body = Body()
    c_at = 4 * (A_WORDS + B_WORDS + (C_WORDS if c == "f16" else 0))
    operands = [fragment(body, "%a", *counts["a"], 0),
                fragment(body, "%b", *counts["b"], 4 * A_WORDS),
                fragment(body, "%c", *counts["c"], c_at)]
    if selector is not None:
        fragment(body, "%e", 1, 32, 4 * (A_WORDS + B_WORDS + C_WORDS + 4))
        operands += ["%e0", str(selector)]
    for i in range(counts["d"][0]):
        body.destination(f"%d{i}", f"b{counts['d'][1]}")
    form = body.form(f"{mnemonic} {', '.join([braces('%d', counts['d'][0])] + operands)}",
                     32 * MMA_WARPS, "mma")
    form.kinds, form.table = MMA_KINDS, mma_table(class_of(a))
    return form


def copy_form(mnemonic, words, is_store):
    """ldmatrix and stmatrix: the lanes' rows of 16 bytes lie in an order of their own."""
    count = int(next(w for w in words if w in ("x1", "x2", "x4"))[1:])
    body = Body()
    body.text += (".shared .align 16 .b8 rows[512];\n.reg .b32 %at, %own, %w<4>;\n"
                  "mov.u32 %at, rows;\nmad.lo.u32 %own, %thread, 16, %at;\n"
                  "xor.b32 %w0, %thread, 21;\nmad.lo.u32 %at, %w0, 16, %at;\n"
                  + "".join(f"ld.global.b32 %w{i}, [%in+{4 * i}];\n" for i in range(4)) +
                  "st.shared.v4.b32 [%own], {%w0, %w1, %w2, %w3};\nbar.sync 0;\n")
    after = ""
    if is_store:
        operands = f"[%at], {fragment(body, '%a', count, 32, 32)}"
        after = "bar.sync 0;\n" + "".join(
            f"ld.shared.b32 %d{i}, [%own+{4 * i}];\n" for i in range(4))
    else:
        operands = f"{braces('%d', count)}, [%at]"
    for i in range(4 if is_store else count):
        body.destination(f"%d{i}", "b32")
    form = body.form(f"{mnemonic} {operands}", 32 * MMA_WARPS, "mma", "", after)
    form.kinds, form.table = MMA_KINDS, mma_table("s8")
    return form


def move_form(mnemonic):
    body = Body()
    body.destination("%d", "b32")
    fragment(body, "%a", 1, 32, 0)
    form = body.form(f"{mnemonic} %d, %a0", 32 * MMA_WARPS, "mma")
    form.kinds, form.table = MMA_KINDS, mma_table("s8")
    return form


def selectors(row, types, words):
    """Of a sparse A; with m16n8k32 and halves ptxas takes 2 and 3, too, which the ISA has not."""
    if not row.form.startswith("sparse"):
        return (None,)
    return range(2) if "m16n8k32" in words and types[1] == "f16" else range(4)


def mma_forms():
    for row in read_rows():
        if row.is_refused or row.opcode not in ("mma", "ldmatrix", "stmatrix", "movmatrix"):
            continue
        for mnemonic, types, words in spellings(row):
            if "shared::cta" in words:
                continue
            if row.opcode == "movmatrix":
                yield move_form(mnemonic)
            elif row.opcode != "mma":
                yield copy_form(mnemonic, words, row.opcode == "stmatrix")
            else:
                for selector in selectors(row, types, words):
                    form = mma_form(mnemonic, types, words, selector)
                    if form:
                        yield form


# ---- wmma -------------------------------------------------------------------------------------

WMMA_WARPS = 4
PART = 1024  # bytes of a warp's A, of its B, and of its C


def wmma_table(kind, c, cache={}):
    if (kind, c) not in cache:
        words, data = Words(f"wmma {kind} {c}"), b""
        for warp in range(WMMA_WARPS):
            data += words.some(2 * PART // 4, kind, warp % STYLE_COUNT)
            data += words.some(PART // 4, c, warp % STYLE_COUNT, False)
        cache[kind, c] = data
    return cache[kind, c]


def fragments(kind, part, shape):
    """Registers of a wmma fragment and their width (PTX ISA, matrix fragments for wmma)."""
    m, n, k = size_of(shape)
    elements = {"a": m * k, "b": k * n, "c": m * n}[part]
    if kind == "f64":
        return elements // 32, 64
    if kind == "f16" and part != "c":
        return 8, 32  # each element twice
    return max(elements * BITS[kind] // 1024, 1), 32


def wmma_form(mnemonic, types, words):
    d, a, b, c = types if len(types) == 4 else (types[0], "f16", "f16", types[1])
    shape = shape_of(words)
    layouts = re.findall(r"\.(row|col)", mnemonic)
    m, n, k = size_of(shape)
    if max(m * k * BITS[a], n * k * BITS[b], m * n * BITS[c]) > 8 * PART:
        return None
    body = Body()
    # All lanes of a warp address its 3072 bytes, 96 for each lane.
    body.text += (".reg .b64 %base, %to;\n.reg .b32 %lane;\nmov.u32 %lane, %laneid;\n"
                  "mul.wide.u32 %base, %lane, 96;\nsub.u64 %base, %in, %base;\n"
                  f"mul.wide.u32 %to, %lane, {m * n * BITS[d] // 256};\nsub.u64 %to, %out, %to;\n")
    operands = []
    for part, kind, at in (("a", a, 0), ("b", b, PART), ("c", c, 2 * PART)):
        layout = {"a": layouts[0], "b": layouts[1], "c": "row"}[part]
        rows, columns = {"a": (m, k), "b": (k, n), "c": (m, n)}[part]
        count, bits = fragments(kind, part, shape)
        for i in range(count):
            body.declare(f"%{part}{i}", bits)
        stride = columns if layout == "row" else rows
        body.text += (f"wmma.load.{part}.sync.aligned.{layout}.{shape}.global.{kind} "
                      f"{braces('%' + part, count)}, [%base+{at}], {stride};\n")
        operands.append(braces("%" + part, count))
    count, bits = fragments(d, "c", shape)
    for i in range(count):
        body.declare(f"%d{i}", bits)
    operands.insert(0, braces("%d", count))
    store = f"wmma.store.d.sync.aligned.row.{shape}.global.{d} [%to], {operands[0]}, {n};\n"
    form = body.form(f"{mnemonic} {', '.join(operands)}", 32 * WMMA_WARPS, "wmma", "", store)
    form.results = ("b32",) * (m * n * BITS[d] // 1024)
    form.kinds, form.table = ("b32",) * 24, wmma_table(class_of(a), "s8" if c == "s32" else c)
    return form


def wmma_forms():
    for row in read_rows():
        if row.opcode != "wmma" or row.is_refused or not row.form.startswith("mma"):
            continue
        for mnemonic, types, words in spellings(row):
            form = wmma_form(mnemonic, types, words)
            if form:
                yield form


# ---- wgmma ------------------------------------------------------------------------------------

GROUPS = 3  # blocks of 128 threads, of styles 0, 1 and 3
IMAGE_WORDS = 12  # of a thread: 2048 bytes of A, and 4096 of B, again and again
D_WORDS = 8
WGMMA_KINDS = ("b32",) * (IMAGE_WORDS + 4 + D_WORDS + 1)


def wgmma_table(kind, c, cache={}):
    if (kind, c) not in cache:
        words, data = Words(f"wgmma {kind} {c}"), b""
        for row in range(128 * GROUPS):
            style = (0, 1, 3)[row // 128]
            data += words.some(IMAGE_WORDS + 4, kind, style) + words.some(D_WORDS, c, style, False)
            data += words.some(1, "s8", 0)
        cache[kind, c] = data
    return cache[kind, c]


def descriptor(leading, stride):
    return leading >> 4 << 16 | stride >> 4 << 32


def fill_text(image):
    """Shared memory: A at 0, B from 2048 on."""
    text = (".reg .b32 %at, %own, %w, %h;\n.reg .b64 %da, %db, %start;\nmov.u32 %at, memory;\n"
            "mad.lo.u32 %own, %thread, 4, %at;\n")
    for i in range(IMAGE_WORDS):
        text += f"ld.global.b32 %w, [%in+{4 * i}];\nst.shared.b32 [%own+{512 * i}], %w;\n"
        for repeat in range(6144, image, 4096) if i >= 4 else ():
            text += f"st.shared.b32 [%own+{repeat + 512 * (i - 4)}], %w;\n"
    return text + ("fence.proxy.async.shared::cta;\nbar.sync 0;\n"
                   "shr.u32 %at, %at, 4;\ncvt.u64.u32 %start, %at;\n")


def hash_text(count, lanes_alike):
    """One word of all registers; of wide results one for a warp, in its first lane."""
    text = "mov.u32 %d, 0x811c9dc5;\n"
    text += "".join(f"mad.lo.u32 %d, %d, 0x01000193, %r{i};\n" for i in range(count))
    if lanes_alike:
        text += ("mad.lo.u32 %h, %thread, 0x9e3779b2, 0x7feb352d;\nmul.lo.u32 %d, %d, %h;\n"
                 "shr.u32 %h, %d, 15;\nxor.b32 %d, %d, %h;\nredux.sync.xor.b32 %d, %d, -1;\n"
                 "and.b32 %h, %thread, 31;\nsetp.ne.u32 %p, %h, 0;\nselp.b32 %d, 0, %d, %p;\n")
    return text


def wgmma_form(row, mnemonic, types, words):
    d, a, _ = types
    _, n, k = size_of(shape_of(words))
    is_sparse, is_half = "sp" in words, a in ("f16", "bf16")
    count = n // (4 if d == "f16" else 2)
    k_bytes = k * BITS[a] // 8
    image = 2048 + (n * k_bytes + 4095) // 4096 * 4096
    body = Body()
    body.text += fill_text(image) + ".reg .pred %p;\n"
    body.declare("%d", 32)
    from_registers = pick(mnemonic, (False, False, True))
    first = "%da"
    if from_registers:
        first = fragment(body, "%a", 4, 32, 4 * IMAGE_WORDS)
    body.text += f".reg .b32 %r<{count}>;\n"
    for i in range(count):
        body.text += f"ld.global.b32 %r{i}, [%in+{4 * (IMAGE_WORDS + 4 + i % D_WORDS)}];\n"
    operands = [braces("%r", count), first, "%db"]
    if is_sparse:
        fragment(body, "%e", 1, 32, 4 * (IMAGE_WORDS + 4 + D_WORDS))
        operands.append("%e0")
        operands.append("0" if BITS[a] == 8 else pick(mnemonic, ("0", "1")))
    operands.append("%p")
    if d != "s32":
        operands += pick(mnemonic + "s", (["1", "1"], ["1", "1"], ["-1", "1"], ["1", "-1"]))
    if is_half:
        operands += ["0"] if from_registers else ["0", "0"]
    body.text += (f"add.u64 %da, %start, {descriptor(128, 256)};\n"
                  f"add.u64 %db, %start, {descriptor(128, 8 * k_bytes) + (2048 >> 4)};\n"
                  "setp.ne.u32 %p, %threads, 1;\nwgmma.fence.sync.aligned;\n")
    after = ("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n" +
             hash_text(count, n > 16))
    body.text += f"{mnemonic} {', '.join(operands)};\n{after}st.global.b32 [%out+0], %d;\n"
    text = f"{mnemonic} {', '.join(['{%r0, ...}'] + operands[1:])}"
    form = Form(text, WGMMA_KINDS, ("b32",), body.text, 128 * GROUPS, "wgmma", 128, image)
    form.table = wgmma_table(class_of(a), result_style(a, d) if d != "s32" else "s8")
    return form


def wgmma_forms():
    for row in read_rows():
        if row.opcode == "wgmma" and not row.is_refused and "shape" not in row.form:
            for mnemonic, types, words in spellings(row):
                if len(types) == 3:
                    yield wgmma_form(row, mnemonic, types, words)
