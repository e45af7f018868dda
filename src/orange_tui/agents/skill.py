"""The orchestrator skill: a SKILL.md that is installed in the skill folders of the agents.

Each copy ends with a line that has the checksum of the rest. A copy whose checksum is right was written by some
version of Orange and may be replaced; any other was changed by the person, and is left alone.
"""

from __future__ import annotations

import os
import re

from orange_tui.agents.harnesses import agent_path
from orange_tui.domain.errors import NotFound, Refused
from orange_tui.domain.records import record
from orange_tui.home import paths
from orange_tui.home.files import read_bytes, replace_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.agents.harnesses import Harnesses
    from orange_tui.domain.harnesses.harness import Harness

_CHECKSUM = re.compile(rb"\n<!-- installed by orange, sha256 ([0-9a-f]{64}); changed copies are left alone -->\n\Z")
_MOST_BYTES = 1_000_000


@record
class SkillInstallation:
    """The result of installing in one folder: `written`, `unchanged`, or `kept` because the person changed it."""

    harness: str
    path: str
    outcome: str


def select_harnesses(harnesses: Harnesses, name: str | None) -> list[Harness]:
    """The agents that get the skill: the one named, else all that are installed."""
    if name is not None:
        harness = harnesses.get(name)
        if not harness.skills:
            raise Refused(f"{harness.title} has no skill folder, so there is nowhere to put the skill")
        return [harness]
    everyone = [harnesses.get(each) for each in harnesses.names()]
    found = [each for each in everyone if each.skills and harnesses.installed(each.name)]
    if not found:
        hints = harnesses.install_hints()
        raise Refused(f"No agent with a skill folder is installed. Install one, or name one with --harness.\n{hints}")
    return found


def install(harness: Harness, *, overwrite: bool = False) -> SkillInstallation:
    """Put the skill into an agent's folder, unless the person has changed the one that is there."""
    path = os.path.join(agent_path(harness.skills, os.environ), "orange", "SKILL.md")
    present = _read_if_present(path)
    text = with_checksum(skill_text())
    if present == text:
        return SkillInstallation(harness.name, path, "unchanged")
    if present is not None and not is_unmodified(present) and not overwrite:
        return SkillInstallation(harness.name, path, "kept")
    path = os.path.realpath(path)  # people keep their settings elsewhere and link to them
    os.makedirs(os.path.dirname(path), exist_ok=True)
    replace_file(path, text)
    return SkillInstallation(harness.name, path, "written")


def skill_text() -> bytes:
    """The skill as it is shipped."""
    return read_bytes(os.path.join(paths.shipped("skill"), "SKILL.md"))


def skill_body() -> str:
    """The skill without its frontmatter, for a prompt."""
    text = skill_text().decode()
    return text.split("---\n", 2)[-1].strip() if text.startswith("---\n") else text.strip()


def with_checksum(text: bytes) -> bytes:
    """The skill followed by the line with its checksum."""
    line = f"\n<!-- installed by orange, sha256 {_checksum(text)}; changed copies are left alone -->\n"
    return text + line.encode()


def is_unmodified(text: bytes) -> bool:
    """Whether a copy is exactly as some version of Orange wrote it."""
    found = _CHECKSUM.search(text)
    return found is not None and _checksum(text[: found.start()]) == found[1].decode()


def _checksum(text: bytes) -> str:
    import hashlib

    return hashlib.sha256(text).hexdigest()


def _read_if_present(path: str) -> bytes | None:
    try:
        return read_bytes(path, max_bytes=_MOST_BYTES)
    except NotFound:
        return None
