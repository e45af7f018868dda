"""What a sandbox hides, and why: one entry a secret, a socket, a variable. A new one is one entry here."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

OFF, REVIEWERS, ALL = MODES = ("off", "reviewers", "all")

# In the person's home: not there at all, whether it exists when the agent starts or is made later.
HOME_SECRETS: Mapping[str, str] = {
    ".ssh": "keys to other machines and to git hosts",
    ".gnupg": "private keys, and the socket of gpg-agent",
    ".password-store": "passwords",
    ".aws": "cloud credentials",
    ".azure": "cloud credentials",
    ".config/gcloud": "cloud credentials",
    ".config/doctl": "cloud credentials",
    ".config/hcloud": "cloud credentials",
    ".oci": "cloud credentials",
    ".kube": "credentials of clusters",
    ".terraform.d": "credentials of Terraform",
    ".vault-token": "a token of Vault",
    ".docker": "registry logins, and the socket of Docker",
    ".colima": "a socket of Docker: whoever reaches it is root",
    ".lima": "sockets of virtual machines",
    ".orbstack": "a socket of Docker",
    ".config/containers": "registry logins",
    ".local/share/containers": "what containers of the person hold",
    ".config/gh": "the login of gh: it can merge, delete and publish",
    ".config/glab-cli": "the login of glab",
    ".config/hub": "a login of GitHub",
    ".netrc": "passwords for hosts",
    ".git-credentials": "passwords for git hosts",
    ".config/git/credentials": "passwords for git hosts",
    ".npmrc": "tokens that publish packages",
    ".yarnrc.yml": "tokens that publish packages",
    ".pypirc": "passwords that publish packages",
    ".gem": "keys that publish packages",
    ".cargo/credentials": "tokens that publish packages",
    ".cargo/credentials.toml": "tokens that publish packages",
    ".m2/settings.xml": "passwords of Maven servers",
    ".m2/settings-security.xml": "passwords of Maven servers",
    ".gradle/gradle.properties": "passwords of Gradle servers",
    ".config/pip": "addresses with passwords in them",
    ".pip": "addresses with passwords in them",
    ".cache/huggingface/token": "a login of Hugging Face",
    ".pgpass": "database passwords",
    ".my.cnf": "database passwords",
    ".mylogin.cnf": "database passwords",
    ".config/rclone": "logins of file stores",
    ".config/op": "the login of 1Password",
    ".1password": "the agent of 1Password",
    ".config/Bitwarden": "passwords",
    ".config/keepassxc": "passwords",
    ".local/share/keyrings": "the keyring of the desktop",
    ".local/share/kwalletd": "the keyring of the desktop",
    ".mozilla": "a browser's logins and history",
    ".thunderbird": "mail and its passwords",
    ".config/google-chrome": "a browser's logins and history",
    ".config/chromium": "a browser's logins and history",
    ".config/BraveSoftware": "a browser's logins and history",
    ".config/microsoft-edge": "a browser's logins and history",
    ".config/vivaldi": "a browser's logins and history",
    "snap/firefox": "a browser's logins and history",
    "snap/chromium": "a browser's logins and history",
    ".var/app": "what Flatpak programs keep: browsers, mail, chats",
    ".config/Code": "logins and sockets of an editor",
    ".config/Cursor": "logins and sockets of an editor",
    ".config/Signal": "messages",
    ".config/Slack": "messages and logins",
    ".local/share/TelegramDesktop": "messages",
    ".bash_history": "passwords that were typed",
    ".zsh_history": "passwords that were typed",
    ".histfile": "passwords that were typed",
    ".local/share/fish/fish_history": "passwords that were typed",
    ".python_history": "passwords that were typed",
    ".node_repl_history": "passwords that were typed",
    ".psql_history": "passwords that were typed",
    ".mysql_history": "passwords that were typed",
    ".sqlite_history": "passwords that were typed",
    ".lesshst": "what was looked for",
    ".viminfo": "pieces of files that were edited",
    ".local/state/nvim": "pieces of files that were edited",
    ".Xauthority": "the key to the screen and the keyboard",
    ".ICEauthority": "the key to the desktop's session",
    ".config/systemd": "what the desktop starts by itself",
    ".config/autostart": "what the desktop starts by itself",
    ".config/tmux": "settings that tmux runs",
    ".tmux.conf": "settings that tmux runs",
}

# Elsewhere: an ordinary user can read none of it, but Orange may run as root.
SYSTEM_SECRETS: Mapping[str, str] = {
    "/etc/shadow": "the passwords of this machine",
    "/etc/gshadow": "the passwords of this machine",
    "/etc/sudoers": "who may become root",
    "/etc/sudoers.d": "who may become root",
    "/etc/ssl/private": "keys of this machine",
    "/etc/ssh": "keys of this machine",
    "/var/lib/docker": "what containers hold",
    "/var/spool": "mail and jobs",
    "/boot": "nothing that an agent needs",
}

# Empty, and the agent's own for as long as it runs: sockets of tmux, X11, D-Bus, Wayland, ssh-agent, Docker are here.
PRIVATE_DIRECTORIES = ("/tmp", "/var/tmp", "/run")  # noqa: S108 - they are replaced, not used

# Sockets in there that are never opened, whatever a project asks for: whoever reaches them acts as the person.
NEVER_OPENED = ("/run/user", "/run/dbus", "/run/docker.sock", "/run/containerd", "/run/podman", "/tmp/.X11-unix")  # noqa: S108

# Of what is in /run, names of machines cannot be looked up without these.
NEEDED_IN_RUN = ("/run/systemd/resolve", "/run/NetworkManager/resolv.conf", "/run/resolvconf", "/run/nscd")

# Variables that lead to something outside of the sandbox, or tell of it.
LEADING_OUT = (
    *("SSH_AUTH_SOCK", "SSH_AGENT_PID", "SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY", "GPG_AGENT_INFO", "GPG_TTY"),
    *("DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "SESSION_MANAGER"),
    *("TMUX", "TMUX_PANE", "TMUX_TMPDIR", "STY", "ORANGE_TMUX_SOCKET", "DOCKER_HOST", "CONTAINER_HOST", "KUBECONFIG"),
    *("VSCODE_IPC_HOOK_CLI", "VSCODE_GIT_IPC_HANDLE", "VSCODE_GIT_ASKPASS_NODE", "GIT_ASKPASS", "SSH_ASKPASS"),
    *("KITTY_LISTEN_ON", "WEZTERM_UNIX_SOCKET", "NVIM", "NVIM_LISTEN_ADDRESS", "EMACS_SOCKET_NAME", "OLDPWD"),
)
_SUSPICIOUS = (
    r"(?:^|_)(?:TOKEN|SECRET|SECRETS|PASSWORD|PASSWD|PASS|PASSPHRASE|CREDENTIAL|CREDENTIALS|APIKEY|PAT)(?:_|$)"
    r"|(?:API|ACCESS|SECRET|PRIVATE|AUTH|SIGNING|ENCRYPTION|MASTER|SERVICE)_?KEY"
    r"|^AWS_|^AZURE_|^GOOGLE_|^GCP_|_(?:DATABASE|REDIS|MONGO)_UR[IL]$|^DATABASE_URL$|_DSN$"
)

# Package managers write here instead of in the person's caches: what an agent put there would be run outside, too.
# `{}` is a directory of the project's own. It is written by all agents of one project.
CACHE_VARIABLES: Mapping[str, str] = {
    "XDG_CACHE_HOME": "{}",  # pip, uv, go, yarn, poetry, pre-commit and most others
    "PIP_CACHE_DIR": "{}/pip",
    "UV_CACHE_DIR": "{}/uv",
    "npm_config_cache": "{}/npm",
    "npm_config_store_dir": "{}/pnpm",
    "YARN_CACHE_FOLDER": "{}/yarn",
    "BUN_INSTALL_CACHE_DIR": "{}/bun",
    "DENO_DIR": "{}/deno",
    "CARGO_HOME": "{}/cargo",
    "GOCACHE": "{}/go-build",
    "GOMODCACHE": "{}/go-mod",
    "GRADLE_USER_HOME": "{}/gradle",
    "MAVEN_ARGS": "-Dmaven.repo.local={}/maven",
    "BUNDLE_USER_HOME": "{}/bundle",
    "COMPOSER_CACHE_DIR": "{}/composer",
    "NUGET_PACKAGES": "{}/nuget",
}

TEMPORARY = "/tmp"  # noqa: S108 - one of its own

# An agent's git tidies nothing up: what it cannot see, such as other worktrees, it would take for garbage.
# What it fetches becomes files of their own, as packs are read-only.
GIT_SETTINGS: Mapping[str, str] = {"gc.auto": "0", "maintenance.auto": "false", "fetch.unpackLimit": "2000000000"}


def is_sandboxed(mode: str, *, reviews: bool) -> bool:
    """Whether an agent of a task runs in a sandbox: all of them, or only those that review."""
    return mode == ALL or (mode == REVIEWERS and reviews)


def removed_variables(names: Iterable[str], kept: Iterable[str]) -> list[str]:
    """The variables that an agent does not get: what leads out, and secrets but for those it needs for its login.

    Those it keeps are patterns: `ANTHROPIC_*`, `*_API_KEY`.
    """
    import re  # not at the head: every command reads the table above, and only a sandbox needs this

    is_secret = re.compile(_SUSPICIOUS)
    own = re.compile("|".join(re.escape(pattern).replace(r"\*", ".*") for pattern in kept) or "(?!)")
    return [
        name for name in names if name in LEADING_OUT or (is_secret.search(name.upper()) and not own.fullmatch(name))
    ]
