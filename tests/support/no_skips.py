"""Where CI is set, a skipped test is a failed one: a machine that lacks what a test needs must not look green.

But for what cannot be installed: GitHub's machines let only root mount a disk, and have the kernel that they have.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator

NOT_TO_BE_HAD = "This machine has no"  # how the reason of such a skip begins


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn a skip into a failure that says what it was about."""
    report = yield
    if report.skipped and os.environ.get("CI") and not hasattr(report, "wasxfail"):
        reason = _reason(report.longrepr)
        if NOT_TO_BE_HAD not in reason:
            report.outcome = "failed"
            report.longrepr = f"Skipped, though CI is set: {reason}"
    return report


def _reason(longrepr: Any) -> str:
    return str(longrepr[2]) if isinstance(longrepr, tuple) else str(longrepr)
