"""A route: which agent does a task, in which role, with which skills, and whether it is to be split first.

It comes from a language model, so nothing in it is trusted: names must be known, texts are cut to one short line, and
each mistake becomes a sentence. The rest of an answer is used without its faulty part.
"""

from __future__ import annotations

from orange_tui.domain.errors import Refused
from orange_tui.domain.records import record, replace
from orange_tui.domain.task import printable
from orange_tui.domain.text.json_answers import find_answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from orange_tui.domain.task import Task

IN_WORKTREE, WITHOUT_WORKTREE, TO_DECOMPOSE = 1, 2, 3
WORKTREE_FIELD = "worktree"  # of a task: whether a person wants it done in one
_MAX_ANSWER_CHARACTERS = 32_000  # at the end of what was printed; an answer is a fraction of that
_MAX_REASON_CHARACTERS = 500
_MAX_TEXT_CHARACTERS = 200
_MAX_TEXTS = 20
_NO_MODEL = ("", "default", "none", "null")


@record
class Profile:
    """The role, skills and limits of the agent for this task."""

    role: str = ""
    skills: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()


@record
class Route:
    """Who does a task, and how. `by_person` names the fields that a person has set, which no router changes.

    A `question` is answered without changing a file.
    """

    executor: str | None
    model: str | None = None
    decompose: bool = False
    question: bool = False
    reason: str = ""
    profile: Profile = Profile()
    selected_skills: tuple[str, ...] = ()
    by_person: tuple[str, ...] = ()

    def as_json(self) -> dict[str, object]:
        """The route as it is written to the frontmatter and the history."""
        lists = {name: list(getattr(self.profile, name)) for name in ("skills", "tools", "constraints")}
        return {
            "executor": self.executor,
            "model": self.model,
            "decompose": self.decompose,
            "question": self.question,
            "reason": self.reason,
            "profile": {"role": self.profile.role, **lists},
            "selected_skills": list(self.selected_skills),
            **({"by_person": list(self.by_person)} if self.by_person else {}),
        }

    def lane(self, *, worktree: bool | None) -> int:
        """How the task is worked on, as a number that a workflow's `when` can compare.

        `worktree` is what a person has said of it; else it has one, unless the router calls it a question.
        """
        if self.decompose:
            return TO_DECOMPOSE
        has_worktree = not self.question if worktree is None else worktree
        return IN_WORKTREE if has_worktree else WITHOUT_WORKTREE


@record
class RouterAnswer:
    """A router's answer: no route when it names no usable agent; each mistake in it as a sentence."""

    route: Route | None
    faults: tuple[str, ...] = ()


def read_answer(text: str, known: Collection[str], installed: Collection[str], skills: Collection[str]) -> RouterAnswer:
    """Find the route in what a router has printed; never raises."""
    found = find_answer(text[-_MAX_ANSWER_CHARACTERS:], "executor")
    if found is None:
        return RouterAnswer(None, ("the router's answer has no JSON object in it",))
    fault = _executor_fault(found.get("executor"), known, installed)
    if fault is not None:
        return RouterAnswer(None, (fault,))
    model, model_fault = _model(found.get("model"))
    faults = [model_fault] if model_fault else []
    flags = {name: found.get(name, False) for name in ("decompose", "question")}
    faults += [f"{name} must be true or false; it counts as false" for name in flags if type(flags[name]) is not bool]
    chosen = _texts(found.get("selected_skills"))
    unknown = [name for name in chosen if name not in skills]
    if unknown:
        faults.append(f"there is no skill {', '.join(unknown)}")
    return RouterAnswer(
        Route(
            executor=str(found["executor"]),
            model=model,
            decompose=flags["decompose"] is True,
            question=flags["question"] is True,
            reason=_text(found.get("reason"), _MAX_REASON_CHARACTERS),
            profile=_profile(found.get("profile")),
            selected_skills=tuple(name for name in chosen if name in skills),
        ),
        tuple(faults),
    )


def route_of(task: Task) -> Route | None:
    """The route in a task's frontmatter; None when it has none."""
    found = task.extra.get("route")
    return _route_from(found) if isinstance(found, dict) else None


def route_in(event: Mapping[str, object]) -> Route | None:
    """The route in an event of the history."""
    found = event.get("route")
    return _route_from(found) if isinstance(found, dict) else None


def _route_from(found: Mapping[str, object]) -> Route:
    """A route that Orange wrote; people may have edited it since."""
    return Route(
        executor=_text(found.get("executor"), _MAX_TEXT_CHARACTERS) or None,
        model=_model(found.get("model"))[0],
        decompose=found.get("decompose") is True,
        question=found.get("question") is True,
        reason=_text(found.get("reason"), _MAX_REASON_CHARACTERS),
        profile=_profile(found.get("profile")),
        selected_skills=_texts(found.get("selected_skills")),
        by_person=_texts(found.get("by_person")),
    )


def profile_text(task: Task) -> str:
    """The role, skills and limits as a few lines for the prompt; empty without a route."""
    route = route_of(task)
    if route is None:
        return ""
    profile = route.profile
    lines = [
        f"Your role: {profile.role}" if profile.role else "",
        f"What you are good at: {', '.join(profile.skills)}" if profile.skills else "",
        f"Tools to prefer: {', '.join(profile.tools)}" if profile.tools else "",
        *(f"Keep to this: {each}" for each in profile.constraints),
    ]
    return "\n".join(line for line in lines if line)


def apply_choices(route: Route, harness: str | None, model: str | None) -> Route:
    """The route with a person's own choices applied. A model that was chosen for another agent is dropped."""
    if harness is not None and harness != route.executor:
        route = replace(route, executor=harness, model=None)
    return replace(route, model=model) if model is not None else route


def _executor_fault(executor: object, known: Collection[str], installed: Collection[str]) -> str | None:
    if not isinstance(executor, str) or not executor:
        return "the router names no executor"
    shown = _text(executor, _MAX_TEXT_CHARACTERS)
    if executor not in known:
        return f"the router names an agent that does not exist: '{shown}'"
    return None if executor in installed else f"the router names {shown}, which is not installed"


def _model(value: object) -> tuple[str | None, str | None]:
    """A model's name, and what is wrong with it."""
    from orange_tui.domain.harnesses.harness import check_model

    if value is None or (isinstance(value, str) and value.lower() in _NO_MODEL):
        return None, None
    if not isinstance(value, str):
        return None, "model must be text; the agent's default model is used"
    try:
        return check_model(value), None
    except Refused as refusal:
        return None, str(refusal)


def _profile(value: object) -> Profile:
    if not isinstance(value, dict):
        return Profile()
    texts = {name: _texts(value.get(name)) for name in ("skills", "tools", "constraints")}
    return Profile(_text(value.get("role"), _MAX_TEXT_CHARACTERS), **texts)


def _texts(value: object) -> tuple[str, ...]:
    items = value if isinstance(value, list) else []
    texts = (_text(item, _MAX_TEXT_CHARACTERS) for item in items[:_MAX_TEXTS])
    return tuple(dict.fromkeys(text for text in texts if text))


def _text(value: object, longest: int) -> str:
    """One printable line: nothing in it can control a terminal."""
    line = " ".join(value[: 4 * longest].split()) if isinstance(value, str) else ""
    line = printable(line)
    return line if len(line) <= longest else f"{line[: longest - 1]}…"
