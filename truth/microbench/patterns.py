#!/usr/bin/env python3
"""Writes the patterns that the microbenchmarks run: patterns.py FOLDER [MOST] makes FOLDER/*.csv,
with at most MOST rows of each instruction.

Rows are instruction,active_mask,byte_offsets[,global_offsets]; the same seed makes the same rows.
"""
import random
import sys
from collections import Counter
from pathlib import Path

FULL = 0xffffffff
LANES = range(32)
NATIVE = ["add.s32", "min.s32", "max.s32", "min.u32", "and.b32", "or.b32", "xor.b32", "inc.u32",
          "dec.u32"]
WIDE = ["exch.b64", "add.u64", "min.u64", "max.u64", "min.s64", "max.s64", "and.b64", "or.b64",
        "xor.b64", "add.f64"]
OTHER = {"add.f32": 4, "add.f16x2": 4, "add.bf16x2": 4, "add.f16": 2, "add.bf16": 2, "cas.b16": 2,
         "cas.b128": 16, "exch.b128": 16}
MASKS = [1, 0x80000000, 3, 0xffff, 0xffff0000, 0x55555555, 0xaaaaaaaa, 0x0f0f0f0f, 0x11111111]


def lane_patterns(rng, width, count):
    """Masks and offsets that differ in banks, in words, in neighbours and in who takes part."""
    most = 32 * 1024 // width
    rows = [(FULL, [lane * s % most for lane in LANES]) for s in (0, 1, 2, 3, 4, 8, 16, 17, 32, 33)]
    rows += [(FULL, [lane // 2 for lane in LANES]), (FULL, [lane // 2 * 2 for lane in LANES]),
             (FULL, [lane // 4 * 32 for lane in LANES]), (FULL, [lane % 2 for lane in LANES]),
             (FULL, [lane % 4 * 32 for lane in LANES]), (FULL, [lane % 16 for lane in LANES]),
             (FULL, [lane % 16 * 32 for lane in LANES]), (FULL, [31 - lane for lane in LANES]),
             (FULL, [lane ^ 1 for lane in LANES]), (FULL, [lane & ~2 for lane in LANES]),
             (FULL, [lane * 32 + lane // 8 for lane in LANES])]
    rows += [(mask, [lane * rng.choice([0, 1, 2, 32]) for lane in LANES]) for mask in MASKS]
    while len(rows) < count:
        kind = rng.randrange(5)
        reach = 1 << rng.randrange(1, 10)
        words = [rng.randrange(reach) for _ in LANES]
        if kind == 1:
            words = [word * 32 // width % most for word in words]
        elif kind == 2:
            words = [words[lane & ~rng.choice([1, 2, 1])] for lane in LANES]
        elif kind == 3:
            words = [words[lane & ~1] for lane in LANES]
        mask = FULL if rng.random() < 0.6 else rng.getrandbits(32) | 1 << rng.randrange(32)
        rows.append((mask, words))
    return [(mask, [word * width for word in words]) for mask, words in rows[:count]]


def global_patterns(rng, width):
    """Name and 32 offsets: how many lines of 128 bytes and sectors of 32 the lanes reach."""
    lines = {"contiguous": [lane * width for lane in LANES], "same": [0] * 32,
             "reversed": [(31 - lane) * width for lane in LANES],
             "shifted": [lane * width + 64 for lane in LANES]}
    for step in (32, 64, 128, 160, 256, 512, 4096):
        lines[f"step {step}"] = [lane * step for lane in LANES]
    for count in (2, 3, 4, 8, 16):
        lines[f"{count} lines in turn"] = [lane % count * 128 + lane // count * width % 128
                                           for lane in LANES]
        lines[f"{count} lines in blocks"] = [lane * count // 32 * 128 + lane * width % 128
                                             for lane in LANES]
    lines["sectors"] = [lane % 4 * 32 for lane in LANES]
    lines["random"] = [rng.randrange(8192 // width) * width for _ in LANES]
    lines["random line"] = [rng.randrange(128 // width) * width for _ in LANES]
    return lines


def shared_patterns(rng, width):
    return {"contiguous": [lane * width for lane in LANES], "same": [0] * 32,
            "reversed": [(31 - lane) * width for lane in LANES],
            "step 2": [lane * 2 * width for lane in LANES],
            "step 4": [lane * 4 * width for lane in LANES],
            "column": [lane * 128 for lane in LANES],
            "padded": [lane * (128 + width) for lane in LANES],
            "pairs": [lane // 2 * width for lane in LANES],
            "random": [rng.randrange(8192 // width) * width for _ in LANES]}


def async_copies(rng):
    rows = []
    for instruction, width in (("ca.4", 4), ("ca.8", 8), ("ca.16", 16), ("cg.16", 16)):
        lines, shared = global_patterns(rng, width), shared_patterns(rng, width)
        name = "cp.async." + instruction
        for from_ in lines.values():
            few = shared if instruction != "cg.16" else {
                key: shared[key] for key in ("contiguous", "column", "random")}
            rows += [(name, FULL, to, from_) for to in few.values()]
        for _ in range(60):
            to = rng.choice(list(shared.values())) if rng.random() < 0.4 else [
                rng.randrange(1 << rng.randrange(4, 10)) * width for _ in LANES]
            from_ = rng.choice(list(lines.values())) if rng.random() < 0.4 else [
                rng.randrange(1 << rng.randrange(4, 10)) * width for _ in LANES]
            mask = FULL if rng.random() < 0.4 else rng.choice(MASKS + [rng.getrandbits(32) | 1])
            rows.append((name, mask, to, from_))
    return rows


def of_instructions(rng, widths, count):
    return [(name, mask, offsets, None) for name, width in widths.items()
            for mask, offsets in lane_patterns(rng, width, count)]


def atomics(rng, count):
    widths = {f"atom.shared.{op}": 4 for op in NATIVE}
    widths |= {f"atom.shared.{op}": 8 for op in WIDE}
    widths |= {f"atom.shared.{op}": width for op, width in OTHER.items()}
    widths |= {"red.shared.add.u64": 8, "red.shared.max.s64": 8, "red.shared.add.f32": 4,
               "red.shared.add.f64": 8}
    return of_instructions(rng, widths, count)


def generic(rng, count):
    widths = {"ld.u32": 4, "ld.u64": 8, "ld.v4.u32": 16, "st.u32": 4, "st.v2.u32": 8,
              "st.v4.u32": 16, "atom.add.u32": 4, "atom.add.f32": 4, "atom.cas.b64": 8}
    rows = of_instructions(rng, widths, count)
    for mode in ("idx", "up", "down", "bfly"):
        lanes = [[lane * s % 32 for lane in LANES] for s in (0, 1, 2, 3, 16, 31)]
        lanes += [[rng.randrange(32) for _ in LANES] for _ in range(10)]
        rows += [(f"shfl.sync.{mode}.b32", FULL, [lane * 4 for lane in one], None)
                 for one in lanes]
    return rows


def clusters(rng, count):
    widths = {"ld.shared::cluster.u32": 4, "ld.shared::cluster.u64": 8,
              "ld.shared::cluster.v4.u32": 16, "st.shared::cluster.u32": 4,
              "st.shared::cluster.v2.u32": 8, "st.shared::cluster.v4.u32": 16,
              "atom.shared::cluster.add.u32": 4}
    rows = of_instructions(rng, widths, count)
    return [(f"{name} @{whose}", *rest) for whose in ("other", "mine") for name, *rest in rows]


def generic_atomics(rng, count):
    widths = {"atom.add.u64": 8, "atom.min.u64": 8, "atom.xor.b64": 8, "atom.exch.b64": 8,
              "atom.add.f64": 8, "atom.add.f16x2": 4, "atom.add.f16": 2, "atom.cas.b32": 4,
              "red.add.f32": 4}
    return of_instructions(rng, widths, count)


def wide_loads(rng, count):
    """Half a warp, few words, and neighbours that disagree."""
    given = [(0xffff, [1, 3, 2, 0, 0, 3, 3, 0, 3, 1, 0, 0, 3, 3, 3, 3] * 2),
             (0xffff, [4, 1, 2, 6, 6, 6, 7, 1, 4, 4, 3, 3, 0, 3, 7, 7] * 2),
             (0xffff0000, [3, 6, 4, 2, 0, 0, 6, 6, 4, 5, 2, 5, 7, 7, 0, 4] * 2)]
    while len(given) < count:
        reach = rng.choice([2, 4, 8, 16, 32, 64])
        mask = rng.choice([0xffff, 0xffff0000, 0xff, 0xff00, 0xff0000, 0xff000000, 0xff00ff,
                           0xff0000ff, 0xff00ff00])
        given.append((mask, [rng.randrange(reach) for _ in LANES]))
    widths = {"ld.shared.u64": 8, "ld.shared.v2.u32": 8, "ld.shared.v4.u32": 16,
              "ld.shared.v2.u64": 16}
    return [(name, mask, [element * width for element in elements], None)
            for name, width in widths.items() for mask, elements in given]


def async_banks(rng, count):
    """One line of global memory: source banks against destination banks, one group of lanes."""
    rows = []
    for width in (4, 8, 16):
        group = 128 // width
        for _ in range(count):
            lanes = [lane for lane in range(group) if rng.random() < rng.choice([1, 1, 0.6, 0.3])]
            place = rng.randrange(32 // group) * group
            mask = sum(1 << lane + place for lane in lanes) or 1 << place
            reach = [1 << rng.randrange(group.bit_length()) for _ in range(2)]
            to, from_ = [[rng.randrange(group) // (group // most) * (group // most) * width
                          if rng.random() < 0.9 else rng.randrange(group) * width
                          for _ in LANES] for most in reach]
            to = [offset + rng.randrange(8) * 128 for offset in to]
            rows.append((f"cp.async.ca.{width}", mask, to, from_))
    return rows


def async_lines(rng, count):
    """Several lines of global memory, and destinations without conflicts or with some."""
    rows = []
    for width in (4, 8, 16):
        group = 128 // width
        for n in range(count):
            lines = rng.choice([1, 2, 2, 3, 3, 4, 4, 5, 6, 8, 8, 12, 16, 32])
            distance = rng.choice([128, 128, 128, 256, 512, 1024, 4096])
            line = [rng.randrange(lines) * distance for _ in LANES]
            kind = rng.randrange(5)
            if kind == 1:
                line = [lane % lines * distance for lane in LANES]
            elif kind == 2:
                line = [lane * lines // 32 * distance for lane in LANES]
            bank = [rng.randrange(group) for _ in LANES]
            if rng.random() < 0.5: # no two of a group from one bank
                bank = [b for g in range(32 // group) for b in rng.sample(range(group), group)]
            to = [lane * width for lane in LANES]
            if n % 3 == 2:
                to = [rng.randrange(8 * group) * width for _ in LANES]
            mask = FULL if rng.random() < 0.5 else rng.choice(
                [(1 << group) - 1 & FULL, rng.getrandbits(32) | 1, 0xffff, 0xff, 0xf])
            rows.append((f"cp.async.ca.{width}", mask, to,
                         [a + b * width for a, b in zip(line, bank)]))
    return rows


def async_tags(rng, count):
    """Which lines keep each other waiting: a line for each lane, no banks in common."""
    rows = []
    for bit in range(7, 26):
        for line in (1, 2, 3):
            from_ = [0, (1 << bit) + 16, line * 128 + 32] + [0] * 29
            rows.append(("cp.async.ca.16", 7, [lane * 16 for lane in LANES], from_))
    for _ in range(count):
        lanes = rng.randrange(2, 9)
        top = rng.randrange(9, 26)
        from_ = [rng.randrange(1 << top) // 128 * 128 + rng.choice([lane * 16, lane * 16, 0])
                 for lane in range(8)] * 4
        rows.append(("cp.async.ca.16", (1 << lanes) - 1, [lane * 16 for lane in LANES], from_))
    return rows


def write(path, rows, most):
    written = Counter()
    with open(path, "w", encoding="ascii") as file:
        print("instruction,active_mask,byte_offsets,global_offsets", file=file)
        for name, mask, offsets, others in rows:
            written[name] += 1
            if written[name] > most:
                continue
            others = " ".join(map(str, others)) if others else ""
            print(f"{name},0x{mask:08x},{' '.join(map(str, offsets))},{others}", file=file)


def main():
    folder = Path(sys.argv[1])
    most = int(sys.argv[2]) if len(sys.argv) > 2 else 1 << 30
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(2026)
    write(folder / "atomics.csv", atomics(rng, 56), most)
    write(folder / "generic.csv", generic(rng, 44), most)
    write(folder / "async_copy.csv", async_copies(rng), most)
    write(folder / "cluster.csv", clusters(rng, 36), most)
    write(folder / "generic_atomics.csv", generic_atomics(random.Random(1), 24), most)
    write(folder / "wide_loads.csv", wide_loads(random.Random(2), 24), most)
    write(folder / "async_banks.csv", async_banks(random.Random(3), 400), most)
    write(folder / "async_lines.csv", async_lines(random.Random(4), 250), most)
    write(folder / "async_tags.csv", async_tags(random.Random(5), 200), most)


if __name__ == "__main__":
    main()
