#!/usr/bin/env python3
"""Holds the census of real CUDA code (truth/census) against what bankrun supports.

Prints the share of instruction forms that a row of src/ptx/isa.def supports, and the share of
runtime and driver functions that the libraries of a build export; with -v what is missing. What
bankrun refuses by name is missing, too.

    tools/census.py [-v] [--build DIR] [--require PTX_PERCENT API_PERCENT]
"""

import argparse
import csv
import re
import subprocess
import sys
from pathlib import Path

from isa_rows import ROOT, read_rows, rows_for

CENSUS = ROOT / "truth" / "census"
EXPORTED = re.compile(r" [TW] (cu\w+)")
LISTED = re.compile(r"^X\((\w+)", re.MULTILINE)
UNSUPPORTED = ("src/cudart/unsupported.def", "src/cudadrv/unsupported.def")


def read(name, *columns):
    with open(CENSUS / name, encoding="utf-8", newline="") as file:
        return [tuple(row[c] for c in columns) for row in csv.DictReader(file)]


class Share:
    def __init__(self, what, unit):
        self.what, self.unit = what, unit
        self.have, self.missing = [], []

    def add(self, name, weight, why):
        (self.missing if why else self.have).append((name, int(weight), why))

    def percent(self):
        return 100 * len(self.have) / (len(self.have) + len(self.missing))

    def show(self, verbose):
        total = len(self.have) + len(self.missing)
        uses = sum(w for _, w, _ in self.have), sum(w for _, w, _ in self.have + self.missing)
        print(f"{self.what}: {len(self.have)} of {total} ({self.percent():.2f} %), "
              f"{100 * uses[0] / uses[1]:.2f} % by {self.unit}")
        for name, weight, why in self.missing if verbose else []:
            print(f"    {name} ({weight}): {why}")


def instructions():
    rows, share = read_rows(), Share("instruction forms", "files")
    for mnemonic, files in read("ptx-census.csv", "instruction", "files"):
        taking = rows_for(rows, mnemonic)
        why = None if any(not row.is_refused for row in taking) else \
            "refused" if taking else "no row takes it"
        share.add(mnemonic, files, why)
    return share


def functions(build):
    """A name of the census that no library exports may be one of a header, or of the programs' own."""
    libraries = sorted(build.glob("libcud*.so.*"))
    if not libraries:
        sys.exit(f"census: no libraries in {build}: run make first")
    symbols = subprocess.run(["nm", "-D", "--defined-only", *libraries], capture_output=True,
                             text=True, check=True).stdout
    have = set(EXPORTED.findall(symbols))
    refused = {name for path in UNSUPPORTED
               for name in LISTED.findall((ROOT / path).read_text(encoding="utf-8"))}
    share = Share("functions", "programs")
    for name, programs in read("cuda-api-census.csv", "function", "programs"):
        versions = {name} | {f"{name}_v{n}" for n in (2, 3, 4)}
        why = None if versions & (have - refused) else \
            "refused" if versions & refused else "of older versions, of a header, or no function of CUDA's"
        share.add(name, programs, why)
    return share


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--require", nargs=2, type=float, default=(0, 0),
                        metavar=("PTX_PERCENT", "API_PERCENT"))
    options = parser.parse_args()
    shares = instructions(), functions(options.build)
    for share in shares:
        share.show(options.verbose)
    short = [s.what for s, least in zip(shares, options.require) if s.percent() < least]
    if short:
        print("less than required: " + ", ".join(short), file=sys.stderr)
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(main())
