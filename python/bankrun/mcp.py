"""A server of the Model Context Protocol, for coding assistants: `bankrun-mcp`, or `python -m bankrun.mcp`.

It speaks on its standard input and output, and does what the command does: `run`, `check` and `fix` run the program
that they are given, as the user who started the server. docs/mcp.md says how clients are told of it.
"""

from __future__ import annotations

import functools
import importlib
import sys
from typing import Annotated, Any, Callable, Dict, List, Optional, Tuple, Type, TypeVar

from bankrun import _answers as answers
from bankrun import version
from bankrun.errors import Error


def _find_sdk() -> Tuple[Any, Type[Exception]]:
    """The class of servers and that of errors which clients are told: version 2 of the SDK, or version 1."""
    try:
        module = importlib.import_module("mcp.server.mcpserver")
        name = "MCPServer"
    except ImportError:
        module = importlib.import_module("mcp.server.fastmcp")
        name = "FastMCP"
    return getattr(module, name), importlib.import_module(module.__name__ + ".exceptions").ToolError


try:
    import anyio.to_thread
    from mcp.types import ToolAnnotations
    from pydantic import Field

    Server, ToolError = _find_sdk()
except ImportError as missing:
    print(f"bankrun-mcp needs the Model Context Protocol's SDK: pip install 'bankrun[mcp]' ({missing})",
          file=sys.stderr)
    raise SystemExit(2) from None

T = TypeVar("T")

INSTRUCTIONS = """\
bankrun runs CUDA programs on the CPU, without a GPU, and counts what shared memory does for them: wavefronts, and the \
excess over the ideal, which are bank conflicts, by source line. `run` says which lines conflict, why, and what cures \
them. `check` finds races, uninitialised values, wrong barriers and accesses that leave their arrays, which results \
need not show. `explain` answers for one index expression and `layout` finds the padding or swizzle without \
conflicts, both without a program. `fix` makes and tries the edits and gives a diff; no file is changed. `diff` \
compares two profiles that `run` saved."""

# A program may do whatever its user may. By the protocol's names, which the SDK's versions spell differently.
RUNS = ToolAnnotations.model_validate({"readOnlyHint": False, "destructiveHint": True, "openWorldHint": True})
ASKS = ToolAnnotations.model_validate({"readOnlyHint": True, "openWorldHint": False})

File = Annotated[str, Field(description="path of a .cu file, an executable, or with `launch` a .cu or .ptx file")]
Arguments = Annotated[List[str], Field(description="the program's own arguments")]
Launch = Annotated[Optional[str], Field(
    description="one kernel in place of main(): 'scan<<<64, 256>>>(out:u32[16384], in:u32[16384]=iota, 16384)'")]
Arch = Annotated[Optional[str], Field(description="compute capability, as sm_90 (the default), sm_80, sm_120")]
Options = Annotated[List[str], Field(
    description="options of the command bankrun: -I and -D for the compiler, ['--blocks', 'auto'] for long runs")]
Top = Annotated[int, Field(description=f"rows to show, the worst first; at most {answers.MOST_ROWS}")]
Timeout = Annotated[float, Field(description=f"seconds; at most {answers.MOST_SECONDS:g}")]
Shared = Annotated[str, Field(description="the arrays: 'float tile[32][33]', 'struct {float x, y;} s[64]'")]
Block = Annotated[str, Field(description="threads of a block: '256', '32x8'")]
Let = Annotated[Dict[str, str], Field(
    description="values of names: {'n': '4'}; '0..31' tries all of them; {'IDX(i)': 'i+i/32'} is a function")]


async def _answer(work: Callable[..., T], *words: Any) -> T:
    """On a thread of its own, so that the server goes on answering."""
    try:
        answer: T = await anyio.to_thread.run_sync(functools.partial(work, *words))
        return answer
    except (Error, OSError, RecursionError) as error:
        raise ToolError(answers.short(str(error), 2 * answers.MOST_TEXT) or type(error).__name__) from None


