"""The loop that acts for one home: deaths of agents, signals in files, starts of tasks that wait, recovery; and doctor.

It promises that one supervisor acts per home, that each task's trouble stops no other, and that whatever it does about
a task it does under that task's lock, as the task is then.

Begin with `supervisor.py`, the loop; `examiner.py` says what it does about a task, `exits/` what an agent's death leads
to, `starter.py` what is started and when, `idle.py` what about an agent that has stopped, `cleanup.py` what crashes
have left behind.
"""
