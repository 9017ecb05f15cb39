"""The examples of README.md and of docs/sdks.md."""

from __future__ import annotations

import re

import pytest
from conftest import ROOT

from understudy_testing import Understudy

PAGES = ("clients/python/README.md", "docs/sdks.md")
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def examples() -> list[object]:
    return [
        pytest.param(text, id=f"{page}-{index}")
        for page in PAGES
        for index, text in enumerate(BLOCK.findall((ROOT / page).read_text(encoding="utf-8")))
        if "def test_" in text
    ]


@pytest.mark.parametrize("text", examples())
def test_an_example_passes(text: str, pytester: pytest.Pytester, understudy: Understudy) -> None:
    pytester.makepyfile(text)

    result = pytester.runpytest_inprocess(f"--understudy-url={understudy.http_url}", "-W", "ignore")

    assert result.ret == 0
    assert result.parseoutcomes()["passed"] == text.count("def test_")
