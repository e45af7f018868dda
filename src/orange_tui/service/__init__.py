"""`orange serve` as a service of the system: it runs without a login, and again after a failure.

systemd's user manager on Linux, launchd on macOS. The file that tells the system of it is made from data and carries
its own checksum, so one that a person has edited is known, and left alone. Agents live in tmux, which a service may
have started: the end of the service is not theirs. Begin with `service.py`.
"""
