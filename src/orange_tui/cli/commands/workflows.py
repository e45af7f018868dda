"""The `workflow` commands."""

from __future__ import annotations

import os

from orange_tui.cli.reply import Reply, printable_text
from orange_tui.domain.errors import OrangeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.cli.parsing.grammar import Parsed
    from orange_tui.domain.workflow_file.loader import LoadedWorkflow
    from orange_tui.orange import Orange


def list_workflows(_parsed: Parsed, orange: Orange) -> Reply:
    """`orange workflow list`."""
    from orange_tui.cli.task_table import aligned_columns

    found = [_described(name, orange) for name in orange.workflows.names()]
    rows = [[printable_text(each[key]) for key in ("name", "from", "about")] for each in found]
    return Reply("\n".join(aligned_columns(rows)), found)


def _described(name: str, orange: Orange) -> dict[str, str]:
    """A workflow's name, where it comes from, and in a line what it is, or that it cannot be used."""
    from orange_tui.presentation.workflow_path import forward_path

    path = orange.workflows.path(name)
    whence = "you" if orange.workflows.is_own(name) else "Orange"
    try:
        workflow = orange.workflows.load(name)
        first = orange.workflows.text(name).partition("\n")[0].strip()
        about = first.lstrip("# ") if first.startswith("#") else " → ".join(forward_path(workflow))
    except OrangeError:
        about = f"has mistakes: `orange workflow check {name}` says which"
    return {"name": name, "from": whence, "about": about, "path": path}


def check(parsed: Parsed, orange: Orange) -> Reply:
    """`orange workflow check`."""
    named = parsed.text("workflow")
    names = orange.workflows.names() if named is None else [named]
    lines, problems = [], []
    for name in names:
        loaded = orange.workflows.check(name)
        problems += [str(problem) for problem in loaded.problems]
        lines.append(_verdict(name, loaded))
    text = "\n".join(printable_text(line) for line in lines)
    if not problems:
        return Reply(text)
    return Reply(text, code=OrangeError.exit_code)


def _verdict(name: str, loaded: LoadedWorkflow) -> str:
    warnings = [f"{warning} (warning)" for warning in loaded.warnings]
    if loaded.problems:
        return "\n".join([*map(str, loaded.problems), *warnings])
    return "\n".join([f"{name}: good", *warnings])


def show(parsed: Parsed, orange: Orange) -> Reply:
    """`orange workflow show`."""
    from orange_tui.presentation.workflow_picture import picture

    name = parsed.required("name")
    if parsed.flag("yaml"):
        return Reply(printable_text(orange.workflows.text(name).rstrip("\n")))
    workflow = orange.workflows.load(name)
    try:
        width = os.get_terminal_size().columns
    except OSError:
        width = 100
    return Reply(picture(workflow, max(60, min(width, 140))))


def copy(parsed: Parsed, orange: Orange) -> Reply:
    """`orange workflow copy`."""
    path = orange.workflows.copy(parsed.required("name"), parsed.required("new"))
    return Reply(printable_text(f"{path}  edit it, then `orange workflow check {parsed.required('new')}`"))
