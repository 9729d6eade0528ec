"""The help of all and those of the commands name the same options, and completions of each shell offer them."""

import os
import re
import shutil
import subprocess
import sys

BANKRUN = os.environ.get("BANKRUN", "build/bankrun")
SHELLS = {
    # The words of a command line, the last one being completed, and what a shell offers for it.
    "bash": """. completions/bankrun.bash
               COMP_WORDS=(%s ''); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
               [ "${COMP_WORDS[COMP_CWORD - 1]}" = - ] && COMP_WORDS=("${COMP_WORDS[@]:0:COMP_CWORD}") \\
                   COMP_CWORD=$((COMP_CWORD - 1))
               _bankrun bankrun; printf '%%s\\n' "${COMPREPLY[@]}" """,
    "fish": "source completions/bankrun.fish; complete -C '%s'",
    "zsh": """_arguments() { print -rl -- "$@" }; _describe() { print -rl -- "${(@P)2}" }
              words=(%s ''); [[ $words[-2] == - ]] && words=($words[1,-2]); CURRENT=$#words
              . completions/_bankrun""",
}
problems = []


def output_of(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def listed(text):
    """The options of a help text: lines that start with one."""
    return set(re.findall(r"^ {2,6}(?:-\w, )?--([a-z][a-z-]+)", text, re.MULTILINE))


def compare(what, found, wanted):
    problems.extend(f"{what} lacks --{o}" for o in sorted(wanted - found))
    problems.extend(f"{what} has --{o}, which is no option" for o in sorted(found - wanted))


def offered(text):
    """The options of what a shell offers, which may be followed by their descriptions."""
    return set(re.findall(r"^\*?--([a-z][a-z-]+)", text, re.MULTILINE))


def offers(shell, line):
    """What the shell offers where the line ends; of zsh, what its own functions are told."""
    ending = " " if shell == "fish" and not line.endswith("-") else ""
    return output_of(shell, *(["-f"] if shell == "zsh" else []), "-c", SHELLS[shell] % (line + ending))


def check_shell(shell, options, commands):
    for command, wanted in options.items():
        compare(f"{shell}: {command}", offered(offers(shell, f"bankrun {command} -")), wanted)
    first = offered(offers(shell, "bankrun -"))
    compare(shell, first, options["run"] | {"version"})
    words = offers(shell, "bankrun")
    problems.extend(f"{shell} lacks the command {c}" for c in sorted(commands)
                    if not re.search(rf"^{c}\b", words, re.MULTILINE))
    if shell == "zsh":
        return
    for line, wanted in (("bankrun --format", ["cachegrind", "csv", "github", "gitlab", "html", "json",
                                              "junit", "sarif", "text"]),
                         ("bankrun report --color", ["always", "auto", "never"]),
                         ("bankrun explain --width", ["1", "16", "2", "4", "8"])):
        found = sorted(re.findall(r"^\S+", offers(shell, line), re.MULTILINE))
        if found != wanted:
            problems.append(f"{shell}: {line}: {found}")


def main():
    commands = set(re.findall(r"^  ([\w-]+) {2,}", output_of(BANKRUN, "--help").split("Commands")[1],
                              re.MULTILINE))
    options = {name: listed(output_of(BANKRUN, name, "--help")) for name in commands - {"help"}}
    if len(options["run"]) < 10 or len(options["report"]) < 4:
        problems.append(f"the help lists too little: {options}")
    top = listed(output_of(BANKRUN, "--help"))
    problems.extend(f"--help lacks --{o}" for o in sorted((options["run"] | {"version"}) - top))
    for shell in SHELLS:
        if shutil.which(shell):
            check_shell(shell, options, commands)
    print("\n".join(problems))
    return 1 if problems else 0


sys.exit(main())
