"""Routing: one question to a language model, which agent should do a task; whatever goes wrong, the fallback does it.

The question is one argument of one program, never text for a shell. The answer is checked in `domain.route`.
"""

from __future__ import annotations

import os

from orange_tui.agents.agent_sessions import ROUTER, prompt_mark
from orange_tui.agents.harnesses import DEMO
from orange_tui.agents.launch import TASK_VARIABLES, chosen_session, placeholder_values
from orange_tui.agents.sandbox.commands import confined
from orange_tui.autopilot._route_question import PersonsChoice, RouteQuestion, question_text
from orange_tui.domain.errors import OrangeError, Refused
from orange_tui.domain.harnesses.harness import PROMPT
from orange_tui.domain.records import record, replace
from orange_tui.domain.route import Route, apply_choices, read_answer, route_of
from orange_tui.domain.text.quoting import plain
from orange_tui.sessions.starts import StartDetails, as_values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.agents.harnesses import Harnesses
    from orange_tui.domain.task import Task
    from orange_tui.engine.hooks import HookRun
    from orange_tui.engine.parts import HomeParts

_MAX_OUTPUT_BYTES = 1_000_000
_MAX_REASON_CHARACTERS = 300
# The router only answers: it must not take itself for the agent of a task, nor for one that runs inside another.
_UNSET_VARIABLES = (*TASK_VARIABLES, "CLAUDECODE")


@record
class RouterSettings:
    """Which agent is asked, with which model and timeout, and which one does the task if that fails."""

    router: str | None
    model: str | None
    timeout: float  # seconds
    fallback: str | None
    problem: str | None = None  # why no router can be asked


@record
class RoutingResult:
    """The route, why the fallback was needed if it was, and faults in the answer that was used."""

    route: Route
    fallback: str | None = None
    faults: tuple[str, ...] = ()


def ask_for_route(run: HookRun, instructions: str, *, timeout: float | None = None) -> RoutingResult:
    """The route for a task: the router's, or else the fallback's, with a person's own choices in it."""
    choice = persons_choice(run.task, run.parts.harnesses)
    question = RouteQuestion(run.task, run.opened.body, instructions, choice)
    result = _ask_router(run, _router_settings(run.parts, timeout), question)
    obeyed = apply_choices(result.route, choice.harness, choice.model)
    return replace(result, route=replace(obeyed, by_person=choice.fields))


def persons_choice(task: Task, harnesses: Harnesses) -> PersonsChoice:
    """What a person has chosen: fields that no earlier route has set come first, labels second."""
    earlier = route_of(task) or Route(None)
    fields = {"harness": (task.harness, earlier.executor), "model": (task.model, earlier.model)}
    chosen = {
        name: value
        for name, (value, routed) in fields.items()
        if value is not None and (name in earlier.by_person or value != routed)
    }
    agents = (name for name in _labelled(task, "agent:") if name in harnesses.names())
    models = (name for name in _labelled(task, "model:") if _is_model(name))
    harness = chosen.get("harness") or next(agents, None)
    return PersonsChoice(harness, chosen.get("model") or next(models, None), tuple(chosen))


def _is_model(name: str) -> bool:
    from orange_tui.domain.harnesses.harness import check_model

    try:
        return bool(check_model(name))
    except Refused:
        return False


def _labelled(task: Task, prefix: str) -> list[str]:
    return [label[len(prefix) :].strip() for label in task.labels if label.lower().startswith(prefix)]


def _router_settings(parts: HomeParts, timeout: float | None) -> RouterSettings:
    from orange_tui.home.settings.config_file import read_settings

    first = parts.harnesses.first_installed()
    try:
        settings = read_settings(parts.home)
    except OrangeError as unreadable:
        return RouterSettings(None, None, 0, first, str(unreadable))
    fallback, router = settings.text("router_fallback"), settings.text("router")
    problem = _why_unusable(parts.harnesses, "router_fallback", fallback)
    if problem is not None:
        parts.log.write("warning", problem)
        fallback = ""
    return RouterSettings(
        router or fallback or first,
        settings.text("router_model") or None,
        timeout or max(1, settings.number("router_timeout")),
        fallback or first,
        _why_unusable(parts.harnesses, "router", router),
    )


def _why_unusable(harnesses: Harnesses, setting: str, name: str) -> str | None:
    """Why the agent that a setting names cannot be used; None when it can, or none is named."""
    if not name:
        return None
    try:
        installed = harnesses.installed(name)
    except OrangeError as problem:
        return f"`{setting}` in config.yml: {problem}"
    return None if installed else f"`{setting}` in config.yml names {name}, which is not installed"


def _ask_router(run: HookRun, settings: RouterSettings, question: RouteQuestion) -> RoutingResult:
    from orange_tui.prompt_context.skills import read_skills

    if settings.router is None or settings.problem is not None:
        return _fall_back(settings, settings.problem or "no agent is installed that could be asked")
    parts = run.parts
    executors = _executors(parts.harnesses, settings)
    skills = read_skills(parts.home, parts.log)
    try:
        text = question_text(question, [parts.harnesses.get(name) for name in executors], skills)
        output = _run_router(run, settings, text)
    except OrangeError as problem:
        return _fall_back(settings, f"{settings.router}: {problem}")
    names = [skill.name for skill in skills]
    answer = read_answer(output, parts.harnesses.names(), executors, names)
    if answer.route is None:
        return _fall_back(settings, "; ".join(answer.faults))
    return RoutingResult(answer.route, None, answer.faults)


def _fall_back(settings: RouterSettings, why: str) -> RoutingResult:
    reason = " ".join(plain(why).split())[:_MAX_REASON_CHARACTERS]
    return RoutingResult(Route(settings.fallback, reason=f"The fallback: {reason}"), reason)


def _executors(harnesses: Harnesses, settings: RouterSettings) -> list[str]:
    """The agents that may be chosen. The demo does no work, so it is one only where a setting names it."""
    installed = [name for name in harnesses.names() if harnesses.installed(name)]
    return [name for name in installed if name != DEMO or DEMO in {settings.router, settings.fallback}]


def _run_router(run: HookRun, settings: RouterSettings, question: str) -> str:
    """Run the router with the question; returns what it printed."""
    from orange_tui.outside.programs import run_capped

    parts, task, router = run.parts, run.task, str(settings.router)
    harnesses = parts.harnesses
    longest = harnesses.get(router).max_prompt
    if len(question.encode(errors="replace")) > longest:
        raise Refused(f"the question is longer than the {longest:,} bytes it takes")
    project = parts.projects.get(task.project)
    values = placeholder_values(
        parts.home.root, run.opened.directory, project.path, project.path, harnesses.get(router)
    )
    command_line = harnesses.command_line(router, "one_shot", values, model=settings.model)
    details = StartDetails(router, project.path, prompt_mark(question), chosen_session(values, command_line))
    run.opened.record("router.asked", window=ROUTER, **as_values(details))
    words = [question if word == PROMPT else word for word in command_line]
    finished = run_capped(
        confined(parts.home, task, project.path, words, harnesses.get(router)),
        directory=project.path,
        environment=_environment() | harnesses.environment(router, values),
        timeout=settings.timeout,
        most=_MAX_OUTPUT_BYTES,
    )
    if finished.code != 0:
        message = " ".join(plain(finished.message).split())[-_MAX_REASON_CHARACTERS:]
        raise Refused(f"it ended with {finished.code}{f': {message}' if message else ''}")
    return finished.output


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in _UNSET_VARIABLES}
