"""Tables of operands for tools/truth_isa.py: boundary values of each type, and seeded random rows
that bring out roundings, cancellation, and results at both ends of a type's range.
"""

import random
import struct
import zlib

SHAPES = {"f16": (5, 10), "bf16": (8, 7), "f32": (8, 23), "f64": (11, 52)}  # exponent, fraction
PACKED = {"f16x2": "f16", "bf16x2": "bf16", "u16x2": "u16", "s16x2": "s16"}
# What is more particular than a type: amounts of shifts and positions of bits, and so on.
KINDS = {"count": "u32", "lane": "u32", "offset": "s32", "pred": "u32", "full": "u32",
         "segment": "u32", "mask": "u32", "few": "u32"}

WORDS = [0, 1, 2, 3, 7, 8, 15, 16, 23, 24, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 255, 256,
         0x7ffe, 0x7fff, 0x8000, 0x8001, 0xffff, 0x10000, 0x10001, 0x7fffff, 0x800000, 0xffffff,
         0x1000000, 0x01020304, 0x80808080, 0x7f7f7f7f, 0x00ff00ff, 0xff00ff00, 0x55555555,
         0xaaaaaaaa, 0x12345678]
EDGES = {
    "count": [0, 1, 2, 4, 5, 7, 8, 15, 16, 17, 23, 24, 30, 31, 32, 33, 47, 48, 63, 64, 65, 95, 127,
              128, 160, 255, 256, 257, 288, 0x100001, 0x80000000, 0x80000001, 0xffffffff],
    "lane": list(range(32)),
    "offset": [v & 0xffffffff for v in (0, 1, 2, 3, 5, 9, 16, 31, 32, 33, 100, -1, -2, -3, -5, -16,
                                        -31, -32, -33)],
    "pred": [0, 1],
    "few": [0, 1, 2, 3],
    "segment": [0x1f, 0x101f, 0x181f, 0x1c1f, 0x1e1f, 0x1f1f, 0, 0x1000, 0x1800, 0x0f, 0x1003],
}


def bits_of(kind):
    """The width of a type; f16x2 has 32 bits, s8 is held in a word."""
    kind = KINDS.get(kind, kind)
    if kind == "pred":
        return 32
    if kind.startswith(("e4m3", "e5m2", "e2m3", "e3m2", "ue8m0")):
        return 16
    if kind in PACKED or kind == "tf32":
        return 32
    return int("".join(c for c in kind if c.isdigit()))


def slot_bytes(kind):
    return 8 if bits_of(kind) == 64 else 4


# ---- Floats as numbers ------------------------------------------------------------------------

def to_float(bits, kind):
    if kind == "f64":
        return struct.unpack("<d", struct.pack("<Q", bits))[0]
    if kind == "f16":
        return struct.unpack("<e", struct.pack("<H", bits))[0]
    return struct.unpack("<f", struct.pack("<I", bits << 16 if kind == "bf16" else bits))[0]


def from_float(value, kind):
    """Nearest or next to it, which is all that a table needs."""
    if kind == "f64":
        return struct.unpack("<Q", struct.pack("<d", value))[0]
    try:
        if kind == "f16":
            return struct.unpack("<H", struct.pack("<e", value))[0]
        word = struct.unpack("<I", struct.pack("<f", value))[0]
    except OverflowError:
        exponent, fraction = SHAPES[kind]
        return ((1 << exponent) - 1) << fraction | (value < 0) << (exponent + fraction)
    return word >> 16 if kind == "bf16" else word


