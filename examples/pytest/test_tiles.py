"""Tests that are gates, too: `bankrun pytest examples/pytest`. Without bankrun those with a mark are skipped."""

import pytest
from tiles import Gpu

TILE = [float(value) for value in range(1024)]
TURNED = [float(row * 32 + column) for column in range(32) for row in range(32)]


@pytest.fixture(scope="module")
def gpu():
    return Gpu()


@pytest.mark.bankrun(max_excess=0)
def test_has_no_conflicts(gpu):
    assert gpu.transpose(TILE, "padded") == TURNED


@pytest.mark.bankrun(max_excess=992)
def test_is_no_worse_than_it_was(gpu):
    assert gpu.transpose(TILE, "columns") == TURNED


def test_padding_pays(gpu, bankrun_launches):
    gpu.transpose(TILE, "columns")
    (launch, site), = bankrun_launches.worst(1)
    assert (launch.kernel, site.line, site.degree) == ("columns", 9, 32)

    bankrun_launches.restart()
    gpu.transpose(TILE, "padded")
    assert bankrun_launches.excess == 0


@pytest.mark.bankrun("degree>=2")
def test_a_program(bankrun_run):
    """What `bankrun run` takes runs in a process of its own; plain `pytest` does that, too."""
    profile = bankrun_run("../transpose.ptx", launch="padded<<<1, 32>>>(f32[1024], f32[1024]=iota)")
    assert not profile.has_failed
