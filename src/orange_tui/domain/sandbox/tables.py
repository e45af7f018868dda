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
    ".minikube": "credentials of clusters",
    ".fly": "cloud credentials",
    ".s3cfg": "cloud credentials",
    ".boto": "cloud credentials",
    ".config/linode-cli": "cloud credentials",
    ".config/openstack": "cloud credentials",
    ".config/scw": "cloud credentials",
    ".cloudflared": "keys to the person's servers",
    ".databrickscfg": "cloud credentials",
    ".snowflake": "database passwords",
    ".config/configstore": "logins of tools of clouds",
    ".local/share/com.vercel.cli": "cloud credentials",
    ".config/stripe": "keys to payments",
    ".config/solana": "keys to money",
    ".ethereum": "keys to money",
    ".bitcoin": "keys to money",
    ".config/sops": "private keys",
    ".config/age": "private keys",
    ".tsh": "keys to other machines",
    ".putty": "keys to other machines",
    ".config/filezilla": "passwords for hosts",
    ".subversion/auth": "passwords for hosts",
    ".docker": "registry logins, and the socket of Docker",
    ".colima": "a socket of Docker: whoever reaches it is root",
    ".lima": "sockets of virtual machines",
    ".rd": "a socket of Docker",
    ".screen": "sockets of screen: whoever reaches one types as the person",
    ".emacs.d/server": "the socket of an editor, which runs what it is told",
    ".config/emacs/server": "the socket of an editor, which runs what it is told",
    ".vscode-server": "logins and sockets of an editor",
    ".cursor-server": "logins and sockets of an editor",
    ".orbstack": "a socket of Docker",
    ".config/containers": "registry logins",
    ".local/share/containers": "what containers of the person hold",
    ".config/gh": "the login of gh: it can merge, delete and publish",
    ".config/glab-cli": "the login of glab",
    ".config/hub": "a login of GitHub",
    ".config/github-copilot": "a login of GitHub",
    ".netrc": "passwords for hosts",
    ".git-credentials": "passwords for git hosts",
    ".config/git/credentials": "passwords for git hosts",
    ".npmrc": "tokens that publish packages",
    ".yarnrc.yml": "tokens that publish packages",
    ".pypirc": "passwords that publish packages",
    ".gem": "keys that publish packages",
    ".bundle/config": "passwords of package servers",
    ".composer/auth.json": "passwords of package servers",
    ".config/composer/auth.json": "passwords of package servers",
    ".config/pypoetry/auth.toml": "passwords that publish packages",
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
    ".config/Code - Insiders": "logins and sockets of an editor",
    ".config/VSCodium": "logins and sockets of an editor",
    ".config/Code": "logins and sockets of an editor",
    ".config/Cursor": "logins and sockets of an editor",
    ".config/Signal": "messages",
    ".config/discord": "messages and logins",
    ".config/Element": "messages and logins",
    ".local/share/evolution": "mail",
    ".config/Slack": "messages and logins",
    ".local/share/TelegramDesktop": "messages",
    ".bash_history": "passwords that were typed",
    ".zsh_history": "passwords that were typed",
    ".histfile": "passwords that were typed",
    ".zhistory": "passwords that were typed",
    ".local/share/atuin": "passwords that were typed",
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

# Variables by which a person keeps secrets elsewhere, and what of that is one: all of it, or these names in it.
SECRETS_ELSEWHERE: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("GNUPGHOME", "PASSWORD_STORE_DIR", "KUBECONFIG", "DOCKER_CONFIG", "DOCKER_CERT_PATH"), ("",)),
    **dict.fromkeys(("AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE", "AZURE_CONFIG_DIR", "CLOUDSDK_CONFIG"), ("",)),
    **dict.fromkeys(("GOOGLE_APPLICATION_CREDENTIALS", "OCI_CLI_CONFIG_FILE", "TF_CLI_CONFIG_FILE"), ("",)),
    **dict.fromkeys(("GH_CONFIG_DIR", "GLAB_CONFIG_DIR", "NETRC", "NPM_CONFIG_USERCONFIG", "PIP_CONFIG_FILE"), ("",)),
    **dict.fromkeys(("PGPASSFILE", "MYSQL_HISTFILE", "HISTFILE", "RCLONE_CONFIG", "XAUTHORITY", "ICEAUTHORITY"), ("",)),
    **dict.fromkeys(("SSH_AUTH_SOCK", "TMUX_TMPDIR", "NVIM", "KITTY_LISTEN_ON", "WEZTERM_UNIX_SOCKET"), ("",)),
    "CARGO_HOME": ("credentials", "credentials.toml"),
    "GRADLE_USER_HOME": ("gradle.properties",),
    "VAULT_CONFIG_PATH": ("",),
}
# Likewise, whole directories of the home: what is hidden in the one is hidden in the other.
HOME_ELSEWHERE: Mapping[str, str] = {
    "XDG_CONFIG_HOME": ".config/",
    "XDG_DATA_HOME": ".local/share/",
    "XDG_STATE_HOME": ".local/state/",
    "XDG_CACHE_HOME": ".cache/",
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


def secrets_elsewhere(environment: Mapping[str, str]) -> list[str]:
    """The paths at which the person's own settings of variables keep secrets."""
    found = [
        f"{place.rstrip('/')}/{name}".rstrip("/")
        for variable, names in SECRETS_ELSEWHERE.items()
        for place in environment.get(variable, "").split(":")
        for name in names
    ]
    for variable, usual in HOME_ELSEWHERE.items():
        inner = [name.removeprefix(usual) for name in HOME_SECRETS if name.startswith(usual)]
        found += [f"{environment.get(variable, '').rstrip('/')}/{name}" for name in inner if environment.get(variable)]
    return [path for path in found if path.startswith("/")]


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
