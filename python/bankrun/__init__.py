"""bankrun: CUDA programs without a GPU, and what shared memory does for them, by source line.

    import bankrun
    profile = bankrun.run("transpose.cu", 4000)
    for launch, site in profile.worst(3):
        print(f"{site.file}:{site.line}: {site.degree}-way, {site.excess} wavefronts in vain")

docs/python.md goes through all of it.
"""

from bankrun import _library as _lib
from bankrun import errors
from bankrun._places import cmake_folder, program
from bankrun.device import Device, Memory, Module, Result, Value, f32, f64, s32, s64, struct, u32, u64
from bankrun.errors import Error
from bankrun.model import Cost, architectures, count
from bankrun.profile import Profile, read
from bankrun.programs import Diff, Fix, check, diff, fix, run
from bankrun.questions import Access, Explanation, Layout, explain, layout
from bankrun.records import Finding, Frame, Gap, Launch, Place, Program, Reason, Refused, Site
from bankrun.section import Section, is_counted

__all__ = [
    "Access", "Cost", "Device", "Diff", "Error", "Explanation", "Finding", "Fix", "Frame", "Gap", "Launch", "Layout",
    "Memory", "Module", "Place", "Profile", "Program", "Reason", "Refused", "Result", "Section", "Site", "Value",
    "architectures", "check", "cmake_folder", "count", "diff", "errors", "explain", "f32", "f64", "fix", "is_counted",
    "layout", "program", "read", "run", "s32", "s64", "struct", "u32", "u64", "version",
]


def version() -> str:
    """Of the library: "0.2.0"."""
    return _lib.told(_lib.library().bankrun_version())