def float_edges(kind):
    exponent, fraction = SHAPES[kind]
    sign, infinity = 1 << (exponent + fraction), ((1 << exponent) - 1) << fraction
    bias = (1 << (exponent - 1)) - 1
    one = bias << fraction
    half = 1 << (fraction - 1)
    edges = [0, 1, 2, half, (1 << fraction) - 1, 1 << fraction, (1 << fraction) + 1, one - 1, one,
             one + 1, one + half, one + half - 1, infinity - 1, infinity, infinity | half,
             infinity | half | 5, infinity | 1, infinity | half - 1, infinity - (1 << fraction),
             one + (fraction << fraction), one + ((fraction + 1) << fraction)]
    values = [0.25, 0.5, 0.75, 1.5, 2, 2.5, 3, 3.5, 6.5, 0.1, 3.14159265358979, 10, 100.5, 126.5,
              127,
              127.5, 128, 255, 255.5, 256, 447, 448, 464, 480, 57344, 61440, 32767, 32767.5, 32768,
              65504, 65519, 65520, 65535, 65535.5, 65536, 8388607.5, 16777217, 2**31 - 1, 2**31,
              2**32 - 1, 2**32, 2**33, 2.0**63, 2.0**64, 2.0**127, 2.0**-9, 2.0**-10,
              3 * 2.0**-11, 2.0**-14,
              2.0**-16, 2.0**-17, 2.0**-24, 2.0**-25, 3 * 2.0**-25, 2.0**-126, 2.0**-149]
    edges += [from_float(float(v), kind) for v in values]
    if kind in ("f32", "f64"):  # ties, and neighbours of ties, of narrower types
        for narrow in (3, 2, 7, 10) + ((23,) if kind == "f64" else ()):
            tie = 1 << (fraction - narrow - 1)
            for base in (one, one + (tie << 1), one + (5 << fraction), one - (20 << fraction)):
                edges += [base + tie, base + tie - 1, base + tie + 1]
    if kind == "f64":
        edges += [from_float(v, kind) for v in (
            2.0**-150, 2.0**-150 * (1 + 2**-52), 3 * 2.0**-150, 2.0**-126 * (1 - 2**-24),
            (2 - 2**-23) * 2.0**127, (2 - 2**-24) * 2.0**127, 2.0**128, 2.0**52 + 0.5,
            2.0**63 - 1024, 2.0**62, 4294967295.5, 2147483647.5, 9007199254740993.0)]
    edges = list(dict.fromkeys(edges))
    return edges + [e | sign for e in edges]


def int_edges(bits):
    top, full = 1 << (bits - 1), (1 << bits) - 1
    edges = [top, top - 1, top + 1, full, full - 1, full - 2, full ^ 7, full ^ 31, full ^ 0xff,
             top >> 1]
    edges += [v & full for v in WORDS] + [-v & full for v in WORDS[:24]]
    if bits == 64:
        edges += [1 << 32, (1 << 32) - 1, (1 << 31), -(1 << 31) & full, (1 << 33) + 1,
                  0x0123456789abcdef, 0xaaaaaaaaaaaaaaaa, (1 << 53) + 1, (1 << 53) + 3,
                  (1 << 24) + 1, (1 << 62) + (1 << 38)]
    if bits == 32:
        edges += [0x1000001, 0x1000003, 0x7fffff80, 0x7fffffc0, 0xffffff80, 0xffff8000, 0xffff7fff]
    return list(dict.fromkeys(edges))


def edges_of(kind):
    if kind in EDGES:
        return EDGES[kind]
    if kind in PACKED:
        half = edges_of(PACKED[kind])
        return [x | half[(5 * i + 3) % len(half)] << 16 for i, x in enumerate(half)]
    if kind in SHAPES:
        return float_edges(kind)
    if bits_of(kind) == 8:
        return [v for v in range(0, 256, 3)] + [v | 0xabcdef00 for v in (0, 1, 127, 128, 129, 255)]
    return int_edges(bits_of(kind))


# ---- Rows -------------------------------------------------------------------------------------

