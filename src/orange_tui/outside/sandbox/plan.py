"""A plan: all that is needed to make a sandbox, as one JSON file that only the engine writes."""

from __future__ import annotations

import json
import os
import stat

from orange_tui.domain.errors import Unreadable
from orange_tui.domain.records import record
from orange_tui.domain.sandbox.rules import Mount

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@record
class SandboxPlan:
    """What a sandbox has: mounts in their order, variables, the directory to begin in, and whether there is a network.

    `kept` are patterns of variables that look like secrets and are not removed.
    """

    mounts: Sequence[Mount]
    variables: Mapping[str, str]
    kept: Sequence[str]
    directory: str
    network: bool = True

    def as_text(self) -> str:
        """The plan as it is saved."""
        values = {
            "mounts": [mount.as_json() for mount in self.mounts],
            "variables": dict(self.variables),
            "kept": list(self.kept),
            "directory": self.directory,
            "network": self.network,
        }
        return json.dumps(values, indent=1) + "\n"


def read_plan(path: str) -> SandboxPlan:
    """A plan that was saved."""
    try:
        with open(path, encoding="utf-8") as file:
            values = json.load(file)
        mounts = [Mount(*words) for words in values.pop("mounts")]
        return SandboxPlan(mounts, **values)
    except (OSError, ValueError, TypeError, KeyError) as problem:
        raise Unreadable(f"{path} is not the plan of a sandbox: {problem}") from None


class Files:
    """The files of this machine, for whoever plans."""

    def kind(self, path: str) -> str | None:
        """What is there, links not followed."""
        try:
            mode = os.lstat(path).st_mode
        except OSError:
            return None
        if stat.S_ISLNK(mode):
            return "link"
        return "directory" if stat.S_ISDIR(mode) else "file" if stat.S_ISREG(mode) else "other"

    def names(self, directory: str) -> list[str]:
        """What is in a directory; nothing where it cannot be read."""
        try:
            return sorted(os.listdir(directory))
        except OSError:
            return []

    def target(self, link: str) -> str:
        """Where a link leads."""
        try:
            return os.readlink(link)
        except OSError:
            return "/nonexistent"
