"""Makes this process trust Understudy's certificate, besides those that it trusts anyway."""

from __future__ import annotations

import atexit
import os
import shutil
import ssl
import tempfile
from functools import cache
from pathlib import Path

import certifi
import trustme

# gRPC reads the first, requests the second, Python's own TLS and httpx the third. Each replaces the usual list.
VARIABLES = ("GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE")
NO_PROXY = ("NO_PROXY", "no_proxy")
LOCAL_HOSTS = "localhost,127.0.0.1"


class Trust:
    """Sets variables of this process until `end`. Child processes inherit them."""

    def __init__(self, certificate: str) -> None:
        handle, self._file = tempfile.mkstemp(prefix="understudy-", suffix=".pem")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write("\n".join([certificate, *_trusted_anyway()]))
        self._before: dict[str, str | None] = {name: os.environ.get(name) for name in VARIABLES + NO_PROXY}
        os.environ.update(dict.fromkeys(VARIABLES, self._file))
        # No proxy reaches a service on this machine.
        for name in NO_PROXY:
            os.environ[name] = ",".join(filter(None, [self._before[name], LOCAL_HOSTS]))

    def end(self) -> None:
        for name, value in self._before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        Path(self._file).unlink(missing_ok=True)


@cache
def certificate_files(*hosts: str) -> tuple[Path, Path]:
    """A certificate for every service that this process starts, and its key. `hosts` are further names for it.

    gRPC reads the certificates that it trusts only once in a process, so these services need the same authority.
    """
    folder = tempfile.mkdtemp(prefix="understudy-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    authority = _authority()
    issued = authority.issue_cert("localhost", "*.localhost", "127.0.0.1", "::1", *hosts)
    certificate, key = Path(folder, "certificate.pem"), Path(folder, "key.pem")
    for part in (*issued.cert_chain_pems, authority.cert_pem):
        part.write_to_path(certificate, append=True)
    issued.private_key_pem.write_to_path(key)
    return certificate, key


@cache
def _authority() -> trustme.CA:
    return trustme.CA()


def _trusted_anyway() -> list[str]:
    """The contents of what the variables name, and what Python and requests trust without them."""
    named = [os.environ.get(name) for name in VARIABLES]
    files = dict.fromkeys([*named, ssl.get_default_verify_paths().cafile, certifi.where()])
    return [text for file in files if file for text in _certificates_in(Path(file))]


def _certificates_in(path: Path) -> list[str]:
    """REQUESTS_CA_BUNDLE may name a folder."""
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    return [each.read_text(encoding="utf-8", errors="replace") for each in files if each.is_file()]
