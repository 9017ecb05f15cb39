"""Run bundles, and the rows of an earlier moment."""

from __future__ import annotations

import gzip
import json
import subprocess
from pathlib import Path

import pytest
from conftest import COMMAND

from understudy_testing import Environment

FAILS = """
    import httpx
    def test_it(understudy_env):
        answer = httpx.get(understudy_env.http_url + "/keys", headers=understudy_env.headers, timeout=60)
        assert answer.status_code == 201
"""


def test_a_failed_test_leaves_a_bundle_that_can_be_replayed(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_keys=FAILS)

    result = pytester.runpytest_subprocess(f"--understudy-command={COMMAND}", "-p", "no:xdist")

    name = "test_keys.py-test_it.understudy"
    place = Path("test-results") / name
    result.stdout.fnmatch_lines([f"the run: npx understudy-server open {place}"])
    replayed = subprocess.run(
        [*COMMAND.split(), "replay", name], cwd=pytester.path / "test-results", capture_output=True, check=True
    )
    assert replayed.stdout == b"equal: 1 answer is the same\n"


def test_no_bundle_is_written_if_none_is_wanted(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNDERSTUDY_BUNDLES", "off")
    pytester.makepyfile(FAILS)

    pytester.runpytest_subprocess(f"--understudy-command={COMMAND}").assert_outcomes(failed=1)

    assert not (pytester.path / "test-results").exists()


def test_reads_and_forks_take_a_moment(understudy_env: Environment) -> None:
    organization = "org_10000000000000001"
    before = understudy_env.state.get("organizations", organization)["display_name"]
    understudy_env.state.patch("organizations", organization, {"display_name": "Later"})

    assert understudy_env.state.get("organizations", organization, at="0")["display_name"] == before
    listed = understudy_env.state.list("organizations", contains="Later", at="0")
    assert listed == []
    assert understudy_env.state.counts(at="0") == understudy_env.state.counts()
    assert understudy_env.state.difference("0")["rows"][0]["id"] == organization
    with understudy_env.fork(at="0") as fork:
        assert fork.state.get("organizations", organization)["display_name"] == before


def test_a_bundle_names_its_test(understudy_env: Environment) -> None:
    content = understudy_env.bundle("a test", failure="expected 200")
    if content[:2] == b"\x1f\x8b":
        assert json.loads(gzip.decompress(content))["test"] == {"test": "a test", "failure": "expected 200"}
    assert len(understudy_env.bundle()) > 1000
