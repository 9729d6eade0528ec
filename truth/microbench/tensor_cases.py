"""Writes the cases of tensor_maps.cu: those that show a rule, with dumps, then random ones, then
those of which the driver or the GPU may refuse a part.

    tensor_cases.py [SEED] > CASES
"""

import random
import sys

BYTES = (1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4)
U8, U16, U32, F16, F32, F64, BF16, TF32 = 0, 1, 2, 6, 7, 8, 9, 11


def text(op, **fields):
    parts = ["op=" + op]
    for key, value in fields.items():
        if value is None:
            continue
        if isinstance(value, (list, tuple)):
            value = ",".join(str(v) for v in value)
        parts.append(f"{key}={value}")
    return " ".join(parts)


def show(op, **fields):
    print(text(op, **fields))


def dense(size, bytes_each, pad=0):
    """Strides of a tensor whose dimensions follow each other, each row with `pad` bytes more."""
    strides, at = [], -(-size[0] * bytes_each // 32) * 32 + pad
    for count in size[1:]:
        strides.append(at)
        at *= count
    return strides


# ---- Cases that show a rule ------------------------------------------------------------------------

WIDE = dict(map="im2col", type=U32, rank=4, size=(16, 6, 5, 3), stride=(64, 384, 1920), dump=1)


def im2col(op="load", **fields):
    case = dict(WIDE, lower=(0, 0), upper=(0, 0), ch=4, px=8, at=(0, 0, 0, 0), off=(0, 0))
    case.update(fields)
    show(op, **case)


def im2col_rules():
    im2col()
    im2col(px=40, at=(0, 2, 3, 1))
    im2col(px=40, at=(4, 5, 4, 0))
    im2col(lower=(-1, -1), upper=(-1, -1), at=(0, -1, -1, 0), px=34)
    im2col(lower=(-1, -1), upper=(-1, -1), at=(0, -1, -1, 0), px=34, off=(2, 1))
    im2col(lower=(-2, 0), upper=(0, -1), at=(0, -2, 0, 0), px=34)
    im2col(lower=(-1, -1), upper=(1, 1), at=(0, 1, 1, 0), px=60)
    im2col(lower=(1, 2), upper=(-1, -2), at=(0, 1, 2, 0), px=12)
    im2col(lower=(1, 0), upper=(-2, -1), at=(0, 2, 2, 0), off=(1, 2), px=20)
    im2col(lower=(7, 0), upper=(3, 0), at=(0, 7, 0, 0), px=6)
    im2col(lower=(-9, 0), upper=(-7, 0), at=(0, -9, 0, 0), px=20)
    for step in ((1, 2, 1, 1), (1, 1, 2, 1), (1, 2, 2, 1), (1, 4, 1, 1), (1, 1, 3, 1), (1, 3, 3, 1),
                 (1, 8, 8, 1), (1, 1, 1, 2), (2, 1, 1, 1), (1, 2, 2, 2), (4, 5, 3, 7)):
        im2col(step=step, px=20)
        im2col(step=step, px=20, lower=(-1, -1), upper=(0, 0), at=(0, 0, 1, 0), off=(1, 1))
    im2col(at=(12, 0, 0, 0), ch=8)
    im2col(at=(-4, 0, 0, 0), ch=8)
    im2col(at=(16, 0, 0, 0), ch=8)
    im2col(at=(-8, 0, 0, 0), ch=8)
    im2col(at=(0, 0, 0, 2), px=64)
    im2col(at=(0, 0, 0, -1), px=40)
    im2col(at=(0, 0, 0, 3), px=4)
    im2col(at=(0, 0, 0, -5), px=4)
    im2col(at=(0, 4, 4, 2), px=12, fill=0, type=F32)
    for kind in (F16, F32, F64, BF16):
        im2col(type=kind, lower=(-1, -1), upper=(0, 0), at=(0, -1, -1, 2), px=50, fill=1, ch=8)
    im2col(type=TF32, px=20)
    im2col(type=U8, ch=32, at=(-16, 0, 0, 0), px=9, size=(40, 6, 5, 3))
    im2col(px=1024, lower=(-9, -9), upper=(9, 9), at=(0, -9, -9, 0))
    im2col(px=1)
    im2col(type=U8, ch=256, px=7, size=(64, 6, 5, 3))
    for off in ((255, 0), (0, 255), (256, 0), (0, 257), (65535, 0), (0, 32768), (3, 4), (300, 1)):
        im2col(off=off, lower=(-4, -4), upper=(-4, -4), at=(0, -4, -4, 0), px=3)
    im2col(off=(255, 255), lower=(-128, -128), upper=(127, 127), at=(0, -128, -128, 0), px=200)
    for swizzle, channels in ((1, 8), (2, 16), (3, 16), (1, 4), (2, 4), (3, 4), (3, 12), (2, 12)):
        im2col(sw=swizzle, ch=channels, px=20, to=0)
        im2col(sw=swizzle, ch=channels, px=20, to=128)
    # three and five dimensions
    three = dict(rank=3, size=(16, 9, 4), stride=(64, 576))
    im2col(**three, lower=(0,), upper=(0,), at=(0, 0, 0), off=(0,), px=12)
    im2col(**three, lower=(-2,), upper=(1,), at=(0, -2, 1), off=(1,), px=24)
    im2col(**three, lower=(-2,), upper=(1,), at=(0, -1, 1), off=(1,), px=24, step=(1, 3, 1))
    im2col(**three, lower=(-2,), upper=(1,), at=(0, -1, 1), off=(1,), px=24, step=(1, 3, 2))
    im2col(**three, lower=(-32768,), upper=(-32768,), at=(0, -32768, 0), off=(32768,), px=12)
    im2col(**three, lower=(-3000,), upper=(32767,), at=(0, -3000, 0), off=(3001,), px=12)
    im2col(**three, lower=(0,), upper=(0,), at=(0, 0, 0), off=(65535,), px=4)
    five = dict(rank=5, size=(16, 5, 4, 3, 3), stride=(64, 320, 1280, 3840))
    im2col(**five, lower=(0, 0, 0), upper=(0, 0, 0), at=(0, 0, 0, 0, 0), off=(0, 0, 0), px=80)
    im2col(**five, lower=(-1, 0, 1), upper=(0, -1, 0), at=(0, -1, 0, 1, 0), off=(0, 0, 0), px=70)
    im2col(**five, lower=(-1, -1, -1), upper=(-1, -1, -1), at=(0, 1, 1, 1, 1), off=(1, 2, 1), px=70)
    im2col(**five, lower=(-1, -1, -1), upper=(-1, 1, -1), at=(0, 0, 0, 0, 1), off=(1, 2, 1), px=70,
           step=(1, 2, 3, 2, 1))
    im2col(**five, lower=(-16, -16, -16), upper=(15, 15, 15), at=(0, -16, -16, -16, 0),
           off=(16, 16, 16), px=70)
    for off in ((31, 0, 0), (0, 31, 0), (0, 0, 31), (32, 0, 0), (0, 33, 0), (0, 0, 34)):
        im2col(**five, lower=(0, 0, 0), upper=(0, 0, 0), at=(0, 0, 0, 0, 0), off=off, px=4)
    # the other forms
    im2col("load_cta", px=20)
    im2col("multicast", px=20, at=(4, 1, 1, 0), off=(1, 0))
    im2col("multicast", px=20, at=(4, 1, 1, 0), off=(1, 0), sw=2, ch=16)
    im2col("prefetch", px=20)
    for off in ((256, 0), (257, 1), (256, 1), (0, 257), (0, 65535), (513, 1), (65535, 0)):
        im2col(off=off, px=3, ch=4, lower=(0, 0), upper=(0, 0))
    for off in ((33, 1, 0), (32, 1, 0), (0, 33, 1), (64, 0, 0), (65, 1, 1), (0, 64, 1), (1024, 0, 0),
                (0, 32, 0), (0, 0, 32), (0, 0, 33), (65535, 65535, 65535), (96, 1, 0)):
        im2col(**five, lower=(0, 0, 0), upper=(0, 0, 0), at=(0, 0, 0, 0, 0), off=off, px=4)
    for op in ("store", "add", "max", "xor"):
        im2col(op, px=9, at=(4, 1, 1, 0))
        im2col(op, px=40, at=(4, 4, 3, 1), ch=8, to=128)
    im2col("store", px=60, at=(4, 4, 3, 2))
    im2col("store", px=9, at=(12, 1, 1, 0), ch=8)
    im2col("store", px=12, lower=(1, 1), upper=(-1, -2), at=(0, 1, 1, 0))
    im2col("store", px=12, lower=(1, 0), upper=(0, -1), at=(0, 2, 1, 1))
    im2col("store", px=12, step=(1, 2, 1, 1))
    im2col("store", px=12, step=(1, 2, 2, 1), at=(0, 1, 1, 0))
    im2col("store", px=20, sw=2, ch=16)
    im2col("store", px=20, sw=3, ch=12, to=128)
    im2col("store", **three, lower=(0,), upper=(0,), at=(0, 2, 1), off=(0,), px=12)
    im2col("store", **five, lower=(0, 0, 0), upper=(0, 0, 0), at=(0, 1, 2, 2, 0), off=(0, 0, 0), px=30)


SLICES = dict(map="tile", type=U32, rank=4, size=(24, 6, 5, 3), stride=(512, 4096, 32768), dump=1)


def sliced(op="load", **fields):
    case = dict(SLICES, il=1, box=(4, 2, 3, 1), at=(0, 0, 0, 0))
    case.update(fields)
    show(op, **case)


def interleave_rules():
    for layout, swizzle in ((1, 0), (2, 1)):
        both = dict(il=layout, sw=swizzle)
        sliced(**both)
        for box in ((8, 2, 3, 1), (16, 2, 2, 2), (24, 3, 2, 1), (32, 2, 1, 1), (2, 2, 2, 1), (6, 2, 2, 1),
                    (1, 2, 1, 1), (12, 1, 1, 1), (1, 1, 1, 1), (3, 2, 2, 1)):
            sliced(**both, box=box)
        for at in ((4, 0, 0, 0), (8, 0, 0, 0), (1, 0, 0, 0), (2, 0, 0, 0), (3, 0, 0, 0), (5, 1, 0, 0),
                   (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1), (0, 5, 0, 0), (0, 0, 4, 0), (0, 0, 0, 3),
                   (20, 0, 0, 0), (24, 0, 0, 0), (-4, 0, 0, 0), (-1, 0, 0, 0), (0, -1, 0, 0),
                   (0, 0, -1, 0), (0, 0, 0, -1)):
            sliced(**both, box=(8, 2, 2, 1), at=at)
        sliced(**both, box=(32, 1, 1, 1), at=(16, 0, 0, 0))
        sliced(**both, size=(21, 6, 5, 3), box=(32, 1, 1, 1), at=(0, 0, 0, 0))
        sliced(**both, size=(3, 6, 5, 3), box=(8, 3, 2, 2), at=(0, 0, 0, 0))
        sliced(**both, size=(3, 6, 5, 3), box=(2, 3, 2, 2), at=(1, 0, 0, 0))
        for step in ((2, 1, 1, 1), (1, 2, 1, 1), (1, 1, 2, 1), (1, 1, 1, 2), (3, 2, 2, 1)):
            sliced(**both, box=(16, 4, 4, 2), step=step)
        sliced(**both, type=U16, box=(16, 2, 2, 1), at=(0, 0, 0, 0))
        sliced(**both, type=U16, box=(16, 2, 2, 1), at=(8, 0, 0, 0))
        sliced(**both, type=U16, box=(8, 2, 2, 1), at=(16, 0, 0, 0))
        sliced(**both, type=U8, size=(48, 6, 5, 3), box=(32, 2, 2, 1), at=(0, 0, 0, 0))
        sliced(**both, type=F64, size=(8, 6, 5, 3), box=(4, 2, 2, 1), at=(0, 0, 0, 0))
        sliced(**both, type=F32, box=(8, 4, 3, 1), at=(20, 4, 3, 1), fill=1)
        sliced(**both, rank=3, size=(6, 6, 5), stride=(512, 4096), box=(4, 2, 3), at=(0, 0, 0))
        sliced(**both, rank=3, size=(6, 6, 5), stride=(512, 4096), box=(4, 4, 3), at=(1, 3, 3))
        sliced(**both, rank=5, size=(6, 6, 5, 4, 3), stride=(128, 1024, 8192, 32768),
               box=(4, 2, 2, 2, 2), at=(1, 1, 1, 1, 1))
        sliced(**both, to=128)
        for op in ("store", "add", "load_cta", "multicast"):
            sliced(op, **both, box=(8, 2, 2, 1), at=(0, 1, 1, 0))
            sliced(op, **both, box=(16, 4, 4, 1), at=(4, 3, 3, 1))
        # and im2col
        row = dict(both, map="im2col", lower=(0, 0), upper=(0, 0), off=(0, 0), box=None, px=8)
        for channels in (4, 8, 16, 24, 32, 2, 1, 3):
            sliced(**row, ch=channels)
        for at in ((4, 0, 0, 0), (8, 0, 0, 0), (1, 0, 0, 0), (2, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0),
                   (0, 0, 0, 1), (0, 3, 3, 2), (20, 0, 0, 0), (-4, 0, 0, 0), (-1, 0, 0, 0)):
            sliced(**row, ch=8, at=at)
        wide = dict(row, px=30)
        wide.update(lower=(-1, -1), upper=(-1, 0), off=(1, 2))
        sliced(**wide, ch=8, at=(0, -1, -1, 0))
        sliced(**wide, ch=16, at=(4, 1, 1, 0), step=(1, 2, 1, 1))
        sliced(**wide, ch=16, at=(4, 1, 1, 0), step=(2, 2, 2, 1))
        sliced(**dict(row, rank=3, lower=(0,), upper=(0,), off=(0,)), size=(6, 6, 5),
               stride=(512, 4096), ch=8, at=(0, 0, 0))
        sliced(**dict(row, rank=5, lower=(0, 0, 0), upper=(0, 0, 0), off=(0, 0, 0)),
               size=(6, 6, 5, 4, 3), stride=(128, 1024, 8192, 32768), ch=8, at=(1, 0, 0, 0, 0))
        sliced("store", **row, ch=8)
        sliced("store", **row, ch=16, at=(4, 1, 1, 0))
        sliced("multicast", **row, ch=16, at=(4, 1, 1, 0))
    for swizzle in (1, 2, 3):
        sliced(sw=swizzle)
        sliced(sw=swizzle, box=(32, 4, 3, 1))
    for swizzle in (0, 2, 3):
        sliced(il=2, sw=swizzle, box=(16, 2, 2, 1))
        sliced("store", il=2, sw=swizzle, box=(16, 2, 2, 1))
        sliced(il=2, sw=swizzle, box=None, map="im2col", lower=(0, 0), upper=(0, 0), off=(0, 0), ch=8, px=40)


# ---- Random cases --------------------------------------------------------------------------------------

def random_im2col(dice, op, layout=0):
    """Dimensions are C W H D N, or W H D C/8 N of an interleaved tensor."""
    kind = dice.choice((U8, U16, U32, F16, F32, F64, BF16, U32))
    if op in ("add", "max", "xor"):
        kind = U32
    size_each = BYTES[kind]
    unit = 16 // size_each
    rank = dice.choice((3, 4, 5))
    spaces = rank - 2
    channels_size = dice.randint(1, 6 if layout else 6 * unit)
    space = [dice.randint(1, 9) for _ in range(spaces)]
    images = dice.randint(1, 4)
    stores = op in ("store", "add", "max", "xor")
    low, high = (0, 2) if stores else (-4, 3)
    lower, upper = [], []
    for count in space:
        a, b = dice.randint(low, high), dice.randint(-3, 0 if stores else 4)
        if count - 1 + b < a:
            a, b = 0, 0
        lower.append(a)
        upper.append(b)
    swizzle = dice.choice((0, 0, 1, 2, 3))
    most = 16 if layout or not swizzle else {1: 2, 2: 4, 3: 8}[swizzle]
    channels = unit * dice.randint(1, min(most, 12))
    row = 16 * layout if layout else max(channels * size_each, 16 << swizzle if swizzle else 0)
    pixels = dice.randint(1, max(1, min(1024 if layout else 300, 36000 // row)))
    at_space = [dice.randint(a, count - 1 + b) for count, a, b in zip(space, lower, upper)]
    at_channels = dice.randint(0 if stores else -2, channels_size // (1 if layout else unit) + 1)
    at_image = dice.randint(0 if stores else -1, images)
    step_space = [1] * spaces if dice.random() < 0.5 else [dice.randint(1, 4) for _ in range(spaces)]
    step_image = dice.choice((1, 1, 1, 2))
    if layout:
        size = space + [channels_size, images]
        at = at_space + [at_channels, at_image]
        step = step_space + [1, step_image]
        stride = [2 * s for s in (288, 2624, 5248, 23616)[-(rank - 1):]]
    else:
        size = [channels_size] + space + [images]
        at = [unit * at_channels] + at_space + [at_image]
        step = [1] + step_space + [step_image]
        stride = dense(size, size_each, 32 * dice.randint(0, 2))
    off = [0] * spaces if stores else [dice.randint(0, 4) for _ in range(spaces)]
    fill = int(kind >= F16 and dice.random() < 0.5)
    show(op, map="im2col", type=kind, rank=rank, size=size, stride=stride, lower=lower, upper=upper, ch=channels,
         px=pixels, step=step, il=layout, sw=swizzle, fill=fill, at=at, off=off,
         to=128 * dice.choice((0, 0, 1, 3, 4)))


def random_sliced(dice, op):
    """Dimension 0 counts slices of 16 or 32 bytes, but boxDim[0] elements are a multiple of 16 bytes."""
    kind = dice.choice((U8, U16, U32, F16, F32, F64, BF16, U32))
    if op in ("add", "max", "xor"):
        kind = U32
    layout = dice.choice((1, 2))
    unit = 16 // BYTES[kind]
    rank = dice.choice((3, 4, 5))
    stores = op in ("store", "add", "max", "xor")
    low = 0 if stores else -2
    size = [dice.randint(1, 24)] + [dice.randint(1, 9) for _ in range(rank - 1)]
    box = [unit * dice.randint(1, max(1, 32 // unit))] + [dice.randint(1, 4) for _ in range(rank - 1)]
    step = [1] * rank if dice.random() < 0.5 else [dice.randint(1, 3) for _ in range(rank)]
    bytes_all = 16 * layout
    for i in range(rank):
        count = -(-box[i] // step[i])
        if bytes_all * count > 36000:
            box[i], count = (unit if i == 0 else 1), (-(-unit // step[0]) if i == 0 else 1)
        bytes_all *= count
    at = [dice.randint(low, n) for n in size]
    stride = [2 * s for s in (288, 2624, 5248, 23616)[-(rank - 1):]]
    fill = int(kind >= F16 and dice.random() < 0.5)
    show(op, map="tile", type=kind, rank=rank, size=size, stride=stride, box=box, step=step, il=layout,
         sw=dice.choice((0, 0, 1, 2, 3)), fill=fill, at=at, to=128 * dice.choice((0, 0, 1, 3, 4)))


def random_tile(dice, op):
    kind = dice.choice((U8, U16, U32, F16, F32, F64, BF16, U32))
    if op in ("add", "max", "xor"):
        kind = U32
    unit = 16 // BYTES[kind]
    rank = dice.choice((3, 4, 5))
    low = 0 if op in ("store", "add", "max", "xor") else -3
    size = [dice.randint(1, 8 * unit)] + [dice.randint(1, 8) for _ in range(rank - 1)]
    swizzle = dice.choice((0, 0, 1, 2, 3))
    box = [unit * dice.randint(1, (8, 2, 4, 8)[swizzle])] + [dice.randint(1, 4) for _ in range(rank - 1)]
    step = [1] * rank if dice.random() < 0.5 else [dice.randint(1, 3) for _ in range(rank)]
    at = [unit * dice.randint(low, 8)] + [dice.randint(low, n) for n in size[1:]]
    fill = int(kind >= F16 and dice.random() < 0.5)
    show(op, map="tile", type=kind, rank=rank, size=size, stride=dense(size, BYTES[kind], 32 * dice.randint(0, 2)),
         box=box, step=step, il=0, sw=swizzle, fill=fill, at=at, to=128 * dice.choice((0, 0, 1, 3, 4)))


def random_cases(dice):
    loads = ("load", "load", "load", "load_cta", "multicast")
    stores = ("store", "store", "store", "add", "xor", "max")
    for _ in range(400):
        random_im2col(dice, dice.choice(loads))
    for _ in range(200):
        random_im2col(dice, dice.choice(stores))
    for _ in range(250):
        random_im2col(dice, dice.choice(loads), dice.choice((1, 2)))
    for _ in range(100):
        random_im2col(dice, dice.choice(stores), dice.choice((1, 2)))
    for _ in range(250):
        random_sliced(dice, dice.choice(loads))
    for _ in range(100):
        random_sliced(dice, dice.choice(stores))
    for _ in range(100):
        random_tile(dice, dice.choice(loads))
    for _ in range(100):
        random_tile(dice, dice.choice(stores))


# ---- What the driver refuses ---------------------------------------------------------------------------

def refused_maps():
    good = dict(WIDE, lower=(0, 0), upper=(0, 0), ch=4, px=8, dump=None)
    changes = [
        {}, {"type": 13}, {"type": 14}, {"type": 15}, {"type": 16}, {"rank": 0}, {"rank": 1}, {"rank": 2},
        {"rank": 6}, {"base": 8}, {"base": 16}, {"size": (0, 6, 5, 3)}, {"size": (16, 0, 5, 3)},
        {"size": (16, 1 << 32, 5, 3)}, {"size": (16, (1 << 32) + 1, 5, 3)}, {"stride": (24, 384, 1920)},
        {"stride": (0, 384, 1920)}, {"stride": (16, 384, 1920)}, {"stride": (64, 64, 1920)},
        {"stride": (1 << 40, 384, 1920)}, {"stride": ((1 << 40) - 16, 384, 1920)},
        {"lower": (-129, 0)}, {"lower": (-128, -128)}, {"lower": (128, 0), "size": (16, 600, 5, 3)},
        {"lower": (127, 0), "size": (16, 600, 5, 3)}, {"lower": (0, -129)}, {"upper": (128, 0)},
        {"upper": (127, 127)}, {"upper": (-129, 0), "size": (16, 600, 5, 3)},
        {"upper": (-128, 0), "size": (16, 600, 5, 3)}, {"upper": (-5, 0)}, {"upper": (-6, 0)},
        {"upper": (-7, 0)}, {"upper": (0, -5)}, {"upper": (0, -4)}, {"lower": (5, 0)}, {"lower": (6, 0)},
        {"lower": (7, 0)}, {"lower": (100, 0)}, {"lower": (3, 0), "upper": (-3, 0)}, {"lower": (3, 0), "upper": (-2, 0)},
        {"lower": (3, 0), "upper": (-4, 0)},
        {"ch": 0}, {"ch": 1}, {"ch": 2}, {"ch": 3}, {"ch": 6}, {"ch": 256}, {"ch": 257}, {"ch": 260},
        {"ch": 32}, {"px": 0}, {"px": 1}, {"px": 1024}, {"px": 1025}, {"px": 256}, {"px": 257},
        {"step": (0, 1, 1, 1)}, {"step": (9, 1, 1, 1)}, {"step": (8, 1, 1, 1)}, {"step": (1, 0, 1, 1)},
        {"step": (1, 9, 1, 1)}, {"step": (1, 8, 8, 8)}, {"step": (1, 1, 1, 9)}, {"step": (1, 1, 1, 0)},
        {"il": 3}, {"il": 1}, {"il": 1, "ch": 3}, {"il": 1, "ch": 0}, {"il": 2}, {"il": 2, "sw": 1},
        {"il": 2, "sw": 2}, {"il": 2, "sw": 1, "base": 16}, {"il": 1, "base": 16},
        {"il": 2, "sw": 1, "stride": (48, 384, 1920)}, {"il": 1, "stride": (48, 384, 1920)},
        {"il": 1, "sw": 1}, {"il": 1, "sw": 2, "ch": 64}, {"il": 1, "sw": 3, "ch": 256},
        {"il": 1, "ch": 256}, {"il": 1, "ch": 257}, {"il": 1, "step": (0, 1, 1, 1)}, {"il": 1, "step": (8, 1, 1, 1)},
        {"il": 1, "step": (9, 1, 1, 1)},
        {"sw": 1, "ch": 8}, {"sw": 1, "ch": 12}, {"sw": 2, "ch": 16}, {"sw": 2, "ch": 20}, {"sw": 3, "ch": 32},
        {"sw": 3, "ch": 36}, {"sw": 4, "ch": 8}, {"sw": 5, "ch": 8}, {"sw": 6, "ch": 8}, {"sw": 7},
        {"size": (16, 1 << 31, 5, 3)}, {"size": (16, (1 << 31) - 1, 5, 3)}, {"size": (16, (1 << 32) - 1, 5, 3)},
        {"size": (1 << 32, 6, 5, 3)}, {"size": (1 << 31, 6, 5, 3)}, {"size": (16, 6, 5, 1 << 32)},
        {"size": (16, 6, 5, 1 << 31)}, {"size": (16, 6, 1 << 32, 3)}, {"size": ((1 << 32) + 1, 6, 5, 3)},
        {"size": (16, 6, 5, (1 << 32) + 1)}, {"size": (16, (1 << 31) + 1, 5, 3), "upper": (-2, 0)},
        {"size": (16, (1 << 31) + 1, 5, 3)}, {"size": (16, (1 << 31) - 1, 5, 3), "upper": (1, 0)},
        {"size": (16, (1 << 31) - 1, 5, 3), "upper": (2, 0)}, {"size": (16, 1 << 32, 5, 3), "upper": (-1, 0)},
        {"size": (16, 1 << 31, 5, 3), "upper": (1, 0)}, {"size": (16, 1 << 31, 5, 3), "lower": (1, 0)},
        {"size": (16, 1 << 31, 5, 3), "lower": (-1, 0)}, {"size": (1 << 32, 6, 5, 3), "il": 1},
        {"size": (6, 6, 1 << 32, 3), "il": 1}, {"lower": (-1, 0), "il": 1, "size": (1, 1, 1, 1)},
        {"upper": (-1, 0), "il": 1, "size": (1, 2, 2, 1)}, {"upper": (0, -1), "il": 1, "size": (2, 1, 2, 1)},
        {"upper": (-1, 0), "il": 1, "size": (2, 1, 1, 1)},
        {"l2": 1}, {"l2": 3}, {"l2": 4}, {"fill": 1}, {"fill": 1, "type": F32}, {"fill": 2, "type": F32},
        {"fill": 1, "type": TF32},
    ]
    for change in changes:
        show("encode", **dict(good, **change))
    three = dict(good, rank=3, size=(16, 70000, 4), stride=(64, 64 * 70000))
    for lower, upper in ((-32768, 0), (-32769, 0), (32767, 0), (32768, 0), (0, 32767), (0, 32768),
                         (0, -32768), (0, -32769)):
        show("encode", **dict(three, lower=(lower,), upper=(upper,)))
    five = dict(good, rank=5, size=(16, 100, 100, 100, 2), stride=(64, 6400, 640000, 64000000))
    for lower, upper in ((-16, 0), (-17, 0), (15, 0), (16, 0), (0, 15), (0, 16), (0, -16), (0, -17)):
        for place in range(3):
            corners = [[0, 0, 0], [0, 0, 0]]
            corners[0][place], corners[1][place] = lower, upper
            show("encode", **dict(five, lower=corners[0], upper=corners[1]))
    tiled = dict(SLICES, dump=None, il=1, box=(4, 2, 3, 1))
    for change in (
            {}, {"rank": 1}, {"rank": 2}, {"rank": 3}, {"il": 2}, {"il": 2, "sw": 1}, {"il": 2, "sw": 2},
            {"il": 2, "sw": 3}, {"il": 3}, {"box": (3, 2, 3, 1)}, {"box": (1, 2, 3, 1)}, {"box": (0, 2, 3, 1)},
            {"box": (256, 1, 1, 1)}, {"box": (257, 1, 1, 1)}, {"il": 2, "sw": 1, "base": 16}, {"base": 16},
            {"stride": (528, 4096, 32768)}, {"il": 2, "sw": 1, "stride": (528, 4096, 32768)},
            {"sw": 1, "box": (16, 1, 1, 1)}, {"sw": 2, "box": (32, 1, 1, 1)}, {"sw": 3, "box": (64, 1, 1, 1)},
            {"sw": 4}, {"step": (0, 1, 1, 1)}, {"step": (9, 1, 1, 1)}, {"step": (8, 1, 1, 1)}, {"size": (1, 6, 5, 3)},
            {"stride": (16, 16, 16)}, {"stride": (0, 16, 16)},
            {"il": 0, "sw": 4}, {"il": 0, "sw": 5}, {"il": 0, "sw": 6}, {"il": 0, "sw": 7},
            {"il": 0, "step": (0, 1, 1, 1)}, {"il": 0, "step": (9, 1, 1, 1)},
            {"il": 0, "type": 13, "size": (256, 6, 5, 3), "box": (128, 1, 1, 1)},
            {"il": 0, "type": 14, "size": (256, 6, 5, 3), "box": (128, 1, 1, 1)},
            {"il": 0, "type": 15, "size": (256, 6, 5, 3), "box": (128, 1, 1, 1)}):
        show("encode", **dict(tiled, **change))
    for wide in (0, 1):
        show("encode", **dict(good, lower=(0,), upper=(0,), sw=3, wide=1, mode=wide))


# ---- What the GPU may refuse: each ends the process ------------------------------------------------------

def faults():
    im2col(at=(0, -1, 0, 0))
    im2col(at=(0, 6, 0, 0))
    im2col(at=(0, 0, -1, 0))
    im2col(at=(0, 0, 5, 0))
    im2col(at=(0, 9, 9, 0), px=40)
    im2col(at=(0, -3, -2, 0), px=40)
    im2col(at=(0, -3, -2, 0), px=40, off=(2, 2))
    im2col(at=(0, 6, 0, 0), px=20, step=(1, 2, 1, 1))
    im2col(at=(2, 0, 0, 0))
    im2col("store", at=(0, 0, 0, -1))
    im2col("store", at=(-4, 0, 0, 0))
    im2col("store", lower=(-1, 0), upper=(-1, 0), at=(0, -1, 0, 0))
    im2col("store", lower=(-1, 0), upper=(-1, 0), at=(0, 0, 0, 0))
    im2col("store", lower=(0, 0), upper=(1, 0), at=(0, 0, 0, 0))
    im2col("store", at=(0, 6, 0, 0))
    im2col(use="tile", box=None)
    sliced(il=0, use="im2col", lower=(0, 0), upper=(0, 0), off=(0, 0))
    im2col(dim=5)
    im2col(to=16)
    sliced(to=16)
    sliced(to=64)
    sliced("store", at=(-1, 0, 0, 0))
    sliced("store", at=(0, -1, 0, 0))
    sliced(at=(1, 0, 0, 0), il=2, sw=1)
    sliced(il=0, sw=4, at=(0, 0, 0, 0), box=(8, 8, 4, 1))
    tile = dict(map="tile", type=U32, rank=3, size=(16, 6, 5), stride=(64, 384), dump=1, box=(8, 2, 2))
    show("store", **tile, at=(0, -1, 0))
    show("store", **tile, at=(0, 0, -1))
    show("store", **tile, at=(-4, 0, 0))
    show("store", **tile, at=(16, 0, 0))
    sliced("store", at=(0, 0, 0, -1))
    im2col("store", at=(0, 0, 0, 3))
    im2col("store", at=(16, 0, 0, 0))
    sliced("store", il=1, box=None, map="im2col", lower=(0, 0), upper=(0, 0), ch=8, px=4, at=(0, 0, -1, 0))
    sliced("store", il=1, box=None, map="im2col", lower=(-1, 0), upper=(0, 0), ch=8, px=4, at=(0, 0, 0, 0))
    sliced("prefetch", at=(0, -9, 0, 0))
    im2col("prefetch", at=(0, 9, 0, 0))
    im2col("prefetch", at=(2, 0, 0, 0))
    im2col("prefetch", use="tile")


def main():
    dice = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
    refused_maps()
    im2col_rules()
    random_cases(dice)
    interleave_rules()
    faults()


if __name__ == "__main__":
    main()
