"""The changes that the demo agent makes to a repository: small and believable, each in its own commit.

Every commit has a trailer that says which step it was. A later session reads them from the log, so it continues where
the last one stopped and does nothing twice.
"""

from __future__ import annotations

import os
import re

from orange_tui.demo.tools import conflicts
from orange_tui.domain.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from orange_tui.demo.tools.task_tools import TaskTools
    from orange_tui.domain.task import Task

    FileEdit = Callable[[str], str]

CODE, TEST = "code", "test"
_STEP_TRAILER = re.compile(r"^Demo-Step: (\S+)$", re.MULTILINE)
_NAME_TRAILER = re.compile(r"^Demo-Name: (\S+)$", re.MULTILINE)
_SPECIAL_LINE = re.compile(r"^Today's special: .*$", re.MULTILINE)
_GUARD = '    if cups < 1:\n        raise ValueError("one cup at least, please")\n'
_MODULE = '''\
"""{summary}"""


def {name}(cups: int) -> str:
    """What the barista calls out."""
{guard}    return f"{{cups}} x {words}"
'''
# What a hurried agent adds, with two mistakes that its tests do not find; `comments.py` knows how to mend them.
_HURRIED = '''

def price(cups: int) -> int:
    """What so many cups cost, in cents."""
    cents = 0
    for _ in range(1, cups):
        cents += CENTS
    return cents


def order(text: str) -> str:
    """An order as somebody types it."""
    try:
        return {name}(int(text))
    except ValueError:
        return ""
'''
_TEST = """\
import unittest

from coffee.{name} import {name}


class OrderTest(unittest.TestCase):
    def test_the_order_is_called_out(self) -> None:
        self.assertEqual({name}(2), "2 x {words}")
"""
_GUARD_TEST = """
    def test_no_cups_are_no_order(self) -> None:
        with self.assertRaises(ValueError):
            {name}(0)
"""
_MORE_TEST = """
    def test_{key}(self) -> None:
        self.assertIn("{words}", {name}({number}))
"""


@record
class ChangeStep:
    """One commit: its key in the trailer, its subject, and how each file's text is edited.

    One that `merges` a branch makes its edits only if there is nothing to merge.
    """

    key: str
    subject: str
    edits: Mapping[str, FileEdit]
    merges: str | None = None


@record
class ChangePlan:
    """The change a task makes. `name` is what its files are called."""

    name: str
    steps: tuple[ChangeStep, ...]
    fix: Callable[[str, str], ChangeStep]  # a further step, by key and subject


def committed_steps(tools: TaskTools) -> set[str]:
    """The steps that are committed."""
    return set(_STEP_TRAILER.findall(tools.commits()))


def apply_step(tools: TaskTools, step: ChangeStep, name: str) -> str:
    """Edit the files, or merge, and commit; returns the short commit id."""
    message = f"{step.subject}\n\nDemo-Step: {step.key}\nDemo-Name: {name}"
    merged = conflicts.merge_keeping_both(tools, step.merges, message) if step.merges is not None else None
    if merged is not None:
        return merged
    edit_files(tools, step)
    return tools.commit(message, *step.edits)


