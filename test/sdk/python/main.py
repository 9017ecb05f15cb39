"""Runs every area, then lists the public methods of the SDK that were not called. Arguments: the areas to run; all by default."""

import sys
import unittest
from pathlib import Path

from calls import CALLS, public_methods

HERE = Path(__file__).parent


class EveryMethod(unittest.TestCase):
    """Together, the areas call every public method of the SDK's clients."""

    def test_is_called(self):
        missed = sorted(public_methods() - CALLS)
        self.assertEqual(missed, [], "called by no area")


def main(areas: list[str]) -> int:
    loader = unittest.TestLoader()
    suite = unittest.TestSuite()
    for area in areas or sorted(path.stem for path in (HERE / "areas").glob("*.py")):
        suite.addTests(loader.loadTestsFromName(f"areas.{area}"))
    if not areas:
        suite.addTests(loader.loadTestsFromTestCase(EveryMethod))
    result = unittest.TextTestRunner(verbosity=1).run(suite)
    print(f"{len(CALLS)} of the SDK's {len(public_methods())} public methods called")
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
