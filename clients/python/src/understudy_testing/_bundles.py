"""Writes the run of a failed test to a file."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

from understudy_testing.environment import Environment
from understudy_testing.errors import ControlError, UnderstudyError

NOT_FOUND = 404
# Bundles of one run. The workers of pytest-xdist share the folder.
MOST = 50
LONGEST_NAME = 100
BEGIN = time.time()

# The files that this process has written, with the tests that they are for.
_written: dict[Path, str] = {}


def bundle_line(environment: Environment, test: str, failure: str) -> str | None:
    """Writes the bundle. Returns a line that says how to open it, or nothing if none is wanted."""
    said = os.environ.get("UNDERSTUDY_BUNDLES", "")
    folder = Path(said or "test-results")
    if said == "off" or _count_in(folder) >= MOST:
        return None
    try:
        content = environment.bundle(test, file=test.partition("::")[0], failure=failure)
        place = _place_for(folder, test)
        folder.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    except ControlError as error:
        # With 404, the test itself has dropped it.
        return None if error.status == NOT_FOUND else f"no bundle of the run: {error}"
    except (UnderstudyError, OSError) as error:
        return f"no bundle of the run: {error}"
    return f"the run: npx understudy-server open {place}"


def _place_for(folder: Path, test: str) -> Path:
    """The same for the same test in each run."""
    words = re.sub(r"[^\w.]+", "-", test).strip("-.")
    name = words[-LONGEST_NAME:].lstrip("-.") or "test"
    count = 1
    while True:
        place = folder / f"{name}{'' if count == 1 else f'-{count}'}.understudy"
        if _written.setdefault(place, test) == test:
            return place
        count += 1


def _count_in(folder: Path) -> int:
    """The bundles in the folder that were written since this process began."""
    try:
        return sum(each.stat().st_mtime >= BEGIN for each in folder.glob("*.understudy"))
    except OSError:
        return 0
