"""Routing: one question to a language model, who should do a task and how; whatever goes wrong, the fallback does it.

The question is one argument of one program, never text for a shell. The answer is looked at in `domain.route`.
"""

from __future__ import annotations

import os

from orange_tui.agents.harnesses import DEMO
from orange_tui.autopilot.route_question import Choice, Question, question_text
from orange_tui.domain.errors import OrangeError, Refused
from orange_tui.domain.harnesses.harness import PROMPT
from orange_tui.domain.records import record, replace
from orange_tui.domain.route import Route, obeying, read_answer, route_of
from orange_tui.domain.text.quoting import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.agents.harnesses import Harnesses
    from orange_tui.domain.task import Task
    from orange_tui.engine.services import Services

_MOST_OUTPUT = 1_000_000  # bytes
_MOST_SAID = 300
# The router is asked, it does not work: it must not take itself for the agent of a task, nor for one that runs us.
_NOT_FOR_THE_ROUTER = ("ORANGE_TASK", "ORANGE_TASK_FILE", "ORANGE_WINDOW", "CLAUDECODE")


@record
class Plan:
    """Who is asked, with which model, how long they may think, and who does the task if that fails."""

    router: str | None
    model: str | None
    timeout: float
    fallback: str | None
    problem: str | None = None  # why nobody can be asked


@record
class Routed:
    """What came of it: the route, why the fallback was needed, and faults in the answer that was used."""

    route: Route
    fallback: str | None = None
    faults: tuple[str, ...] = ()


def ask_for_route(
    services: Services,
    task: Task,
    body: str,
    template: str,
    *,
    timeout: float | None = None,
) -> Routed:
    """The route for a task: the router's, or else the fallback's, with a person's own choices in it."""
    choice = persons_choice(task, services.harnesses)
    routed = _by_router(services, _plan(services, timeout), Question(task, body, template, choice))
    obeyed = obeying(routed.route, choice.harness, choice.model)
    return replace(routed, route=replace(obeyed, by_person=choice.fields))


def persons_choice(task: Task, harnesses: Harnesses) -> Choice:
    """What a person has chosen: fields that no earlier route has set come first, labels second."""
    earlier = route_of(task) or Route(None)
    present = {"harness": (task.harness, earlier.executor), "model": (task.model, earlier.model)}
    theirs = {
        name: value
        for name, (value, ours) in present.items()
        if value is not None and (name in earlier.by_person or value != ours)
    }
    agents = (name for name in _labelled(task, "agent:") if name in harnesses.names())
    models = (name for name in _labelled(task, "model:") if _is_model(name))
    harness = theirs.get("harness") or next(agents, None)
    return Choice(harness, theirs.get("model") or next(models, None), tuple(theirs))


def _is_model(name: str) -> bool:
    from orange_tui.domain.harnesses.harness import check_model

    try:
        return bool(check_model(name))
    except Refused:
        return False


def _labelled(task: Task, prefix: str) -> list[str]:
    return [label[len(prefix) :].strip() for label in task.labels if label.lower().startswith(prefix)]


def _plan(services: Services, timeout: float | None) -> Plan:
    from orange_tui.home.settings import read_settings

    first = services.harnesses.first_installed()
    try:
        settings = read_settings(services.home)
    except OrangeError as unreadable:
        return Plan(None, None, 0, first, str(unreadable))
    fallback, router = settings.text("router_fallback"), settings.text("router")
    lacking = _unusable(services.harnesses, "router_fallback", fallback)
    if lacking is not None:
        services.log.write("warning", lacking)
        fallback = ""
    return Plan(
        router or fallback or first,
        settings.text("router_model") or None,
        timeout or max(1, settings.number("router_timeout")),
        fallback or first,
        _unusable(services.harnesses, "router", router),
    )


def _unusable(harnesses: Harnesses, setting: str, name: str) -> str | None:
    """Why the agent that a setting names cannot be had; None when it can, or none is named."""
    if not name:
        return None
    try:
        installed = harnesses.installed(name)
    except OrangeError as problem:
        return f"`{setting}` in config.yml: {problem}"
    return None if installed else f"`{setting}` in config.yml names {name}, which is not installed"


def _by_router(services: Services, plan: Plan, question: Question) -> Routed:
    from orange_tui.context.skills import read_skills

    if plan.router is None or plan.problem is not None:
        return _fallen_back(plan, plan.problem or "no agent is installed that could be asked")
    executors = _executors(services.harnesses, plan)
    skills = read_skills(services.home, services.log)
    try:
        text = question_text(question, [services.harnesses.get(name) for name in executors], skills)
        output = _printed(services, plan, question.task, text)
    except OrangeError as problem:
        return _fallen_back(plan, f"{plan.router}: {problem}")
    names = [skill.name for skill in skills]
    answer = read_answer(output, services.harnesses.names(), executors, names)
    if answer.route is None:
        return _fallen_back(plan, "; ".join(answer.faults))
    return Routed(answer.route, None, answer.faults)


def _fallen_back(plan: Plan, why: str) -> Routed:
    sentence = " ".join(plain(why).split())[:_MOST_SAID]
    return Routed(Route(plan.fallback, reason=f"The fallback: {sentence}"), sentence)


def _executors(harnesses: Harnesses, plan: Plan) -> list[str]:
    """Who may be chosen. The demo does no work, so only where somebody has set it."""
    installed = [name for name in harnesses.names() if harnesses.installed(name)]
    return [name for name in installed if name != DEMO or DEMO in {plan.router, plan.fallback}]


def _printed(services: Services, plan: Plan, task: Task, question: str) -> str:
    """What the router answers to the question."""
    from orange_tui.outside.programs import run_capped

    harnesses, router = services.harnesses, str(plan.router)
    longest = harnesses.get(router).max_prompt
    if len(question.encode(errors="replace")) > longest:
        raise Refused(f"the question is longer than the {longest:,} bytes it takes")
    project = services.projects.get(task.project)
    values = _values(services, task, project.path)
    words = harnesses.command_line(router, "one_shot", values, model=plan.model)
    finished = run_capped(
        [question if word == PROMPT else word for word in words],
        directory=project.path,
        environment=_environment() | harnesses.environment(router, values),
        timeout=plan.timeout,
        most=_MOST_OUTPUT,
    )
    if finished.code != 0:
        said = " ".join(plain(finished.message).split())[-_MOST_SAID:]
        raise Refused(f"it ended with {finished.code}{f': {said}' if said else ''}")
    return finished.output


def _values(services: Services, task: Task, path: str) -> dict[str, str]:
    git = os.path.join(path, ".git")
    directory = services.store.directory(services.store.ref_of(task))
    known = {"task_dir": directory, "worktree": path, "repository": path}
    return {**known, "repository_git": git, "worktree_git": git}


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in _NOT_FOR_THE_ROUTER}
