"""pi, as of 0.73.1."""

from __future__ import annotations

from orange_tui.domain.harnesses.harness import Harness, SandboxNeeds, ScreenPatterns

# pi has no permissions and no `--`: it does what it is told. A prompt must begin with a word (see `guarded`).
# -e: an extension of ours tells what it does, and which conversation it has.
# --session takes the beginning of an id. --tools lists all that it has, those of extensions included: what reads.
_PI = ("{binary}", "-e", "{extensions}/pi.js", "{options}")

# Its last word above the input line: nothing but that tells an error that is over from one that is not.
_PI_LAST = r".*(?:\n(?!.*(?:Working\.\.\.|Retrying \()).*){0,4}\n─{9,}"

_PI_HOME = "${PI_CODING_AGENT_DIR:-~/.pi/agent}"

PI = Harness(
    name="pi",
    binary="pi",
    title="pi",
    install="Install it with `npm install -g @mariozechner/pi-coding-agent`, then run `pi` once and log in (/login).",
    full=(*_PI, "{prompt}"),
    reduced=(*_PI, "{prompt}"),
    resume=(*_PI, "--session", "{session_id}", "{prompt}"),
    one_shot=("{binary}", "{options}", "--tools", "read,grep,find,ls", "-p", "{prompt}"),
    one_shot_work=("{binary}", "{options}", "-p", "{prompt}"),
    model=("--model", "{model}"),
    effort=("--thinking", "{effort}"),
    efforts=("off", "minimal", "low", "medium", "high", "xhigh"),
    skills=f"{_PI_HOME}/skills",
    sessions=f"{_PI_HOME}/sessions",
    session_format="pi",
    events={"session_start": "idle", "before_agent_start": "busy", "agent_end:error": "error", "agent_end": "idle"},
    screen=ScreenPatterns(
        busy=(r"Working\.\.\.",),
        idle=(r"\d%/\S+ \(auto\)",),  # the footer: how full its memory is
        error=(r"Retrying \(\d+/\d+\)", rf"(?m)^ Error: {_PI_LAST}"),
        limit=(rf"(?m)^ Error: (?:.*hit your ChatGPT usage limit|(?:Retry failed .*?: )?429 ){_PI_LAST}",),
    ),
    sandbox=SandboxNeeds(
        copied=(_PI_HOME,),
        write=(f"{_PI_HOME}/sessions/", f"{_PI_HOME}/auth.json"),
        read=tuple(
            f"{_PI_HOME}/{name}"
            for name in ("bin", "extensions", "git", "node_modules", "npm", "prompts", "skills", "themes", "tools")
        ),
    ),
)
