"""`orange doctor`."""

from __future__ import annotations

from orange_tui.cli.reply import Reply, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.cli.parsing.grammar import Parsed
    from orange_tui.orange import Orange

_MARKS = {"good": "✓", "note": "·", "bad": "✗"}


def doctor(_parsed: Parsed, orange: Orange) -> Reply:
    """Every finding, the good ones too."""
    from orange_tui.supervisor.doctor import examine

    findings = examine(orange)
    lines = []
    for finding in findings:
        lines.append(f"{_MARKS[finding.level]} {safe(finding.what)}")
        lines.extend(f"    {safe(line)}" for line in finding.mend.splitlines())
    code = 1 if any(finding.level == "bad" for finding in findings) else 0
    return Reply("\n".join(lines), code=code)
