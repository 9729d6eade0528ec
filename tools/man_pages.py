#!/usr/bin/env python3
"""Makes the manual pages: bankrun.1, and one for each command, of what the program says of itself.

    tools/man_pages.py BANKRUN OUT [FOLDER]

Names, options, examples and statuses are those of `BANKRUN COMMAND --help`, which come from the table of options. What
a page says beyond that is in docs/man/commands.roff (or in FOLDER), in parts that begin with a line of their own:

    @option COMMAND,... --NAME      goes on behind what the help says of the option
    @instead COMMAND,... --NAME     is said of it in place of that
    @section COMMAND,... TITLE      a section behind the options; of a title that the help has, it goes on behind that

docs/man/bankrun.roff is the page of the whole, with a line @commands for the list of commands.
"""

import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TITLES = {"Exit status": "EXIT STATUS", "A launch": "LAUNCHES"}


def ask(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def release_date(version):
    """The day that the version is from; empty of one that is not out."""
    with open(os.path.join(ROOT, "CHANGELOG.md"), encoding="utf-8") as file:
        found = re.search(rf"^## \[{re.escape(version)}\] - ([\d-]+)", file.read(), re.MULTILINE)
    return found[1] if found else ""


# ---- roff -------------------------------------------------------------------------------------


def plain(text):
    """As it is: no character of it means anything to roff."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    text = text.replace("^", "\\(ha").replace("~", "\\(ti")
    return "\\&" + text if text.startswith(".") else text


def bold(text):
    return f"\\fB{plain(text)}\\fR"


def italic(text):
    return f"\\fI{plain(text)}\\fR"


def argument(text):
    """What an option takes: words in capitals stand for something, others are written as they are."""
    pattern = r"(?P<name>[A-Z][A-Z_]*)|(?P<word>[a-z.][\w.-]*)|."
    return "".join(italic(m[0]) if m["name"] else bold(m[0]) if m["word"] else plain(m[0])
                   for m in re.finditer(pattern, text))


def prose(text, names=()):
    """Running text: options and the name of the program stand out, and the names of arguments."""
    wanted = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    pattern = rf"(?P<option>(?<![\w-])--[a-z][\w-]*)|(?P<page>\bbankrun (?:{'|'.join(COMMANDS)})\b)"
    if wanted:
        pattern += rf"|(?P<name>\b(?:{wanted})\b)"
    out, end = "", 0
    for match in re.finditer(pattern, text):
        out += plain_inside(text[end:match.start()])
        out += bold(match[0]) if match["option"] or match["page"] else italic(match[0])
        end = match.end()
    out += plain_inside(text[end:])
    return "\\&" + out if out.startswith((".", "'")) else out


def plain_inside(text):
    """As plain(), of text that begins no line."""
    return plain("x" + text)[1:]


def names_of(text):
    return set(re.findall(r"[A-Z][A-Z_]*", text or ""))


# ---- What the help says ---------------------------------------------------------------------------


class Help:
    """One command's help, in its parts."""

    def __init__(self, text):
        before, _, behind = text.partition("\nOptions:\n")
        options, _, rest = behind.partition("\n\n")
        self.usage, _, before = before.partition("\n\n")
        self.blocks = [block for block in before.strip("\n").split("\n\n") if block]
        self.options = self._options(options)
        self.rest = [block for block in rest.strip("\n").split("\n\n") if block]

    @staticmethod
    def _options(text):
        """Pairs: how the option is written, and what is said of it, in lines."""
        rows = []
        for line in text.split("\n"):
            if re.match(r" {2,6}-", line):
                rows.append((line[:25].strip(), [line[26:]] if len(line) > 26 and line[24:26] == "  " else []))
                if not rows[-1][1]:
                    rows[-1] = (line.strip(), [])
            elif line.strip():
                rows[-1][1].append(line.strip())
        return [(head, " ".join(lines)) for head, lines in rows]


def synopsis(usage):
    lines = []
    for line in usage.replace("Usage: ", "").split("\n"):
        words = []
        for word in line.split():
            is_word = re.fullmatch(r"-*[a-z][\w-]*|\[run\]", word)
            words.append(bold(word) if is_word else argument(word))
        lines.append(" ".join(words))
    return "\n.br\n".join(lines) + "\n"


def option_head(text):
    match = re.fullmatch(r"(?:(-\w)(?:, )?)?(--[\w-]+)?(?: (.*))?", text)
    names = ", ".join(bold(name) for name in match.groups()[:2] if name)
    return names + (" " + argument(match[3]) if match[3] else "")


def definitions(lines):
    """Lines of a term, room, and what it means, which may go on below."""
    out = ""
    for line in lines:
        match = re.match(r"  (\S.*?)(?:  +)(\S.*)", line)
        if match:
            out += f".TP\n{bold(match[1])}\n{prose(match[2])}\n"
        else:
            out += prose(line.strip()) + "\n"
    return out


def paragraph(block):
    """A paragraph, the list in it, and what follows that."""
    lines = block.split("\n")
    first = next((i for i, line in enumerate(lines) if line.startswith("  ")), len(lines))
    out = ".PP\n" if first else ""
    out += "".join(prose(line) + "\n" for line in lines[:first])
    listed = lines[first:]
    last = next((i for i, line in enumerate(listed) if not line.startswith("  ")), len(listed))
    if listed and listed[0].startswith("  - "):
        for line in listed[:last]:
            is_new = line.startswith("  - ")
            out += (".IP \\(bu 2\n" if is_new else "") + prose(line.strip().removeprefix("- ")) + "\n"
    else:
        out += definitions(listed[:last])
    return out + (paragraph("\n".join(listed[last:])) if last < len(listed) else "")


def statuses(text):
    out = ""
    for part in re.split(r";\s+", " ".join(text.split()).rstrip(".")):
        status, _, meaning = part.partition(": ")
        out += f".TP\n{plain(status)}\n{prose(meaning or 'all is well')}\n"
    return out


def example(block):
    return ".EX\n" + "".join(plain(line.removeprefix("    ")) + "\n" for line in block.split("\n")) + ".EE\n"


# ---- Pages ------------------------------------------------------------------------------------


class Texts:
    """docs/man/commands.roff: what it says of each option and section of each command."""

    def __init__(self, folder):
        self.parts, keys = {}, []
        path = os.path.join(folder, "commands.roff")
        with open(path, encoding="utf-8") as file:
            for line in file:
                match = re.fullmatch(r"@(option|instead|section) (\S+) (.+)\n", line)
                if match:
                    keys = [(match[1], command, match[3]) for command in match[2].split(",")]
                    self.parts.update(dict.fromkeys(keys, ""))
                elif not keys or line.startswith("@"):
                    sys.exit(f"man_pages: {path}: this is of no part: {line}")
                for key in keys if not match else ():
                    self.parts[key] += line

    def take(self, kind, command, name):
        return self.parts.pop((kind, command, name), "")

    def take_further(self, command, title):
        text = self.take("section", command, title)
        return ".PP\n" + text if text else ""

    def take_sections(self, command):
        found = [key for key in self.parts if key[:2] == ("section", command)]
        return "".join(f".SH {key[2]}\n{self.parts.pop(key)}" for key in found)

    def check_end(self):
        if self.parts:
            sys.exit("man_pages: docs/man/commands.roff is about what is not there: "
                     + "; ".join(" ".join(key) for key in self.parts))


def header(name, version):
    return f'.TH {plain(name.upper())} 1 "{release_date(version)}" "bankrun {version}" "User Commands"\n'


def see_also(name):
    pages = ["bankrun"] + [f"bankrun-{command}" for command in COMMANDS]
    rows = [f".BR {plain(page)} (1)" for page in pages if page != name]
    return ".SH SEE ALSO\n" + ",\n".join(rows) + "\n"


def options_section(said, texts, command):
    out = ".SH OPTIONS\n"
    for head, text in said.options:
        name = next((word for word in re.findall(r"--?[\w-]+", head) if word.startswith("--")), head)
        more = texts.take("option", command, name)
        out += f".TP\n{option_head(head)}\n"
        out += texts.take("instead", command, name) or prose(text, names_of(head)) + "\n"
        out += ".IP\n" + more if more else ""
    return out


def command_page(bankrun, command, texts, version):
    said = Help(ask(bankrun, command, "--help"))
    name = f"bankrun-{command}"
    page = header(name, version)
    page += f".SH NAME\n{plain(name)} \\- {plain(COMMANDS[command])}\n"
    page += f".SH SYNOPSIS\n{synopsis(said.usage)}.SH DESCRIPTION\n"
    examples = [block for block in said.blocks if block.startswith("    ")]
    page += "".join(paragraph(block) for block in said.blocks if block not in examples).removeprefix(".PP\n")
    page += texts.take_further(command, "DESCRIPTION")
    page += options_section(said, texts, command)
    for block in said.rest:
        start, _, text = block.partition(":")
        title = TITLES[start]
        page += f".SH {title}\n"
        page += statuses(text) if title == "EXIT STATUS" else paragraph(text.strip()).removeprefix(".PP\n")
        page += texts.take_further(command, title)
    page += texts.take_sections(command)
    page += ".SH EXAMPLES\n" + "".join(map(example, examples)) if examples else ""
    return page + see_also(name)


def whole_page(folder, version):
    with open(os.path.join(folder, "bankrun.roff"), encoding="utf-8") as file:
        text = file.read()
    listed = "".join(f".TP\n.BR {plain('bankrun-' + command)} (1)\n{prose(summary)}\n"
                     for command, summary in COMMANDS.items())
    return header("bankrun", version) + text.replace("@commands\n", listed) + see_also("bankrun")


COMMANDS = {}


def main():
    bankrun, out = sys.argv[1:3]
    folder = sys.argv[3] if len(sys.argv) > 3 else os.path.join(ROOT, "docs", "man")
    version = ask(bankrun, "--version").split()[1]
    COMMANDS.update(line.split("\t") for line in ask(bankrun, "help", "--list").splitlines())
    del COMMANDS["help"]  # which is said on the page of the whole
    pages = {"bankrun": whole_page(folder, version)}
    texts = Texts(folder)
    for command in COMMANDS:
        pages[f"bankrun-{command}"] = command_page(bankrun, command, texts, version)
    texts.check_end()
    os.makedirs(out, exist_ok=True)
    for name, page in pages.items():
        with open(os.path.join(out, name + ".1"), "w", encoding="utf-8") as file:
            file.write(page)


if __name__ == "__main__":
    main()
