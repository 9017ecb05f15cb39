"""The examples of README.md, of docs/sdks.md and of the recipes."""

from __future__ import annotations

import re

import pytest
from conftest import ROOT

from understudy_testing import Understudy

PAGES = (
    ROOT / "clients" / "python" / "README.md",
    ROOT / "docs" / "sdks.md",
    *sorted((ROOT / "docs").glob("recipes*.md")),
)
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)

# pytest-playwright would start a browser that it has downloaded itself.
BROWSER = """
import shutil
import pytest

@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    file = shutil.which("chromium") or pytest.skip("there is no chromium")
    return {**browser_type_launch_args, "executable_path": file, "args": ["--no-sandbox"]}
"""


def examples() -> list[object]:
    return [
        pytest.param(text, id=f"{page.name}-{index}")
        for page in PAGES
        for index, text in enumerate(BLOCK.findall(page.read_text(encoding="utf-8")))
        if "def test_" in text
    ]


@pytest.mark.parametrize("text", examples())
def test_an_example_passes(text: str, pytester: pytest.Pytester, understudy: Understudy) -> None:
    # One after the other, 200 tests take long.
    pytester.makepyfile(text.replace("range(200)", "range(20)"))
    url = f"--understudy-url={understudy.http_url}"

    if ", page)" in text:
        pytester.makeconftest(BROWSER)
        result = pytester.runpytest_subprocess(url)
    else:
        # The plugin of Playwright cannot run inside of itself.
        result = pytester.runpytest_inprocess(url, "-p", "no:playwright", "-W", "ignore")

    assert result.ret == 0
    assert result.parseoutcomes()["passed"] >= text.count("def test_")
