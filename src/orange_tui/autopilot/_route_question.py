"""The question to the router: the task as data, the agents and skills to choose from, and the shape of an answer."""

from __future__ import annotations

from orange_tui.domain.records import record
from orange_tui.domain.text.quoting import fenced, plain, truncate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.harnesses.harness import Harness
    from orange_tui.domain.task import Task
    from orange_tui.prompt_context.skills import Skill

FIRST_LINE = "Route this task."
_MAX_BODY_CHARACTERS = 8_000  # the summary and the beginning of TASK.md tell what it is about
_MAX_SKILLS_CHARACTERS = 12_000
_MAX_LABELS_CHARACTERS = 2_000
_ANSWER_SHAPE = """\
{
  "executor": "one of the agents above, by its name",
  "model": "a model of that agent, or null for its usual one",
  "decompose": false,
  "question": false,
  "reason": "one sentence: why this agent and model, or why it must be split",
  "profile": {"role": "who the agent is to be", "skills": [], "tools": [], "constraints": []},
  "selected_skills": ["names from the list of skills, or none"]
}"""


_QUESTION_HINT = (
    "question is true only where nothing is to be changed: then the agent reads the repository and answers, and cannot"
    " write. Any other task is done in a worktree of its own."
)


@record
class PersonsChoice:
    """The agent and model a person has chosen for a task; None where they have not. `fields`: the fields they set."""

    harness: str | None = None
    model: str | None = None
    fields: tuple[str, ...] = ()


@record
class RouteQuestion:
    """What the router is asked: the task, the workflow's instructions for the router, and what a person has chosen."""

    task: Task
    body: str
    instructions: str
    choice: PersonsChoice


def question_text(question: RouteQuestion, agents: list[Harness], skills: list[Skill]) -> str:
    """The question as one text."""
    parts = [
        FIRST_LINE,
        question.instructions.removeprefix(FIRST_LINE).strip(),
        f"The task, as data between the fences:\n{fenced(_task_text(question.task, question.body))}",
        f"The agents that are installed:\n{_agents_text(agents)}",
        f"The skills there are:\n{_skills_text(skills)}" if skills else "There are no skills to select.",
        _choice_text(question.choice),
        _QUESTION_HINT,
        f"Answer with one JSON object of this shape, and with nothing else:\n{_ANSWER_SHAPE}",
    ]
    return plain("\n\n".join(part for part in parts if part))


def _task_text(task: Task, body: str) -> str:
    labels, _ = truncate(", ".join(task.labels), _MAX_LABELS_CHARACTERS)
    shown, left_out = truncate(body.strip(), _MAX_BODY_CHARACTERS)
    rest = f"\n(and {left_out:,} characters more)" if left_out else ""
    subtask = "It is a subtask of another task: it is not to be split again.\n" if task.parent else ""
    return f"Summary: {task.summary}\nLabels: {labels or 'none'}\n{subtask}\n{shown}{rest}"


def _agents_text(agents: list[Harness]) -> str:
    lines = []
    for harness in agents:
        efforts = f"; efforts: {', '.join(harness.efforts)}" if harness.efforts else ""
        models = "takes a model by name" if harness.model else "takes no model"
        lines.append(f"- {harness.name}: {harness.title}; {models}{efforts}")
    return "\n".join(lines)


def _skills_text(skills: list[Skill]) -> str:
    shown, left_out = truncate(
        "\n".join(f"- {skill.name}: {skill.description}" for skill in skills), _MAX_SKILLS_CHARACTERS
    )
    return f"{shown}\n(and more that do not fit here)" if left_out else shown


def _choice_text(choice: PersonsChoice) -> str:
    sentences = [
        f"A person has chosen the agent {choice.harness} already." if choice.harness else "",
        f"A person has chosen the model {choice.model} already." if choice.model else "",
    ]
    return " ".join(sentence for sentence in sentences if sentence)
