"""Understudy as a child process."""

from __future__ import annotations

import json
import queue
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterable, Sequence

from understudy_testing.errors import StartError

TIME_TO_END = 30.0
# What npx says where the package is neither installed nor published.
NOT_PUBLISHED = "E404"
INSTALL = (
    "npm has no package understudy-server yet: run `npm ci && npm pack` in a clone of Understudy's repository, and "
    "here `npm install --save-dev` with the file that it made"
)


class Process:
    """A program that prints one line of JSON with its address, and ends when its stdin closes."""

    def __init__(self, command: Sequence[str], variables: dict[str, str] | None = None) -> None:
        self._command = list(command)
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115
        try:
            self._child = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                env=variables,
                # Ctrl+C reaches this process alone, so that tests can still drop their environments.
                start_new_session=True,
            )
        except OSError as error:
            raise StartError(f"cannot run {self._command[0]}: {error}") from error
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def url(self, timeout: float) -> str:
        """The address in the line of JSON. Package managers may print other lines before."""
        end = time.monotonic() + timeout
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                raise StartError(self._message(f"was not ready after {timeout:g} s")) from None
            if line is None:
                raise StartError(self._message(f"ended with {self._child.wait()}"))
            if line.startswith(b"{"):
                return str(json.loads(line)["url"])

    def stop(self) -> None:
        """Raises a StartError if the program ends with an error, as with `--fail-on-unused-rules`."""
        self._close_stdin()
        try:
            code = self._child.wait(TIME_TO_END)
        except subprocess.TimeoutExpired:
            self._child.kill()
            code = self._child.wait()
        message = self._message(f"ended with {code}")
        self._errors.close()
        if code != 0:
            raise StartError(message)

    def kill(self) -> None:
        self._close_stdin()
        self._child.kill()
        self._child.wait()
        self._errors.close()

    def _close_stdin(self) -> None:
        assert self._child.stdin is not None
        self._child.stdin.close()

    def _read(self) -> None:
        assert self._child.stdout is not None
        with self._child.stdout as output:
            for line in output:
                self._lines.put(line)
        self._lines.put(None)

    def _message(self, outcome: str) -> str:
        self._errors.seek(0)
        said = self._errors.read().decode(errors="replace").strip()
        hint = INSTALL if NOT_PUBLISHED in said else ""
        return "\n".join(filter(None, [f"`{' '.join(self._command)}` {outcome}", said, hint]))


class Container(Process):
    """The image of Understudy, run by Docker's command line."""

    PORT = 8080

    def __init__(self, docker: str, name: str, options: Sequence[str], image: str, words: Sequence[str]) -> None:
        self._docker = docker
        self._name = name
        usual = ["run", "--rm", "--interactive", "--name", name, "--publish", f"127.0.0.1::{self.PORT}"]
        super().__init__([docker, *usual, *options, image, *words])

    def url(self, timeout: float) -> str:
        super().url(timeout)  # The address inside the container.
        return f"http://{self._output('port', self._name, f'{self.PORT}/tcp').splitlines()[0]}"

    def kill(self) -> None:
        super().kill()
        subprocess.run([self._docker, "rm", "--force", self._name], check=False, capture_output=True)

    def _output(self, *words: str) -> str:
        done = subprocess.run([self._docker, *words], check=False, capture_output=True, text=True)
        if done.returncode != 0:
            raise StartError(f"`docker {' '.join(words)}` failed: {done.stderr.strip()}")
        return done.stdout


def repeated(flag: str, values: Iterable[object]) -> list[str]:
    return [part for value in values for part in (flag, str(value))]
