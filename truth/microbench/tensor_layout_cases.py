"""Writes the cases of tensor_layout.cu.

    tensor_layout_cases.py [SEED] > CASES
"""

import random
import sys

from tensor_cases import BF16, BYTES, F16, F32, F64, TF32, U8, U16, U32, dense, show

TYPES = 13
ADDRESS = 0x7F1234567800
STARTS = ("zeros", "ones", "noise", "map")
# A map whose fields all differ from each other and from nothing.
TILE = dict(map="tile", type=U32, rank=5, size=(100, 50, 25, 12, 6), stride=(416, 20800, 520000, 6240000),
            box=(16, 8, 4, 2, 3), step=(1, 2, 3, 4, 5), sw=2, l2=1, fill=0, address=ADDRESS)
COLUMN = dict(map="im2col", type=F16, rank=5, size=(64, 50, 25, 12, 6), stride=(128, 6400, 160000, 1920000),
              lower=(-1, -2, -3), upper=(1, 2, 3), ch=16, px=12, step=(1, 2, 3, 4, 5), sw=1, l2=2, fill=1,
              address=ADDRESS)


def encode(base, **fields):
    show("encode", **dict(base, **fields))


def changed(values, place, value):
    return tuple(value if i == place else old for i, old in enumerate(values))


# ---- What the encoder makes of each field ------------------------------------------------------------


def each_field(base):
    for kind in range(TYPES):
        wide = 8 if base["map"] == "tile" else 16 // BYTES[kind]
        size = {"box": (16 if BYTES[kind] < 8 else 2, 8, 4, 2, 3)} if base["map"] == "tile" else {"ch": wide}
        encode(base, type=kind, sw=0, fill=0, **size)
        if kind >= F16:
            encode(base, type=kind, sw=0, fill=1, **size)
    for bit in range(4, 64):
        encode(base, address=1 << bit)
    for place in range(5):
        for bit in range(33):
            encode(base, size=changed(base["size"], place, 1 << bit))
            if bit > 1:
                encode(base, size=changed(base["size"], place, (1 << bit) - 1))
        for step in range(1, 9):
            encode(base, step=changed(base["step"], place, step))
    for place in range(4):
        for bit in range(4, 41):
            encode(base, stride=changed(base["stride"], place, 1 << bit))
        encode(base, stride=changed(base["stride"], place, (1 << 40) - 16))
    for swizzle in range(4):
        for layout in range(3):
            for promotion in range(4):
                encode(base, sw=swizzle, il=layout, l2=promotion)


def each_tile_field():
    each_field(TILE)
    for rank in range(1, 6):
        encode(TILE, rank=rank)
        for layout in range(3):
            encode(TILE, rank=rank, il=layout, sw=0)
    for place in range(5):
        for bit in range(9):
            encode(TILE, sw=0, box=changed((16, 1, 1, 1, 1), place, 1 << bit))
            encode(TILE, sw=0, box=changed((16, 1, 1, 1, 1), place, (1 << bit) + 3))


def each_column_field():
    each_field(COLUMN)
    for rank, most in ((3, 15), (4, 7), (5, 4)):
        spaces = rank - 2
        base = dict(COLUMN, rank=rank, size=(64,) + (40000,) * spaces + (6,))
        encode(base, lower=(0,) * spaces, upper=(0,) * spaces)
        encode(base, lower=(0,) * spaces, upper=(0,) * spaces, il=1, sw=0, size=(40000,) * spaces + (64, 6))
        for place in range(spaces):
            for corner in ("lower", "upper"):
                for bit in range(most + 1):
                    value = 1 << bit if bit < most else -(1 << bit)
                    encode(base, **{"lower": (0,) * spaces, "upper": (0,) * spaces,
                                    corner: changed((0,) * spaces, place, value)})
                encode(base, **{"lower": (0,) * spaces, "upper": (0,) * spaces, corner: changed((0,) * spaces, place, -1)})
    for bit in range(9):
        encode(COLUMN, ch=1 << bit, sw=0)
    for bit in range(11):
        encode(COLUMN, px=1 << bit)
        encode(COLUMN, px=(1 << bit) - 1)
    for mode in (0, 1):
        encode(COLUMN, wide=1, mode=mode, sw=3, rank=4, ch=64)


