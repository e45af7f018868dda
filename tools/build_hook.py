"""A wheel brings its man pages along: they are made from `docs/` while it is built."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CustomBuildHook(BuildHookInterface[Any]):
    """Adds each man page to what is installed below `share/man`; a clone that is installed in place has none."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called before the wheel is written."""
        if version == "editable":
            return
        sys.path.insert(0, str(Path(self.root) / "tools"))
        import man

        self.folder = tempfile.TemporaryDirectory(prefix="orange-man-")
        for name, text in man.pages().items():
            path = Path(self.folder.name) / Path(name).name
            path.write_text(text)
            build_data["shared_data"][str(path)] = f"share/man/{name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Called when it is there."""
        if version != "editable":
            self.folder.cleanup()
