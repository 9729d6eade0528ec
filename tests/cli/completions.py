"""Help, man page and shell completions name the same options and commands."""

import os
import re
import subprocess
import sys

BANKRUN = os.environ.get("BANKRUN", "build/bankrun")


def help_of(*words):
    return subprocess.run([BANKRUN, *words], capture_output=True, text=True, check=True).stdout


def long_options(text):
    return set(re.findall(r"(?<![\w-])--([a-z][a-z-]+)", text))


def listed(text):
    """The options of a help text: lines that start with one."""
    return set(re.findall(r"^ {2,6}(?:-\w, )?--([a-z][a-z-]+)", text, re.MULTILINE))


def main():
    commands = set(re.findall(r"^  ([\w-]+) {2,}", help_of("--help").split("Commands")[1], re.MULTILINE))
    options = {name: listed(help_of(name, "--help")) for name in commands - {"help"}}
    wanted = set().union(*options.values(), {"version"})
    problems = []
    if len(options["run"]) < 10 or len(options["report"]) < 4:
        problems.append(f"the help lists too little: {options}")
    top = listed(help_of("--help"))
    problems += [f"--help lacks --{o}" for o in sorted((options["run"] | {"version"}) - top)]
    pages = ["docs/bankrun.1", "completions/bankrun.bash", "completions/_bankrun",
             "completions/bankrun.fish"]
    for page in pages:
        with open(page, encoding="utf-8") as file:
            text = file.read().replace("\\-", "-")
        if page.endswith(".fish"):
            found = set(re.findall(r"^complete .*-l ([a-z][a-z-]+)", text, re.MULTILINE))
        else:
            found = long_options(text)
        problems += [f"{page} lacks --{o}" for o in sorted(wanted - found)]
        problems += [f"{page} has --{o}, which is no option" for o in sorted(found - wanted)]
        problems += [f"{page} lacks the command {c}" for c in sorted(commands)
                     if not re.search(rf"\b{c}\b", text)]
    print("\n".join(problems))
    return 1 if problems else 0


sys.exit(main())
