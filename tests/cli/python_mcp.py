"""The server for coding assistants, driven by the client of the protocol's own SDK on its standard streams."""

import sys

sys.path.pop(0)  # this folder, whose html.py is not Python's

import asyncio
import json
import os
import shutil
import subprocess
import tempfile

BUILD = os.path.abspath(os.environ.get("BANKRUN_BUILD", "build"))
ENVIRONMENT = {**os.environ, "BANKRUN_NATIVE": BUILD, "PYTHONPATH": os.path.join(os.getcwd(), "python")}
HAS_NVCC = shutil.which("nvcc") is not None
TRANSPOSE = "examples/transpose.ptx"
LAUNCH = "columns<<<1, 32>>>(out:u32[1024], in:u32[1024])"
CHATTY = r"""
#include <cstdio>
__global__ void k(int *out) {
    __shared__ int a[64], b[2048];
    a[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = a[63 - threadIdx.x];
#define LINE(n) b[threadIdx.x * 32 % 2048] = n;
    LINES
    out[0] = b[out[1]];
}
int main() {
    int *out;
    cudaMalloc(&out, 256);
    k<<<1, 64>>>(out);
    for (int i = 0; i < 10000; i++)
        printf("line %d\n", i);
    puts("the end");
}
"""
problems = []


def expect(what, good, shown=""):
    if not good:
        problems.append(f"{what}: {str(shown)[:2000]}")


class Client:
    def __init__(self, session):
        self.session = session

    async def call(self, tool, **arguments):
        """(structured answer, None), or (None, message). Both versions of the SDK spell it their way."""
        result = await self.session.call_tool(tool, arguments)
        text = "".join(part.text for part in result.content)
        expect(f"{tool}: a bounded answer", len(text) < 100_000, len(text))
        if getattr(result, "isError", False) or getattr(result, "is_error", False):
            return None, text
        answer = getattr(result, "structuredContent", None) or getattr(result, "structured_content", None)
        expect(f"{tool}: text and structure are the same", json.loads(text) == answer, text)
        return answer, None

    async def refused(self, words, tool, **arguments):
        answer, message = await self.call(tool, **arguments)
        expect(f"{tool} {arguments} is refused with '{words}'", message and words in message, (answer, message))
        expect("no trace of Python is told", "Traceback" not in (message or ""), message)


async def ask(client):
    answer, _ = await client.call("explain", expression="tile[tid][0]", shared="float tile[32][32 + p]",
                                  let={"p": "0..63"}, top=3)
    expect("explain", [row["wavefronts"] for row in answer["rows"]] == [32, 1, 2], answer)
    expect("explain: what is left out", answer["left_out"] == 61, answer["left_out"])
    answer, _ = await client.call("layout", shared="float tile[32][32]", block="32x32", accesses=[
        {"expression": "tile[ty][tx]", "kind": "store"}, {"expression": "tile[tx][ty]"}])
    expect("layout", [row["excess"] for row in answer["layouts"]] == [992, 0, 0], answer)
    await client.refused("ends too early", "explain", expression="tile[", shared="float tile[32]")
    await client.refused("no access 'steal'", "explain", expression="s[0]", shared="float s[2]", access="steal")
    await client.refused("at least 1", "explain", expression="s[0]", shared="float s[2]", top=0)
    await client.refused("", "layout", shared="float s[2]", accesses=["no object"])


async def run_ptx(client, folder):
    saved = os.path.join(folder, "run.json")
    answer, _ = await client.call("run", file=TRANSPOSE, launch=LAUNCH, save=saved)
    line, = answer["shared"]
    expect("run", (line["line"], line["degree"], line["excess"], answer["excess"]) == (9, 32, 992, 992), answer)
    expect("run: what cures it", "pad" in line["help"], line)
    answer, _ = await client.call("run", file=TRANSPOSE, launch=LAUNCH.replace("columns", "padded"),
                                  save=os.path.join(folder, "new.json"))
    expect("run: no conflict", answer["excess"] == 0 and not answer["shared"], answer)
    answer, _ = await client.call("diff", old=saved, new=os.path.join(folder, "new.json"))
    expect("diff", answer["lines"][0]["excess_before"] == 992 or answer["gone"], answer)
    answer, _ = await client.call("check", file=TRANSPOSE, launch=LAUNCH)
    expect("check", answer["defects"] == [] and answer["is_complete"], answer)
    answer, _ = await client.call("run", file=TRANSPOSE, launch="columns<<<1, 2048>>>(out:u32[1024], in:u32[1024])")
    expect("a refused launch", answer is None or answer["refused"], answer)
    await client.refused("No such file", "run", file="none.cu")
    await client.refused("none.json", "diff", old="none.json", new=saved)
    await client.refused("no check 'all'", "check", file=TRANSPOSE, checks=["all"])
    await client.refused("No such file", "run", file=TRANSPOSE, launch=LAUNCH, save="/none/x.json")


