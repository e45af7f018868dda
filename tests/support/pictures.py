"""Pictures of the app at several sizes, all taken in one run of it: to start it costs more than to make it smaller.

Each is compared with the file that was accepted for its size, and is in the report of pytest-textual-snapshot under a
name of its own, so that it is told apart when it has changed.
"""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import pytest_textual_snapshot as snapshots
from rich.console import Console

if TYPE_CHECKING:
    import pytest
    from syrupy.assertion import SnapshotAssertion


class Album:
    """The accepted pictures of one test."""

    def __init__(self, snapshot: SnapshotAssertion, request: pytest.FixtureRequest) -> None:
        self._accepted = snapshot.use_extension(snapshots.SVGImageExtension)
        self._test = request.node

    def has(self, svg: str, size: str) -> bool:
        """Whether this is the picture that was accepted for a size; with `--snapshot-update`, it is from now on."""
        is_same = bool(self._accepted(name=size) == svg)
        expected = self._accepted.executions[self._accepted.num_executions - 1].final_data
        self._report(svg, size, expected, is_same=is_same)
        return is_same

    def _report(self, svg: str, size: str, expected: object, *, is_same: bool) -> None:
        """Leave what `snap_compare` leaves for the report, with the size in the name."""
        console = Console(legacy_windows=False, force_terminal=True)
        app = snapshots.PseudoApp(snapshots.PseudoConsole(console.legacy_windows, console.size))
        path, line, name = self._test.reportinfo()
        about = (path, line, f"{name}[{size}]", self._test.function.__doc__ or "", "")
        left = (is_same, str(expected or ""), svg, app, *about, expected is not None)
        place = snapshots.node_to_report_path(self._test)
        place.with_name(f"{place.name}_{size}").write_bytes(pickle.dumps(left))
