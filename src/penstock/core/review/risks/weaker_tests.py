"""Tests that a change takes away: deleted files, fewer tests, tests that are skipped.

An agent that cannot make a test pass can make it go away. Which test is which is not known here;
what is counted are the lines that begin one.
Always true: a file that is only renamed loses no test.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from penstock.core.proposals.flag import RiskFlag, RiskLevel
from penstock.core.review.languages import Language
from penstock.core.review.risks.changed_text import ChangedText
from penstock.core.review.risks.sign import Sign, flagged, search
from penstock.core.text.quantities import counted

# In small letters; parts of paths first, then names.
TEST_PATH = re.compile(
    r"(?:\A|/)(?:tests?|__tests__|specs?|testing|e2e|test_?suite)/"
    r"|(?:\A|/)(?:test_[^/]*|conftest)\.py\Z"
    r"|[._-](?:test|spec|tests|specs|e2e)\.[a-z0-9]+\Z"
    r"|[^/]*(?:tests?|spec)\.(?:java|kt|cs|swift|scala|groovy|php)\Z"
)
# Lines that begin a test.
BEGINS: Mapping[Language, str] = {
    Language.PYTHON: r"^[ \t]*(?:async[ \t]+)?def[ \t]+test",
    Language.JAVASCRIPT: r"^[ \t]*(?:it|test)(?:\.\w+)*[ \t]*[(`]|^[ \t]*(?:Deno\.test|bench)\(",
    Language.GO: r"^func[ \t]+(?:Test|Benchmark|Fuzz|Example)",
    Language.RUST: r"^[ \t]*#\[(?:\w+::)*(?:test|rstest)\b",
    Language.JAVA: r"^[ \t]*@(?:Parameterized|Repeated)?Test\b|^[ \t]*(?:test|it|should)\([ \t]*\"",
    Language.CSHARP: r"^[ \t]*\[(?:Fact|Theory|Test|TestMethod|TestCase)\b",
    Language.RUBY: r"^[ \t]*(?:it|test|specify|scenario)[ \t(]|^[ \t]*def[ \t]+test_",
    Language.PHP: r"^[ \t]*(?:public[ \t]+)?function[ \t]+test|@test\b|#\[Test\b|^[ \t]*(?:it|"
    r"test)\(",
    Language.SHELL: r"^[ \t]*@test[ \t]",
    Language.SWIFT: r"^[ \t]*(?:@Test\b|func[ \t]+test)",
    Language.C: r"^[ \t]*(?:TEST|TEST_F|TEST_P|TYPED_TEST|TEST_CASE|SCENARIO|"
    r"BOOST_AUTO_TEST_CASE)\(",
}
SKIPPED = "skips a test"

_SKIPS: Mapping[Language, str] = {
    Language.PYTHON: r"@(?:pytest\.mark\.(?:skip|xfail)\b|unittest\.(?:skip|expectedFailure)\b|"
    r"skip\b)"
    r"|\bpytest\.(?:skip|xfail)\(|\bself\.skipTest\(|\braise[ \t]+(?:unittest\.)?SkipTest|"
    r"\bcollect_ignore\b|\bpytestmark[ \t]*=[^\n]*skip",
    Language.JAVASCRIPT: r"\b(?:describe|it|test|context|suite)\.(?:skip|todo|fixme|failing)\b|"
    r"^[ \t]*(?:xit|xdescribe|xtest|xcontext)\(|\bthis\.skip\(|\btestPathIgnorePatterns\b",
    Language.GO: r"\b[tb]\.Skip(?:f|Now)?\(|^//go:build[ \t]+ignore",
    Language.RUST: r"^[ \t]*#\[ignore\b|#\[cfg_attr\([^\n]*ignore",
    Language.JAVA: r"^[ \t]*@(?:Disabled|Ignore)\b|\bassumeTrue\([ \t]*false",
    Language.CSHARP: r"\[(?:Ignore|Explicit)\b|\bSkip[ \t]*=[ \t]*\"|\bAssert\.(?:Ignore|"
    r"Inconclusive)\(",
    Language.RUBY: r"^[ \t]*(?:xit|xdescribe|xcontext|xspecify)\b|^[ \t]*(?:skip|"
    r"pending)(?:[ \t(]|$)",
    Language.PHP: r"\bmarkTest(?:Skipped|Incomplete)\(|->skip\(",
    Language.SHELL: r"^[ \t]*skip(?:[ \t]|$)",
    Language.SWIFT: r"\bXCTSkip\b|\.disabled\(",
    Language.C: r"\bGTEST_SKIP\(|\bDISABLED_\w",
}


def is_test(path: str) -> bool:
    """Say whether a file holds tests, by its name."""
    return TEST_PATH.search(path.lower()) is not None


SIGNS = (
    *(
        Sign(
            code="test-skipped",
            level=RiskLevel.DANGER,
            text=SKIPPED,
            pattern=pattern,
            languages=frozenset({language}),
            # Rust has its tests beside the code, and tables of other languages may, too.
            names=None if language is Language.RUST else is_test,
        )
        for language, pattern in _SKIPS.items()
    ),
    Sign(
        code="test-conditional",
        level=RiskLevel.NOTICE,
        text="skips a test under a condition",
        pattern=r"@pytest\.mark\.skipif\b|@unittest\.skip(?:If|Unless)\b|\.skipIf\(|\.runIf\(|"
        r"@(?:Enabled|Disabled)(?:If|On)\w*\b",
        names=is_test,
    ),
    Sign(
        code="test-only",
        level=RiskLevel.NOTICE,
        text="runs only some of the tests",
        pattern=r"\b(?:describe|it|test|context)\.only\b|^[ \t]*(?:fit|fdescribe|fcontext)\(|"
        r"\bfocus:[ \t]*true",
        names=is_test,
    ),
)


def fewer_tests(changed: ChangedText) -> Iterator[RiskFlag]:
    """Yield a flag where a test file goes, or where fewer lines begin a test than before."""
    if changed.is_gone:
        if is_test(changed.path):
            yield RiskFlag(
                level=RiskLevel.DANGER, code="test-deleted", text="a test file would be deleted"
            )
        return
    pattern = BEGINS.get(changed.language) if changed.language else None
    if pattern is None or changed.is_new:
        return
    gone = [number for number, _ in search((pattern,), changed.removed)]
    came = sum(1 for _ in search((pattern,), changed.added))
    if len(gone) > came:
        fewer = counted(len(gone) - came, "test")
        text = f"{fewer} fewer than before: {counted(len(gone), 'test')} removed, {came} added"
        yield flagged(RiskLevel.NOTICE, "fewer-tests", text, gone, removed=True)
