"""Files that are kept out of prompts by their names: possible secrets, and binary files."""

from __future__ import annotations

from fnmatch import fnmatchcase

_PUBLIC_NAMES = (".env.example", ".env.sample", ".env.template", ".env.dist", "*.pub")
_SECRET_NAMES = (
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
_BINARY_ENDINGS = (
    "7z a avi bin bmp bz2 class db dll dylib eot exe flac gif gz ico jar jpeg jpg mov mp3 mp4 o odt ogg otf pdf png"
    " psd pyc rar so sqlite sqlite3 tar tgz tiff ttf war wasm wav webm webp whl woff woff2 xls xlsx xz zip zst"
)
_BINARY_SET = frozenset(_BINARY_ENDINGS.split())
_SECRET_FOLDERS = frozenset({".ssh", ".aws", ".gnupg", ".kube", ".docker", "secrets"})


def is_secret(path: str) -> bool:
    """Whether a path looks like that of a key, a password or an environment file."""
    *folders, name = path.lower().split("/")
    if any(folder in _SECRET_FOLDERS for folder in folders):
        return True
    if any(fnmatchcase(name, pattern) for pattern in _PUBLIC_NAMES):
        return False
    return any(fnmatchcase(name, pattern) for pattern in _SECRET_NAMES)


def is_binary(path: str) -> bool:
    """Whether a path's ending says that the file is not text."""
    _, dot, ending = path.rpartition("/")[2].rpartition(".")
    return bool(dot) and ending.lower() in _BINARY_SET
