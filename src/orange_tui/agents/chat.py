"""The orchestrator chat: one agent for each project, in the project's directory, that creates and watches tasks.

It has neither a task nor a worktree, and its session carries a mark of its own, so that it is never taken for the
orphaned session of a task and ended. It ends when its agent ends.
"""

from __future__ import annotations

import os

from orange_tui.agents import launch
from orange_tui.agents.agent_sessions import AgentStart, prompt_mark, record_chat_start
from orange_tui.agents.skill import skill_body
from orange_tui.domain.errors import Refused
from orange_tui.domain.harnesses.harness import build_command, environment, safe_prompt
from orange_tui.domain.prompts import render_prompt
from orange_tui.domain.records import record
from orange_tui.home import clock
from orange_tui.home.files import make_directory
from orange_tui.home.locks import locked
from orange_tui.home.paths import CHAT_VARIABLE
from orange_tui.outside.tmux.windows import Window

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.agents.harnesses import Harnesses
    from orange_tui.domain.harnesses.harness import Harness
    from orange_tui.home.paths import Home
    from orange_tui.home.projects import Project
    from orange_tui.outside.tmux.server import Tmux

WINDOW = "chat"

_ROLE = """\
You are the orchestrator of project {project}: a person talks to you here, and you get things done by other agents.
You are in the project's own directory. Read whatever you need, and change nothing in it: every change is made by a
task, in a worktree of its own. The `orange` command is on your PATH and knows its home.

{skill}
"""
_FIRST_PROMPT = (
    "Look at `orange task list` once, tell me in a sentence or two how things are, and ask what I would like done."
)


@record
class ProjectChats:
    """The orchestrator chats of a home, one for each project."""

    home: Home
    tmux: Tmux
    harnesses: Harnesses

    def open(self, project: Project, harness: str | None = None) -> str:
        """The tmux session of a project's chat, started where there is none; whoever comes next joins it."""
        directory = os.path.join(self.home.root, "chats", project.name)
        make_directory(directory)
        with locked(os.path.join(directory, ".lock"), what=f"the chat about {project.name}"):
            found = self.tmux.chat(self.home.root, project.name)
            if found is not None:
                return _join(found, project, harness)
            window = self._window(project, self._choose_harness(harness), directory)
            return self.tmux.start_session(f"orange/chat-{project.name}", window).session_id

    def _choose_harness(self, name: str | None) -> Harness:
        """The agent that was named, else the first that is installed."""
        chosen = name or self.harnesses.first_installed()
        if chosen is None:
            hints = self.harnesses.install_hints()
            raise Refused(f"No agent is installed to talk to. Install one, or try it with --harness demo.\n{hints}")
        return self.harnesses.get_installed(chosen)

    def _window(self, project: Project, agent: Harness, directory: str) -> Window:
        home = self.home.root
        # Its commands write all over the home, so that is the directory it is granted.
        values = launch.placeholder_values(home, home, project.path, project.path, agent)
        role = render_prompt(_ROLE, {"project": project.name, "skill": skill_body()})
        command_line = build_command(agent, "reduced", values, system=role, root=os.geteuid() == 0)
        prompt = safe_prompt(_FIRST_PROMPT if agent.system_prompt else f"{role}\n\n{_FIRST_PROMPT}")
        # The tmux server may have them from whoever started it, and a chat is no task's agent.
        unset = [word for name in launch.TASK_VARIABLES for word in ("-u", name)]
        variables = {**launch.base_environment(home), CHAT_VARIABLE: project.name, **environment(agent, values)}
        chosen, mark = launch.chosen_session(values, command_line), prompt_mark(prompt)
        start = AgentStart(WINDOW, 1, agent.name, project.path, clock.now(), session_id=chosen, prompt=mark)
        record_chat_start(self.home, project.name, start)
        spec = launch.LaunchSpec(("env", *unset, *command_line), prompt, project.path, directory, variables)
        made = launch.write_launcher(directory, WINDOW, spec)
        return Window(home, "", WINDOW, agent.name, project.path, made.command, made.log_command, chat=project.name)


def _join(found: tuple[str, str], project: Project, harness: str | None) -> str:
    session_id, agent = found
    if harness not in {None, agent}:
        raise Refused(
            f"A chat about {project.name} is open with {agent}: leave --harness out to join it,"
            f" or end it there before you start one with {harness}"
        )
    return session_id