async def run(file: File, arguments: Arguments = [], launch: Launch = None, arch: Arch = None,  # noqa: B006
              options: Options = [], top: Top = 10, timeout: Timeout = 120.0,  # noqa: B006
              save: Annotated[Optional[str], Field(description="write the whole profile to this file, for `diff`")]
              = None) -> answers.RunAnswer:
    """Compile and run a CUDA program without a GPU; say which lines have bank conflicts or uncoalesced accesses, how
    many, why, and what cures them."""
    return await _answer(answers.run, file, arguments, launch, arch, options, top, timeout, save)


async def check(file: File, arguments: Arguments = [], launch: Launch = None,  # noqa: B006
                checks: Annotated[List[str], Field(
                    description="some of race, init, sync, memory; none: all of them")] = [],  # noqa: B006
                arch: Arch = None, options: Options = [], top: Top = 10,  # noqa: B006
                timeout: Timeout = 120.0) -> answers.CheckAnswer:
    """Run a CUDA program and look for defects that its results need not show: races, values that nothing
    initialised, wrong barriers and masks, accesses that leave their array."""
    return await _answer(answers.check, file, arguments, launch, checks, arch, options, top, timeout)


async def explain(expression: Annotated[str, Field(description="in CUDA C: 'tile[threadIdx.x][0]', or tid, tx, ty")],
                  shared: Shared, block: Block = "32",
                  access: Annotated[str, Field(description="load, store or atomic")] = "load",
                  let: Let = {}, condition: Annotated[Optional[str], Field(  # noqa: B006
                      description="only lanes for which it holds take part")] = None,
                  arch: Annotated[Optional[str], Field(description="sm_90 (the default); all: each generation")] = None,
                  top: Top = 20) -> answers.ExplainAnswer:
    """How many wavefronts an index expression into shared memory takes, for each warp of a block. Needs no program."""
    return await _answer(answers.explain, expression, shared, block, access, let, condition, arch, top)


async def layout(accesses: Annotated[List[answers.AccessAsked], Field(description="all accesses of the array")],
                 shared: Shared, block: Block = "32", let: Let = {}, arch: Arch = None,  # noqa: B006
                 top: Top = 10) -> answers.LayoutAnswer:
    """The padding or swizzle of a shared array in which all its accesses together conflict the least."""
    return await _answer(answers.layout, accesses, shared, block, let, arch, top)


async def fix(file: File, arguments: Arguments = [],  # noqa: B006
              prefer: Annotated[Optional[str], Field(description="pad or swizzle, of two that are as good")] = None,
              arch: Arch = None, options: Options = [], timeout: Timeout = 300.0) -> answers.FixAnswer:  # noqa: B006
    """Edit a .cu file so that its bank conflicts go, compile and run the result on the same input, and give the diff of
    edits that change nothing but wavefronts. No file is changed."""
    return await _answer(answers.fix, file, arguments, prefer, arch, options, timeout)


async def diff(old: Annotated[str, Field(description="a profile that `run` saved")],
               new: Annotated[str, Field(description="a later one")], top: Top = 20) -> answers.DiffAnswer:
    """What became worse between two saved profiles, and what better, line by line."""
    return await _answer(answers.diff, old, new, top)


def make_server() -> Any:
    server = Server("bankrun", instructions=INSTRUCTIONS)
    for tool in (run, check, fix):
        server.add_tool(tool, annotations=RUNS)
    for question in (explain, layout, diff):
        server.add_tool(question, annotations=ASKS)
    return server


def main() -> int:
    if sys.argv[1:]:
        print(f"bankrun-mcp {version()}: a server of the Model Context Protocol on standard input and output.\n"
              "It takes no arguments; docs/mcp.md says how clients are told of it.",
              file=sys.stdout if sys.argv[1:] == ["--help"] else sys.stderr)
        return 0 if sys.argv[1:] == ["--help"] else 2
    make_server().run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
