"""Talking to an orchestrator: one agent for each project, in the project's directory, that makes and watches tasks.

It has neither a task nor a worktree, and its session is known by a mark of its own: nobody takes it for a task's
whose agent has gone, and nobody tidies it up. It ends when the agent ends.
"""

from __future__ import annotations

import os
import sys

from orange_tui.agents import launch
from orange_tui.agents.skill import instructions
from orange_tui.domain.errors import Refused
from orange_tui.domain.harnesses.harness import build, environment, guarded
from orange_tui.domain.prompts import render_prompt
from orange_tui.home.files import locked
from orange_tui.outside.tmux import Window

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.domain.harnesses.harness import Harness
    from orange_tui.home.projects import Project
    from orange_tui.orange import Orange

WINDOW = "chat"
_TASKS_OWN = ("ORANGE_TASK", "ORANGE_TASK_FILE", "ORANGE_WINDOW")  # a tmux server may have them from whoever began it

_WHO = """\
You are the orchestrator of project {project}: a person talks to you here, and you get things done by other agents.
You are in the project's own directory. Read whatever you need, and change nothing in it: every change is made by a
task, in a worktree of its own. The `orange` command is on your PATH and knows its home.

{skill}
"""
_BEGIN = "Look at `orange task list` once, tell me in a sentence or two how things are, and ask what I would like done."


def open_chat(orange: Orange, project: Project, harness: str | None = None) -> str:
    """The session of the conversation about a project, begun where there is none; whoever comes next joins it."""
    directory = os.path.join(orange.home.root, "chats", project.name)
    os.makedirs(directory, exist_ok=True)
    with locked(os.path.join(directory, ".lock"), what=f"the conversation about {project.name}"):
        found = orange.services.tmux.chat(orange.home.root, project.name)
        if found is not None:
            return _joined(found, project, harness)
        agent = _agent(orange, harness)
        window = _window(orange, project, agent, directory)
        return orange.services.tmux.start_session(f"orange/chat-{project.name}", window).session_id


def _joined(found: tuple[str, str], project: Project, harness: str | None) -> str:
    session_id, agent = found
    if harness not in {None, agent}:
        raise Refused(
            f"A conversation about {project.name} is open with {agent}: leave --harness out to join it,"
            f" or end it there before one begins with {harness}"
        )
    return session_id


def _agent(orange: Orange, name: str | None) -> Harness:
    """The agent that was named, else the first that is installed."""
    harnesses = orange.services.harnesses
    chosen = name or harnesses.first_installed()
    if chosen is None:
        everyone = [harnesses.get(each) for each in harnesses.names()]
        ways = "\n".join(f"{each.title}: {each.install}" for each in everyone if each.skills)
        raise Refused(f"No agent is installed to talk to. Install one, or see how it goes with --harness demo.\n{ways}")
    agent = harnesses.get(chosen)
    if harnesses.installed(agent.name) is None:
        raise Refused(f"{agent.name} is not installed. {agent.install}")
    return agent


def _window(orange: Orange, project: Project, agent: Harness, directory: str) -> Window:
    home = orange.home.root
    values = _values(orange, project)
    who = render_prompt(_WHO, {"project": project.name, "skill": instructions()})
    words = build(agent, "reduced", values, system=who, root=os.geteuid() == 0)
    prompt = guarded(_BEGIN if agent.system_prompt else f"{who}\n\n{_BEGIN}")
    without = [word for name in _TASKS_OWN for word in ("-u", name)]
    surroundings = {**launch.surroundings(home), launch.CHAT: project.name, **environment(agent, values)}
    start = launch.Start(("env", *without, *words), prompt, project.path, surroundings)
    made = launch.prepare(directory, WINDOW, start)
    return Window(home, "", WINDOW, agent.name, project.path, made.command, made.log, chat=project.name)


def _values(orange: Orange, project: Project) -> dict[str, str]:
    """What a command line may refer to. Its commands write all over the home, so that is the directory it may use."""
    git = os.path.join(project.path, ".git")
    return {
        "task_dir": orange.home.root,
        "worktree": project.path,
        "repository": project.path,
        "repository_git": git,
        "worktree_git": git,
        "python": sys.executable,
        "orange": os.path.join(launch.command_directory(orange.home.root), "orange"),
    }
