"""Messages that wait for agents: delivered when they can be, kept for an agent to come, or dropped where none will."""

from __future__ import annotations

from orange_tui.agents import messages
from orange_tui.domain.records import record
from orange_tui.domain.task import one_line
from orange_tui.sessions.liveness import find_window, find_worker, is_worker, required_window
from orange_tui.usage.budget import why_not

TYPE_CHECKING = False
if TYPE_CHECKING:
    from orange_tui.agents.messages import QueuedMessage
    from orange_tui.engine.tasks import Tasks
    from orange_tui.outside.tmux.server import Pane
    from orange_tui.store.open_task import OpenTask
    from orange_tui.store.store import TaskRef


@record
class Outbox:
    """Delivers what is in the journals."""

    tasks: Tasks

    def deliver(self, ref: TaskRef) -> bool:
        """Deliver a task's messages; False where a live agent cannot take one yet, so that it is to be tried again."""
        if not messages.undelivered(self.tasks.engine.store.journal(ref)):
            return True
        waiting: set[str] = set()  # windows that cannot take one: what comes later for them waits too
        is_held = False
        with self.tasks.engine.open(ref, wait=False) as opened:
            at_limit = opened.journal.at_limit()
            for message in messages.undelivered(opened.journal):
                pane = self._recipient(ref, message)
                if pane is None:
                    self._drop_unless_awaited(opened, message)
                elif pane.window in at_limit:
                    continue  # it gets them when it goes on
                elif message.by == messages.ENGINE and why_not(self.tasks.projects, opened.task) is not None:
                    is_held = True  # until the budget is larger; a person's own words are not
                elif pane.window in waiting or not self._paste(opened, message, pane):
                    waiting.add(pane.window)
        return not waiting and not is_held

    def _recipient(self, ref: TaskRef, message: QueuedMessage) -> Pane | None:
        """The agent of that window; a person's words to a worker are for whichever works on the task now."""
        windows = self.tasks.sessions.windows(ref.id, fresh=True)
        same = find_window(windows, message.window)
        if same is None and message.outlives_window() and is_worker(message.window):
            return find_worker(windows)
        return same

    def _paste(self, opened: OpenTask, message: QueuedMessage, pane: Pane) -> bool:
        parts = self.tasks.engine.parts
        harness = messages.harness_of_window(parts.harnesses, opened.journal, pane.window)
        return messages.deliver(opened, message, pane, parts.tmux, harness)

    def _drop_unless_awaited(self, opened: OpenTask, message: QueuedMessage) -> None:
        """A person's words wait for the next agent of that window if there can be one; the rest is dropped and told."""
        task, window = opened.task, message.window
        is_awaited = is_worker(window) or window == required_window(task, self.tasks.engine.state_of(task))
        if message.outlives_window() and is_awaited:
            return
        messages.drop(opened, message, f"{message.window} has ended")
        if message.by == messages.PERSON:
            sentence = f"Your message was not delivered, {message.window} has ended: {one_line(message.text)}"
            opened.set_attention(task.attention_and(sentence))