def edit_files(tools: TaskTools, step: ChangeStep) -> None:
    """Make the edits of a step without committing them."""
    for path, edit in step.edits.items():
        full = os.path.join(tools.directory, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        before = _text(full)
        with open(full, "w", encoding="utf-8") as file:
            file.write(edit(before))


def _text(path: str) -> str:
    if not os.path.isfile(path):
        return ""
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def plan_changes(tools: TaskTools, has_habit: Callable[[str], bool]) -> ChangePlan:
    """The change that the task makes in this repository, whatever kind of repository it is.

    With the habit `same-line` it is one line that every such task changes, so that they conflict. A `careless` agent
    forgets what the reviewer then finds; a `hurried` one makes mistakes that only the person finds.
    """
    task = tools.task()
    named = _NAME_TRAILER.findall(tools.commits())
    is_coffee = os.path.isfile(os.path.join(tools.directory, "coffee", "__init__.py"))
    if has_habit("same-line"):
        return _special_of_the_day(task, "README.md" if is_coffee else "demo/special.md")
    if is_coffee:
        return _coffee_module(tools, task, named[-1] if named else None, has_habit)
    return _single_page(task)


def slug(text: str, joint: str = "-") -> str:
    """A text as a name for a file or a branch."""
    return joint.join(re.findall(r"[a-z0-9]+", text.lower()))[:40].strip(joint)


def _coffee_module(tools: TaskTools, task: Task, name: str | None, has_habit: Callable[[str], bool]) -> ChangePlan:
    careless, hurried = has_habit("careless"), has_habit("hurried")
    name = name or _module_name(tools, task)
    words = name.replace("_", " ").strip()
    module, test = f"coffee/{name}.py", f"tests/test_{name}.py"
    summary = re.sub(r'["\\]', "", task.summary).strip() or words.capitalize()
    full = _MODULE.format(summary=summary, name=name, words=words, guard=_GUARD)
    if hurried:
        full = full.replace("\n\n\ndef", "\n\nCENTS = 260\n\n\ndef", 1) + _HURRIED.format(name=name)
    first = _MODULE.format(summary=summary, name=name, words=words, guard="") if careless else full
    guard_test = _GUARD_TEST.format(name=name)
    first_test = _TEST.format(name=name, words=words) + ("" if careless else guard_test)
    if hurried:
        first_test = first_test.replace(f"import {name}\n", f"import CENTS, {name}, order, price\n")

    def fix(key: str, subject: str) -> ChangeStep:
        def better_test(text: str) -> str:
            if guard_test not in text:
                return text + guard_test
            more = {"key": slug(key, "_"), "words": words, "name": name, "number": text.count("def ") + 1}
            return text + _MORE_TEST.format(**more)

        return ChangeStep(key, subject, {module: lambda text: full if text == first else text, test: better_test})

    steps = (
        ChangeStep(CODE, f"Take orders for {words}", {module: lambda _text: first}),
        ChangeStep(TEST, f"Test orders for {words}", {test: lambda _text: first_test}),
    )
    return ChangePlan(name, steps, fix)


def _module_name(tools: TaskTools, task: Task) -> str:
    name = slug(task.branch, "_") or task.id
    name = name if name[0].isalpha() else f"cup_{name}"
    is_taken = tools.git("cat-file", "-e", f"{tools.base()}:coffee/{name}.py").code == 0
    return f"{name}_{task.id}" if is_taken else name


def _special_of_the_day(task: Task, path: str) -> ChangePlan:
    """Every task of this kind changes the same line, so the second one to be merged conflicts."""

    def change(line: str) -> FileEdit:
        return lambda text: _SPECIAL_LINE.sub(line, text) if _SPECIAL_LINE.search(text) else f"{text}{line}\n"

    def fix(key: str, subject: str) -> ChangeStep:
        return ChangeStep(key, subject, {path: change(f"Today's special: {task.branch} ({key})")})

    first = ChangeStep(CODE, f"Make {task.branch} today's special", {path: change(f"Today's special: {task.branch}")})
    return ChangePlan(slug(task.branch), (first,), fix)


def _single_page(task: Task) -> ChangePlan:
    """In a repository we do not know: one page of text, out of everybody's way."""
    path = f"demo/{task.id}.md"

    def add(line: str) -> FileEdit:
        return lambda text: f"{text}{line}\n"

    def fix(key: str, subject: str) -> ChangeStep:
        return ChangeStep(key, subject, {path: add(f"- {subject}")})

    title = " ".join(task.summary.split()) or task.branch
    steps = (
        ChangeStep(
            CODE,
            f"Write down: {title}"[:72],
            {path: lambda _text: f"# {title}\n\nWritten by the demo agent.\n\n"},
        ),
        ChangeStep(TEST, "Read it once more", {path: add("- Read once more, and found correct.")}),
    )
    return ChangePlan(task.id, steps, fix)
