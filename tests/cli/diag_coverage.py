"""Every message about PTX has a test: the formats in src/ptx, src/ir and the decoder are held against
the `error:` and `warning:` lines of tests/diag and the `stderr:` lines beside other kernels."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
CALL = re.compile(r"\b(ptx_error|ptx_warning|ptx_expected|ir_error|sim_decode_error|diag_add|fail)"
                  r"\(")
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
SPEC = re.compile(r"%(?:%|[-0-9.*]*(?:ll|z|l)?[a-zA-Z])")
# Messages that no text can provoke, with the reason.
UNREACHABLE = {
    "this file is too large: more than %d MiB": "takes a file of 1 GiB",
    "more than %zu operands": "rows of isa.def take six at most",
    "blocks do not cover the instructions of": "an invariant of the control flow graph",
    "a branch leaves the function": "an invariant of the control flow graph",
    "a post-dominator lies outside of": "an invariant of the control flow graph",
    "register number out of range": "an invariant of the builder",
    "no slot for register": "an invariant of the slot allocator",
    "site number out of range": "an invariant of the builder",
}


def arguments(text, start):
    """The text between the parenthesis at `start` and its partner."""
    depth, i = 0, start
    while True:
        if text[i] == '"':
            i = STRING.match(text, i).end()
            continue
        depth += (text[i] == "(") - (text[i] == ")")
        if depth == 0:
            return text[start + 1:i]
        i += 1


def formats():
    """(file, line, function, format) of each call with a literal text."""
    sources = [*sorted((ROOT / "src/ptx").glob("*.c")), *sorted((ROOT / "src/ir").glob("*.c")),
               *sorted((ROOT / "src/sim").glob("decode*.c"))]
    for path in sources:
        text = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))
        for match in CALL.finditer(text):
            inside = arguments(text, match.end() - 1)
            literals = STRING.findall(inside)
            line = text.count("\n", 0, match.start()) + 1
            if not literals:
                continue
            # Adjacent literals are one text; what a conditional chooses from are several.
            for group in re.findall(r'"(?:[^"\\]|\\.)*"(?:\s*"(?:[^"\\]|\\.)*")*', inside):
                yield path, line, match[1], "".join(STRING.findall(group))


def expectations():
    lines = []
    for folder in ("diag", "limits", "ptx"):
        for path in sorted((ROOT / "tests" / folder).glob("*.ptx")):
            for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
                match = re.match(r"\s*//\s*(?:error|warning|note|stderr):\s?(.*)$", line)
                if match:
                    lines.append(match[1])
    return lines


def is_covered(form, text, lines):
    """`...` of an expectation stands for any text, and so does a conversion of the format."""
    parts = [re.escape(part.replace('\\"', '"')) for part in SPEC.split(text)]
    pattern = re.compile(".*".join(parts))
    words = [part for part in re.split(SPEC, text) if len(part.strip()) > 2]
    for line in lines:
        if pattern.search(line) or (form == "ptx_expected" and f"expected {text}" in line):
            return True
        plain = line.replace("\\(", "(").replace("\\)", ")").replace("...", "")
        if "..." in line and words and all(w.strip() in plain for w in words[:1]):
            return True
    return False


def main():
    lines, missing, count = expectations(), [], 0
    for path, line, form, text in formats():
        letters = re.sub(SPEC, "", text)
        if len(re.sub(r"\W", "", letters)) < 4 or text in UNREACHABLE:
            continue
        count += 1
        if not is_covered(form, text, lines):
            missing.append(f"{path.relative_to(ROOT)}:{line}: no test for: {text}")
    print("\n".join(missing))
    print(f"{count - len(missing)} of {count} messages have a test")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
