"""Which files look as if they held a secret, by their names: these go into no prompt."""

from __future__ import annotations

from fnmatch import fnmatchcase

_HARMLESS = (".env.example", ".env.sample", ".env.template", ".env.dist", "*.pub")
_NAMES = (
    ".env",
    ".env.*",
    "*.env",
    ".envrc",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.keystore",
    "*.kdbx",
    "*.ppk",
    "*.asc",
    "id_rsa*",
    "id_dsa*",
    "id_ecdsa*",
    "id_ed25519*",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pypirc",
    ".htpasswd",
    ".pgpass",
    ".git-credentials",
    "credentials",
    "credentials.*",
    "secrets",
    "secrets.*",
    "secret.*",
    "service-account*.json",
    "*.tfstate",
    "*.tfvars",
)
_FOLDERS = frozenset({".ssh", ".aws", ".gnupg", ".kube", ".docker", "secrets"})


def is_secret(path: str) -> bool:
    """Whether a path looks like that of a key, a password or an environment file."""
    *folders, name = path.lower().split("/")
    if any(folder in _FOLDERS for folder in folders):
        return True
    if any(fnmatchcase(name, pattern) for pattern in _HARMLESS):
        return False
    return any(fnmatchcase(name, pattern) for pattern in _NAMES)
