"""A plugin for pytest, which finds it by itself where the package is installed: tests as gates of their launches.

    @pytest.mark.bankrun(max_excess=0)
    def test_transpose():
        ...                             # launches kernels, in this process

under `bankrun pytest`. docs/how-to/pytest.md goes through it.
"""
# mypy: disallow-untyped-decorators=False

from __future__ import annotations

import os
from typing import Any, Callable, Dict, Iterator, List, Optional

import pytest

from bankrun import _run, programs
from bankrun.profile import Profile
from bankrun.section import Section, why_not_counted

MARK = "bankrun(*gates, max_excess=0, max_degree=None, min_launches=1)"
_WORST = 5  # lines of a failed test


class Limits:
    """What a mark asks for."""

    def __init__(self, *gates: str, max_excess: Optional[int] = None, max_degree: Optional[int] = None,
                 min_launches: int = 1) -> None:
        self.gates: List[str] = []
        for gate in gates:
            if not isinstance(gate, str):
                raise TypeError(f"a gate is a word as of --fail-on, not {gate!r}")
            if gate.startswith("regression"):
                raise TypeError("regression compares whole runs: bankrun --baseline FILE --fail-on regression pytest")
            self.gates.append(gate)
        if max_degree is not None:
            self.gates.append(f"degree>={_number('max_degree', max_degree) + 1}")
        if max_excess is None and not self.gates:
            max_excess = 0
        self.max_excess = None if max_excess is None else _number("max_excess", max_excess)
        self.min_launches = _number("min_launches", min_launches)

    def words(self) -> List[str]:
        """As of --fail-on."""
        more = [] if self.max_excess is None else [f"excess={self.max_excess}"]
        return ["fault", *self.gates, *more]


def _number(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise TypeError(f"{name} is a number from 0 on, not {value!r}")
    return value


class Watch:
    """The launches of a test that has a mark: its own, and those of programs that it ran by `bankrun_run`."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.section: Optional[Section] = None if why_not_counted() else Section()
        self.runs: List[Profile] = []

    def profiles(self) -> List[Profile]:
        own = [] if self.section is None else [self.section.profile]
        # A test of programs alone need not launch anything itself.
        return [profile for profile in own if not self.runs or profile.launches or profile.has_failed] + self.runs

    def end(self) -> None:
        if self.section is not None:
            self.section.end()


_WATCHES: Dict[str, Watch] = {}  # by node id; one test of a process runs at a time


def pytest_configure(config: Any) -> None:
    config.addinivalue_line("markers", f"{MARK}: fails where launches of the test have bank conflicts, or fault; "
                                       "gates are those of bankrun --fail-on")


def _limits_of(item: Any) -> Optional[Limits]:
    mark = item.get_closest_marker("bankrun")
    if mark is None:
        return None
    try:
        return Limits(*mark.args, **mark.kwargs)
    except TypeError as error:
        problem = str(error).replace("Limits.__init__()", "it")
        raise pytest.UsageError(f"{item.nodeid}: the mark bankrun: {problem}") from None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: List[Any]) -> None:
    """Tests whose launches nobody would count are skipped, before their fixtures look for a GPU."""
    problem = why_not_counted()
    for item in items:
        limits = _limits_of(item)
        names = getattr(item, "fixturenames", ())
        needs_it = "bankrun_launches" in names or (limits is not None and "bankrun_run" not in names)
        if problem and needs_it:
            item.add_marker(pytest.mark.skip(reason=f"bankrun: {problem}"))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: Any) -> None:
    """Before fixtures: `bankrun_run` tells the watch of its profiles, and what fixtures launch for a test is the test's."""
    limits = _limits_of(item)
    if limits is not None and item.get_closest_marker("skip") is None:
        _WATCHES[item.nodeid] = Watch(limits)


@pytest.hookimpl(trylast=True)
def pytest_runtest_call(item: Any) -> None:
    """Behind the test itself, which has passed."""
    watch = _WATCHES.get(item.nodeid)
    if watch is not None:
        problem = _judge(watch)
        if problem:
            pytest.fail(problem, pytrace=False)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: Any) -> None:
    watch = _WATCHES.pop(item.nodeid, None)
    if watch is not None:
        watch.end()


@pytest.fixture
def bankrun_launches() -> Iterator[Section]:
    """What the test launches in its own process from here on: `launches`, `excess`, `worst()`, `profile`."""
    with Section() as section:
        yield section


@pytest.fixture
def bankrun_run(request: Any) -> Callable[..., Profile]:
    """`bankrun.run`, whose profiles the mark of the test judges."""

    def run(*arguments: Any, **options: Any) -> Profile:
        profile = programs.run(*arguments, **options)
        watch = _WATCHES.get(request.node.nodeid)
        if watch is not None:
            watch.runs.append(profile)
        return profile

    return run


def _judge(watch: Watch) -> Optional[str]:
    """What is wrong with the launches, in lines; None: nothing."""
    profiles = watch.profiles()
    count = sum(launch.repeats for profile in profiles for launch in profile.launches)
    if count < watch.limits.min_launches and not any(profile.has_failed for profile in profiles):
        return (f"bankrun: the test made {_launches(count)}, and the mark asks for {watch.limits.min_launches}: "
                "nothing was guarded (min_launches=0 allows that)")
    problems = [problem for profile in profiles if (problem := _judge_one(profile, watch.limits))]
    return "\n".join(problems) or None


def _judge_one(profile: Profile, limits: Limits) -> Optional[str]:
    is_checked = os.environ.get("BANKRUN_COUNT") == "0" and profile.program is None  # bankrun check pytest
    if not is_checked and not limits.gates and not profile.has_failed and profile.excess <= (limits.max_excess or 0):
        return None
    words = ["fault", "check"] if is_checked else limits.words()
    with _run.Folder() as saved:
        profile.save(saved)
        # The command knows what is accepted (.bankrun), and what gates are.
        done = _run.ended(["report", "-o", os.devnull, "--fail-on", ",".join(words), saved])
    if done.status == 0:
        return None
    if done.status not in (3, 4, 5):
        return f"bankrun: {_run.words_of(done.stderr)}"
    return "\n".join([f"bankrun: {', '.join(words[1:])}: {_said(profile)}", *_reasons(profile)])


def _launches(count: int) -> str:
    return "1 launch" if count == 1 else f"{count} launches"


def _said(profile: Profile) -> str:
    count = sum(launch.repeats for launch in profile.launches)
    return f"{_launches(count)}, {profile.excess:,} wavefronts of shared memory in vain"


def _reasons(profile: Profile) -> List[str]:
    lines = [f"  {gap.text}" for gap in profile.gaps]
    lines += [f"  {refused.kernel}: refused: {reason.text}" for refused in profile.refused for reason in refused.reasons]
    lines += [f"  {launch.kernel}: {launch.fault}" for launch in profile.launches if launch.fault]
    lines += [f"  {finding.check}: {finding.message}" for finding in profile.findings if not finding.is_note]
    for launch, site in profile.worst(_WORST):
        place = f"{site.file}:{site.line}" if site.file else "no line is known"
        lines.append(f"  {launch.kernel}: {place}: {site.instruction}, {site.degree}-way: "
                     f"{site.excess * launch.repeats:,} of {site.units * launch.repeats:,} wavefronts in vain")
        lines += [f"      {site.why}"] if site.why else []
    return lines