class Maker:
    def __init__(self, kinds, seed):
        self.kinds, self.random = kinds, random.Random(seed)
        self.edges = [edges_of(kind) for kind in kinds]

    def any(self, kind):
        """A random value: of all bits, of few bits, or in the middle of a float's range."""
        r = self.random
        if kind in PACKED:
            return self.any(PACKED[kind]) | self.any(PACKED[kind]) << 16
        if kind in EDGES:
            return r.choice(EDGES[kind])
        bits = r.getrandbits(bits_of(kind))
        style = r.randrange(3)
        if kind in SHAPES and style:
            exponent, fraction = SHAPES[kind]
            near = (1 << (exponent - 1)) - 1 + r.randrange(-4, 5) * (1 if style == 1 else 4)
            near = max(1, min(near, (1 << exponent) - 2))
            return near << fraction | bits & ((1 << fraction) - 1) | (bits >> (exponent + fraction)
                                                                     << (exponent + fraction))
        if kind not in SHAPES and style:
            width = bits_of(kind)
            keep = r.randrange(1, width)
            value = bits & ((1 << keep) - 1)
            return value if style == 1 else -value & ((1 << width) - 1)
        return bits

    def related(self, kinds):
        """Floats whose sum is a tie, whose product is subnormal or huge, or that cancel out."""
        kind, r = kinds[0], self.random
        if kind in PACKED:
            low, high = (self.related([PACKED[k] for k in kinds]) for _ in range(2))
            return [a | b << 16 for a, b in zip(low, high)]
        exponent, fraction = SHAPES[kind]
        bias, top = (1 << (exponent - 1)) - 1, (1 << exponent) - 2
        sign = lambda: r.getrandbits(1) << (exponent + fraction)
        a = sign() | r.randrange(1, top) << fraction | r.getrandbits(fraction)
        at = a >> fraction & (1 << exponent) - 1
        style = r.randrange(5)
        if style < 2:  # half a unit of a, or nearly
            b = max(0, at - fraction - 1 + r.randrange(-1, 2)) << fraction
            b |= r.choice((0, 0, 0, 1, 2)) | sign()
        elif style == 2:  # a product at the lower or the upper end
            want = r.choice((bias - at - fraction + r.randrange(fraction + 3),
                             3 * bias - at + r.randrange(-1, 2)))
            b = max(1, min(want, top)) << fraction | r.getrandbits(fraction) | sign()
        else:
            b = a ^ sign() ^ r.choice((0, 1, 2, 1 << fraction))
        out = [a, b]
        for other in kinds[2:]:
            out.append(self.third(a, b, kind))
        if style == 4 and len(kinds) == 2:  # a quotient that is a number, or next to one
            x = to_float(self.any(kind), kind) * to_float(b, kind)
            out[0] = from_float(x, kind) + r.randrange(-1, 2) & (2 << exponent + fraction) - 1
        return out[:len(kinds)]

    def third(self, a, b, kind):
        exponent, fraction = SHAPES[kind]
        product = from_float(-to_float(a, kind) * to_float(b, kind), kind)
        near = product + self.random.randrange(-2, 3) & (2 << exponent + fraction) - 1
        lower = self.random.randrange(fraction + 3) << fraction
        shifted = near - lower & (2 << exponent + fraction) - 1
        return self.random.choice((near, near, shifted, shifted, self.any(kind)))

    def row(self, i, rows):
        r, kinds = self.random, self.kinds
        floats = [k for k in kinds if k in SHAPES or k in ("f16x2", "bf16x2")]
        if i < 3 * rows // 8 or len(kinds) == 1 and i < len(self.edges[0]):
            # each edge of the first operand in turn, against others'
            return [e[i % len(e)] if at == 0 else r.choice(e) for at, e in enumerate(self.edges)]
        if i < 5 * rows // 8:
            return [r.choice(e) if r.randrange(2) else self.any(k)
                    for e, k in zip(self.edges, kinds)]
        if len(floats) > 1 and len(set(floats)) == 1 and r.randrange(4):
            made = self.related(floats)
            return [made.pop(0) if k in floats else self.any(k) for k in kinds]
        return [self.any(k) for k in kinds]


def offsets_of(kinds, size_of=None, least=4):
    """Offsets of the operands in a row, and the row's bytes: a multiple of the largest operand's,
    and of `least`."""
    offsets, at, most = [], 0, least
    for kind in kinds:
        size = (size_of or slot_bytes)(kind)
        at = (at + size - 1) // size * size
        offsets.append(at)
        at += size
        most = max(most, size)
    return offsets, (at + most - 1) // most * most


def pack(kinds, values):
    offsets, size = offsets_of(kinds)
    data = bytearray(size)
    for kind, offset, value in zip(kinds, offsets, values):
        data[offset:offset + slot_bytes(kind)] = value.to_bytes(slot_bytes(kind), "little")
    return bytes(data)


def table(kinds, rows):
    """The bytes of a table: depends on its arguments alone."""
    maker = Maker(kinds, zlib.crc32(",".join(kinds).encode()))
    return b"".join(pack(kinds, maker.row(i, rows)) for i in range(rows))