def random_maps(dice, count):
    for _ in range(count):
        kind = dice.randrange(TYPES)
        rank = dice.randint(1, 5)
        layout = dice.choice((0, 0, 0, 1, 2)) if rank > 2 else 0
        unit = 16 // BYTES[kind]
        fields = dict(type=kind, rank=rank, il=layout, sw=dice.randrange(4), l2=dice.randrange(4),
                      fill=int(kind >= F16 and dice.random() < 0.5), address=32 * dice.getrandbits(41),
                      size=[dice.randint(1, 1 << dice.randint(1, 31)) for _ in range(rank)],
                      stride=[32 * dice.randint(1, 1 << dice.randint(1, 34)) for _ in range(rank - 1)],
                      step=[dice.randint(1, 8) for _ in range(rank)])
        if rank < 3 or dice.random() < 0.6:
            show("encode", map="tile", **fields,
                 box=[unit * dice.randint(1, 256 // unit)] + [dice.randint(1, 256) for _ in range(rank - 1)])
            continue
        low, high = {3: (-32768, 32767), 4: (-128, 127), 5: (-16, 15)}[rank]
        show("encode", map="im2col", **fields, ch=unit * dice.randint(1, 256 // unit), px=dice.randint(1, 1024),
             lower=[dice.randint(low, high) for _ in range(rank - 2)],
             upper=[dice.randint(low, high) for _ in range(rank - 2)])


# ---- What tensormap.replace makes of a map --------------------------------------------------------------


def replace(start, field, place, value):
    base = {} if start in ("zeros", "ones", "noise") else COLUMN if start == "im2col" else TILE
    show("replace", **dict(base, **{"from": start.replace("im2col", "map"), "field": field, "place": place,
                                    "value": f"0x{value:x}"}))


def replaces(dice):
    wide = [("global_address", 1, 64), ("global_dim", 5, 32), ("global_stride", 4, 64), ("box_dim", 5, 32),
            ("element_stride", 5, 32), ("rank", 1, 32)]
    constants = [("elemtype", 13), ("interleave_layout", 3), ("swizzle_mode", 4), ("fill_mode", 2)]
    for field, places, bits in wide:
        for place in range(places):
            for bit in range(bits):
                replace("zeros", field, place, 1 << bit)
            for start in STARTS + ("im2col",):
                for value in (0, (1 << bits) - 1, dice.getrandbits(bits), dice.getrandbits(9), 1, 5):
                    replace(start, field, place, value)
    for field, count in constants:
        for start in STARTS + ("im2col",):
            for value in range(count):
                replace(start, field, 0, value)


# ---- What copies do with maps that were made, or whose bits were turned ------------------------------------


def made(dice, count):
    for i in range(count):
        kind = dice.choice((U8, U16, U32, F16, F32, F64, BF16, TF32))
        rank = dice.randint(1, 5)
        layout = dice.choice((0, 0, 0, 1, 2)) if rank > 2 else 0
        unit = 16 // BYTES[kind]
        swizzle = 0 if layout else dice.randrange(4)
        fields = dict(type=kind, rank=rank, il=layout, sw=swizzle, fill=int(kind >= F16 and dice.random() < 0.5),
                      step=[1] * rank if dice.random() < 0.5 else [dice.randint(1, 3) for _ in range(rank)])
        if layout:
            size = [dice.randint(1, 24)] + [dice.randint(1, 9) for _ in range(rank - 1)]
            fields["stride"] = [2 * s for s in (288, 2624, 5248, 23616)[-(rank - 1):]]
            fields["box"] = [unit] + [dice.randint(1, 4) for _ in range(rank - 1)]
            at = [dice.randint(-2, n) for n in size]
        else:
            size = [dice.randint(1, 8 * unit)] + [dice.randint(1, 8) for _ in range(rank - 1)]
            fields["stride"] = dense(size, BYTES[kind], 32 * dice.randint(0, 2))
            fields["box"] = [unit * dice.randint(1, (8, 2, 4, 8)[swizzle])] + [dice.randint(1, 4) for _ in range(rank - 1)]
            at = [unit * dice.randint(-2, 3)] + [dice.randint(-2, n) for n in size[1:]]
        show("load", map="tile", size=size, at=at, **fields, made=("zeros", "zeros", "ones", "noise")[i % 4])


def flips():
    tile = dict(map="tile", type=U32, rank=3, size=(20, 9, 5), stride=(96, 896), box=(16, 4, 2), step=(1, 1, 1),
                il=0, sw=2, l2=0, fill=0, at=(4, 1, 1), dump=1)
    column = dict(map="im2col", type=F32, rank=4, size=(16, 6, 5, 3), stride=(64, 384, 1920), lower=(-1, -1),
                  upper=(-1, -1), ch=8, px=12, step=(1, 1, 1, 1), sw=1, l2=0, fill=1, at=(0, -1, -1, 0), off=(1, 2),
                  dump=1)
    for base in (tile, column):
        show("load", **base)
        for bit in range(1024):
            show("load", **base, flip=bit)
    slices = dict(map="tile", type=U16, rank=3, size=(9, 5, 4), stride=(512, 4096), box=(8, 1, 2), step=(1, 1, 1), il=1,
                  sw=0, at=(1, 1, 1), dump=1)
    show("load", **slices)
    for bit in range(64, 128):
        show("load", **slices, flip=bit)


def main():
    dice = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    each_tile_field()
    each_column_field()
    random_maps(dice, 600)
    replaces(dice)
    made(dice, 160)
    flips()


if __name__ == "__main__":
    main()
