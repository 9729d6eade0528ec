"""ci/action.yml and ci/gitlab.yml, as examples/ci uses them: their steps run as they stand, in a repository whose newest
commit makes a line worse, or better; pip, gh and curl are recorded instead of called."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

BANKRUN = os.path.abspath(os.environ["BANKRUN"])
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

if not os.environ.get("BANKRUN_TEST_NVCC"):
    print("needs nvcc")
    sys.exit(77)
try:
    import yaml
except ImportError:
    print("needs PyYAML (python3-yaml)")
    sys.exit(77)

SOURCE = """__global__ void turn(float *out, const float *in) {
    __shared__ float tile[32][%d];
    tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
int main(int argc, char **argv) {
    float *in, *out;
    cudaMalloc(&in, 4096), cudaMalloc(&out, 4096);
    cudaMemset(in, 0, 4096);
    turn<<<1, dim3(32, 32)>>>(out, in);
    return argc == 3 && argv[1][1] == ' ' ? 9 : cudaDeviceSynchronize();
}
"""
RECORD = '#!/bin/sh\n{ echo "${0##*/} $*"; cat "$RUNNER_TEMP/summary.md" comment.md; } >> "$RECORD" 2>/dev/null; true\n'
# What makes a virtual environment in place of Python, with a pip that is recorded.
VENV = '#!/bin/sh\n[ "$1 $2" = "-m venv" ] || exit 9\nmkdir -p "$3/bin"\ncp "$TOOLS/gh" "$3/bin/pip"\ncp "$TOOLS/bankrun" "$3/bin"\n'


problems = []


def check(holds, what):
    if not holds:
        problems.append(what)


class Folder:
    """Each case has a new one, under the same name: what is compiled is compiled once."""

    def __enter__(self):
        path = os.path.join(TOP, "case")
        shutil.rmtree(path, ignore_errors=True)
        os.mkdir(path)
        return path

    def __exit__(self, *_):
        pass



def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def load(path):
    return yaml.safe_load(read(os.path.join(ROOT, path)))


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, mode)


def git(folder, *arguments):
    return subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x@x", *arguments], cwd=folder, check=True,
                          capture_output=True, text=True).stdout.strip()


def repository(folder, before, after):
    """A repository of two commits; the first one's hash. None: the source is not there."""
    path = os.path.join(folder, "project")
    os.makedirs(path)
    git(path, "init", "-q")
    for columns in (before, after):
        if columns:
            write(os.path.join(path, "src", "transpose.cu"), SOURCE % columns)
        git(path, "add", ".")
        git(path, "commit", "-q", "--allow-empty", "-m", f"rows of {columns}")
    return path, git(path, "rev-parse", "HEAD~1")


def environment(folder, **more):
    tools = os.path.join(folder, "bin")
    for name in ("gh", "curl", "pip"):
        write(os.path.join(tools, name), RECORD, 0o755)
    write(os.path.join(tools, "bankrun"), f'#!/bin/sh\nexec "{BANKRUN}" "$@"\n', 0o755)
    if not os.path.exists(os.path.join(tools, "python3")):
        write(os.path.join(tools, "python3"), VENV, 0o755)
    write(os.path.join(folder, "record"), "")
    # nvcc may be a script that wants the real Python.
    nvcc = f'#!/bin/sh\nPATH="{os.environ["PATH"]}" exec "{shutil.which("nvcc")}" "$@"\n'
    write(os.path.join(tools, "nvcc"), nvcc, 0o755)
    return dict(os.environ, PATH=f"{tools}:{os.environ['PATH']}", RECORD=os.path.join(folder, "record"), HOME=folder,
                TOOLS=tools, RUNNER_TEMP=os.path.join(folder, "temp"), **more)


def run(script, path, env):
    done = subprocess.run(["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", script], cwd=path, env=env,
                          check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


# ---- GitHub -------------------------------------------------------------------------------------

class Expressions:
    """${{ }} as far as the action uses it: names, ==, !=, &&, ||, and texts."""

    def __init__(self, values):
        self.values = values

    def evaluate(self, expression):
        words = re.findall(r"'[^']*'|==|!=|&&|\|\||[\w.-]+|\S", expression)
        known = {"&&": "and", "||": "or", "==": "==", "!=": "!="}
        text = " ".join(known.get(word) or (word if word[0] == "'" else repr(self.values[word])) for word in words)
        return eval(text, {"__builtins__": {}})

    def fill(self, text):
        return re.sub(r"\$\{\{ (.*?) \}\}", lambda found: str(self.evaluate(found.group(1))), str(text))


def github(folder, path, base, **changes):
    """The workflow's step, by the steps of the action: the status of the first that fails, and what all printed."""
    action = load("ci/action.yml")
    given = {**load("examples/ci/github.yml")["jobs"]["bankrun"]["steps"][1]["with"], **changes}
    unknown = set(given) - set(action["inputs"])
    check(not unknown, f"no inputs of the action: {unknown}")
    values = {f"inputs.{name}": str(row["default"]) for name, row in action["inputs"].items()}
    values.update({f"inputs.{name}": {True: "true", False: "false"}.get(value, value) for name, value in given.items()})
    values.update({"github.event.pull_request.base.sha": base, "github.event.before": "", "github.token": "secret",
                   "github.event.pull_request.number": "7", "github.event_name": "pull_request", "github.sha": "abc",
                   "runner.os": "Linux", "runner.arch": "X64", "runner.temp": os.path.join(folder, "temp")})
    env = environment(folder, GITHUB_REPOSITORY="me/project", GITHUB_ACTION_PATH=os.path.join(ROOT, "ci"))
    os.makedirs(env["RUNNER_TEMP"])
    for name in ("GITHUB_PATH", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"):
        env[name] = os.path.join(folder, name)
        write(env[name], "")
    expressions, text = Expressions(values), ""
    for step in action["runs"]["steps"]:
        if "if" in step and not expressions.evaluate(step["if"]):
            continue
        for value in step.get("with", {}).values():
            expressions.fill(value)
        if "run" not in step:
            continue
        check(step["shell"] == "bash", step)
        more = {name: expressions.fill(value) for name, value in step.get("env", {}).items()}
        where = os.path.join(path, expressions.fill(step.get("working-directory", ".")))
        status, said = run(step["run"], where, {**env, **more, "PATH": ":".join(
            [*read(env["GITHUB_PATH"]).split(), env["PATH"]])})
        text += said
        if status:
            return step["name"], status, text
        outputs = dict(line.split("=", 1) for line in read(env["GITHUB_OUTPUT"]).splitlines())
        values.update({f"steps.count.outputs.{name}": value for name, value in outputs.items()})
    for row in action["outputs"].values():
        check(os.path.getsize(expressions.fill(row["value"])), row)
    return None, 0, text


def kept_by_github(folder, path):
    """The artifacts, and what SARIF says."""
    sarif = json.loads(read(os.path.join(folder, "temp", "bankrun.sarif")))
    return read(os.path.join(folder, "temp", "bankrun.html")), sarif["runs"][0]["results"]


# ---- GitLab -------------------------------------------------------------------------------------

NAMES = {"source": "BANKRUN_SOURCE", "command": "BANKRUN_COMMAND", "arguments": "BANKRUN_ARGUMENTS",
         "options": "BANKRUN_OPTIONS", "prepare": "BANKRUN_PREPARE", "baseline": "BANKRUN_BASELINE",
         "fail-on": "BANKRUN_FAIL_ON", "install": "BANKRUN_INSTALL"}


def gitlab(folder, path, base, **changes):
    """All commands of a job are one script."""
    example, template = load("examples/ci/gitlab.yml"), load("ci/gitlab.yml")
    job = {**template[example["bank conflicts"]["extends"]], **example["bank conflicts"]}
    variables = {**template[".bankrun"]["variables"], **example["bank conflicts"]["variables"]}
    unknown = set(example["bank conflicts"]["variables"]) - set(template[".bankrun"]["variables"])
    check(not unknown, f"no variables of the template: {unknown}")
    variables.update({NAMES[name]: value for name, value in changes.items()})
    variables = {name: value.replace("$CI_PROJECT_DIR", path) for name, value in variables.items()}
    env = environment(folder, CI_PROJECT_DIR=path, CI_MERGE_REQUEST_DIFF_BASE_SHA=base, BANKRUN_TOKEN="secret",
                      CI_API_V4_URL="https://gitlab.example/api/v4", CI_PROJECT_ID="3", CI_MERGE_REQUEST_IID="4",
                      **variables)
    status, text = run("\n".join(job["before_script"] + job["script"]), path, env)
    return "script", status, text


def kept_by_gitlab(folder, path):
    check(os.path.getsize(os.path.join(path, "junit.xml")), "junit.xml")
    return read(os.path.join(path, "bankrun.html")), json.loads(read(os.path.join(path, "quality.json")))


# ---- Cases --------------------------------------------------------------------------------------

FORGES = ((github, kept_by_github, "gh pr comment 7", "pip install --quiet --disable-pip-version-check bankrun[nvcc]\n"),
          (gitlab, kept_by_gitlab, "curl --fail", "pip install --quiet --disable-pip-version-check bankrun[nvcc]\n"))


def changes_of_a_line(forge, kept, comments, installs):
    for before, after, status, says in ((33, 32, 6, "992"), (32, 33, 0, "992"), (33, 33, 0, "Nothing changed"),
                                        (None, 33, 0, "is new: there is nothing to compare with"),
                                        (None, 32, 3, "is new: there is nothing to compare with")):
        with Folder() as folder:
            path, base = repository(folder, before, after)
            failed, got, text = forge(folder, path, base)
            record = read(os.path.join(folder, "record"))
            what = f"{forge.__name__} {before} -> {after}: {failed}, status {got}\n{text}\n{record}"
            check(got == status and says in text + record, what)
            check(comments in record and installs in record, what)
            check(before is None or "bankrun diff" in record, what)
            page, places = kept(folder, path)
            check("turn(" in page and (len(places) > 0) == (after == 32), f"{places}\n{what}")
            if forge is github:
                check(("::warning" in text) == (after == 32), what)


def other_uses(forge):
    """Each: what is asked for in place of the example's, the status, and what is said."""
    build = "nvcc $(bankrun nvcc-flags) -o app src/transpose.cu"
    for asked, status, says in (
            ({"baseline": ""}, 3, "excess"),
            ({"baseline": "", "fail-on": "excess=992"}, 0, ""),
            ({"fail-on": "degree>=32"}, 3, "conflicts 32 ways"),
            ({"baseline": "kept.json"}, 6, "more excess than in kept.json"),
            ({"source": "app", "prepare": build, "baseline": ""}, 3, "excess"),
            ({"source": "", "command": "./app && ./app", "prepare": build, "baseline": "", "fail-on": "excess=1983"}, 3,
             "1984"),
            ({"arguments": "'a b' c", "baseline": ""}, 9, "the program ended with status 9"),
            ({"options": "--arch 'sm_80'", "baseline": "", "fail-on": "excess=992"}, 0, ""),
            ({"options": "--no-such-option", "baseline": ""}, 2, "no-such-option"),
            ({"source": "", "baseline": ""}, 2, "BANKRUN_COMMAND" if forge is gitlab else "neither source nor command"),
            ({"prepare": "echo broken; false", "baseline": ""}, 1, "broken"),
    ):
        with Folder() as folder:
            path, base = repository(folder, 33, 32)
            if asked.get("baseline") == "kept.json":
                kept = os.path.join(folder, "kept")
                git(path, "worktree", "add", "--quiet", "--detach", kept, base)
                subprocess.run([BANKRUN, "run", "--format", "json", "-o", os.path.join(path, "kept.json"),
                                "src/transpose.cu"], cwd=kept, check=True)
            failed, got, text = forge(folder, path, base, **asked)
            check(got == status and says in text, f"{forge.__name__} {asked}: {failed}, status {got}\n{text}")


def schemas():
    """By the schemas that forges publish, where check-jsonschema has them."""
    if shutil.which("check-jsonschema"):
        for schema, path in (("github-actions", "ci/action.yml"), ("github-workflows", "examples/ci/github.yml"),
                             ("gitlab-ci", "ci/gitlab.yml"), ("gitlab-ci", "examples/ci/gitlab.yml")):
            subprocess.run(["check-jsonschema", "--quiet", "--builtin-schema", f"vendor.{schema}",
                            os.path.join(ROOT, path)], check=True)


with tempfile.TemporaryDirectory() as TOP:
    schemas()
    for row in FORGES:
        changes_of_a_line(*row)
        other_uses(row[0])
sys.exit("\n".join(problems) or 0)