async def run_programs(client, folder):
    source = os.path.join(folder, "chatty.cu")
    with open(source, "w", encoding="utf-8") as file:
        file.write(CHATTY.replace("LINES", "\n".join(f"LINE({n})" for n in range(90))))
    answer, _ = await client.call("run", file=source, options=["-Xcicc", "-O0"], top=500)
    expect("run: many lines", 40 < len(answer["shared"]) <= 50 and answer["left_out"] > 0, answer)
    excesses = [line["excess"] for line in answer["shared"]]
    expect("run: the worst first", excesses == sorted(excesses, reverse=True), excesses)
    expect("run: the end of the output", answer["stdout"].endswith("line 9999\nthe end\n"), answer["stdout"])
    answer, _ = await client.call("check", file=source, top=1)
    expect("check: a race", len(answer["defects"]) == 1 and answer["defects"][0]["places"], answer)
    answer, _ = await client.call("fix", file="gallery/transpose.cu", arguments=["64"], options=["--no-check"])
    expect("fix", answer["is_cured"] and "+    __shared__ float tile[TILE][TILE + 1];" in answer["diff"], answer)
    slow = os.path.join(folder, "slow.cu")
    with open(slow, "w", encoding="utf-8") as file:
        file.write("__global__ void k() { for (;;) __syncthreads(); }\nint main() { k<<<1, 32>>>(); "
                   "cudaDeviceSynchronize(); }\n")
    await client.refused("took longer than 4 seconds", "run", file=slow, timeout=4)
    broken = os.path.join(folder, "broken.cu")
    with open(broken, "w", encoding="utf-8") as file:
        file.write("int main() { return nothing; }\n")
    await client.refused('identifier "nothing" is undefined', "run", file=broken)


async def drive(folder):
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client
    server = StdioServerParameters(command=sys.executable, args=["-m", "bankrun.mcp"], env=ENVIRONMENT)
    with open(os.path.join(folder, "log"), "w", encoding="utf-8") as log:
        async with stdio_client(server, errlog=log) as streams, ClientSession(*streams) as session:
            await session.initialize()
            tools = {tool.name: tool for tool in (await session.list_tools()).tools}
            expect("the tools", sorted(tools) == ["check", "diff", "explain", "fix", "layout", "run"], tools)
            for name, tool in tools.items():
                kept = tool.model_dump(by_alias=True)
                expect(f"{name} has a typed answer", kept["outputSchema"]["properties"], kept)
                expect(f"{name} is described", len(tool.description) > 40, tool.description)
                expect(f"{name} says whether it runs programs",
                       kept["annotations"]["readOnlyHint"] == (name in ("diff", "explain", "layout")), kept)
            client = Client(session)
            await ask(client)
            await run_ptx(client, folder)
            if HAS_NVCC:
                await run_programs(client, folder)
            await client.refused("", "no_such_tool")
            answer, _ = await client.call("explain", expression="s[tid]", shared="float s[32]")
            expect("it goes on after errors", answer, answer)


def check_command():
    for words, status in ((["--help"], 0), (["--port", "80"], 2)):
        done = subprocess.run([sys.executable, "-m", "bankrun.mcp", *words], env=ENVIRONMENT, capture_output=True,
                              text=True, check=False, stdin=subprocess.DEVNULL)
        expect(f"bankrun-mcp {words}", done.returncode == status and "docs/mcp.md" in done.stdout + done.stderr, done)


def main():
    if os.environ.get("BANKRUN_SANITIZER", "none") != "none":
        print("a sanitizer's library is to be loaded first")
        return 77
    try:
        import mcp  # noqa: F401
    except ImportError:
        print("the Model Context Protocol's SDK is not installed (pip install mcp)")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(drive(folder))
    check_command()
    print("\n".join(problems))
    return 1 if problems else 0


sys.exit(main())
