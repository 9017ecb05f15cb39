"""The report of a run whose service the plugin has started."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast

import pytest
from conftest import COMMAND

from understudy_testing import StartError, start

TESTS = """
    import httpx, pytest
    @pytest.mark.parametrize("status", [200, 201])
    def test_it(understudy_env, status):
        answer = httpx.get(understudy_env.http_url + "/keys", headers=understudy_env.headers, timeout=60)
        assert answer.status_code == status
"""


def total_in(file: Path) -> int:
    return cast("dict[str, int]", json.loads(file.read_text()))["total"]


def test_the_option_writes_reports_also_when_a_test_fails(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(TESTS)

    result = pytester.runpytest_subprocess(
        f"--understudy-command={COMMAND}", "--understudy-report=run.html,run.json", "-p", "no:xdist"
    )

    result.assert_outcomes(passed=1, failed=1)
    assert total_in(pytester.path / "run.json") == 2
    assert "All 2 calls" in (pytester.path / "run.html").read_text()


def test_the_variable_writes_the_summary_of_a_job(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("UNDERSTUDY_REPORT", "github")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary"))
    pytester.makepyfile(TESTS)

    pytester.runpytest_subprocess(f"--understudy-command={COMMAND}").assert_outcomes(passed=1, failed=1)

    assert (tmp_path / "summary").read_text().startswith("### Understudy: 0 of 2 calls failed\n")


def test_the_workers_of_xdist_share_a_service_and_its_report(pytester: pytest.Pytester) -> None:
    pytester.makeini(f"[pytest]\nunderstudy_command = {COMMAND}\nunderstudy_report = run.json\n")
    pytester.makepyfile(TESTS)

    result = pytester.runpytest_subprocess("-n", "2")

    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["for more: npx understudy-server explain --environment *"])
    assert total_in(pytester.path / "run.json") == 2


def test_a_service_that_ends_with_an_error_fails_the_run_of_xdist(pytester: pytest.Pytester) -> None:
    folder = pytester.mkdir("reports")
    pytester.makepyfile(f"""
        def test_it(understudy_env):
            import shutil
            shutil.rmtree({str(folder)!r})
    """)

    result = pytester.runpytest_subprocess(
        "-n", "1", f"--understudy-command={COMMAND}", f"--understudy-report={folder / 'run.json'}"
    )

    result.assert_outcomes(passed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stderr.fnmatch_lines(["*the report *run.json cannot be written*"])


def test_a_container_cannot_write_a_report(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")

    with pytest.raises(StartError, match="a container cannot write a report here"):
        start(image="understudy", flags=["--report", "run.html"])
