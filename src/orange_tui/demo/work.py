"""What the demo agent does to a repository: small, believable changes, each its own commit.

Every commit carries a trailer that says which step it was. A later session reads them from the log, so it goes on
where the last one stopped and does nothing twice.
"""

from __future__ import annotations

import os
import re

from orange_tui.demo import resolving
from orange_tui.domain.records import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from orange_tui.demo.desk import Desk
    from orange_tui.demo.variants import Behaviour
    from orange_tui.domain.task import Task

    Edit = Callable[[str], str]

CODE, TEST = "code", "test"
_STEP = re.compile(r"^Demo-Step: (\S+)$", re.MULTILINE)
_NAME = re.compile(r"^Demo-Name: (\S+)$", re.MULTILINE)
_SPECIAL = re.compile(r"^Today's special: .*$", re.MULTILINE)
_GUARD = '    if cups < 1:\n        raise ValueError("one cup at least, please")\n'
_MODULE = '''\
"""{summary}"""


def {name}(cups: int) -> str:
    """What the barista calls out."""
{guard}    return f"{{cups}} x {words}"
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
class Step:
    """One commit: its key in the trailer, its subject, and what becomes of each file's text.

    One that `merges` a branch makes its edits only where there is nothing to merge.
    """

    key: str
    subject: str
    edits: Mapping[str, Edit]
    merges: str | None = None


@record
class Work:
    """The change a task makes. `name` is what its files are called."""

    name: str
    steps: tuple[Step, ...]
    mend: Callable[[str, str], Step]  # a further step, by key and subject


def done_steps(desk: Desk) -> set[str]:
    """The steps that are committed."""
    return set(_STEP.findall(desk.commits()))


def carry_out(desk: Desk, step: Step, name: str) -> str:
    """Edit the files, or merge, and commit that; returns the short name of the commit."""
    message = f"{step.subject}\n\nDemo-Step: {step.key}\nDemo-Name: {name}"
    merged = resolving.merge(desk, step.merges, message) if step.merges is not None else None
    if merged is not None:
        return merged
    edit_files(desk, step)
    return desk.commit(message, *step.edits)


def edit_files(desk: Desk, step: Step) -> None:
    """Only the edits, uncommitted."""
    for path, edit in step.edits.items():
        full = os.path.join(desk.directory, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        before = _text(full)
        with open(full, "w", encoding="utf-8") as file:
            file.write(edit(before))


def _text(path: str) -> str:
    if not os.path.isfile(path):
        return ""
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def plan_work(desk: Desk, task: Task, behaviour: Behaviour) -> Work:
    """What to do in this repository for this task."""
    named = _NAME.findall(desk.commits())
    is_coffee = os.path.isfile(os.path.join(desk.directory, "coffee", "__init__.py"))
    if behaviour.has("same-line"):
        return _special(task, "README.md" if is_coffee else "demo/special.md")
    if is_coffee:
        return _coffee(desk, task, named[-1] if named else None, is_careless=behaviour.has("careless"))
    return _page(task)


def slug(text: str, joint: str = "-") -> str:
    """Words fit for a file or a branch."""
    return joint.join(re.findall(r"[a-z0-9]+", text.lower()))[:40].strip(joint)


def _coffee(desk: Desk, task: Task, name: str | None, *, is_careless: bool) -> Work:
    name = name or _module_name(desk, task)
    words = name.replace("_", " ").strip()
    module, test = f"coffee/{name}.py", f"tests/test_{name}.py"
    summary = re.sub(r'["\\]', "", task.summary).strip() or words.capitalize()
    full = _MODULE.format(summary=summary, name=name, words=words, guard=_GUARD)
    first = _MODULE.format(summary=summary, name=name, words=words, guard="") if is_careless else full
    guard_test = _GUARD_TEST.format(name=name)
    first_test = _TEST.format(name=name, words=words) + ("" if is_careless else guard_test)

    def mend(key: str, subject: str) -> Step:
        def better_test(text: str) -> str:
            if guard_test not in text:
                return text + guard_test
            more = {"key": slug(key, "_"), "words": words, "name": name, "number": text.count("def ") + 1}
            return text + _MORE_TEST.format(**more)

        return Step(key, subject, {module: lambda _text: full, test: better_test})

    steps = (
        Step(CODE, f"Take orders for {words}", {module: lambda _text: first}),
        Step(TEST, f"Test orders for {words}", {test: lambda _text: first_test}),
    )
    return Work(name, steps, mend)


def _module_name(desk: Desk, task: Task) -> str:
    name = slug(task.branch, "_") or task.id
    name = name if name[0].isalpha() else f"cup_{name}"
    is_taken = desk.git("cat-file", "-e", f"{desk.base()}:coffee/{name}.py").code == 0
    return f"{name}_{task.id}" if is_taken else name


def _special(task: Task, path: str) -> Work:
    """Every task of this kind changes the same line, so the second one to be merged conflicts."""

    def change(line: str) -> Edit:
        return lambda text: _SPECIAL.sub(line, text) if _SPECIAL.search(text) else f"{text}{line}\n"

    def mend(key: str, subject: str) -> Step:
        return Step(key, subject, {path: change(f"Today's special: {task.branch} ({key})")})

    first = Step(CODE, f"Make {task.branch} today's special", {path: change(f"Today's special: {task.branch}")})
    return Work(slug(task.branch), (first,), mend)


def _page(task: Task) -> Work:
    """In a repository we do not know: one page of text, out of everybody's way."""
    path = f"demo/{task.id}.md"

    def add(line: str) -> Edit:
        return lambda text: f"{text}{line}\n"

    def mend(key: str, subject: str) -> Step:
        return Step(key, subject, {path: add(f"- {subject}")})

    title = " ".join(task.summary.split()) or task.branch
    steps = (
        Step(CODE, f"Write down: {title}"[:72], {path: lambda _text: f"# {title}\n\nWritten by the demo agent.\n\n"}),
        Step(TEST, "Read it once more", {path: add("- Read once more, and found correct.")}),
    )
    return Work(task.id, steps, mend)
