"""Whose approvals a path needs, and how they are counted."""

from __future__ import annotations

from typing import Any

import pytest

from penstock.core.bundle.author import author_of
from penstock.core.bundle.codeowners import read_codeowners
from penstock.core.bundle.document import bundle_of
from penstock.core.bundle.model import PolicyBundle
from penstock.core.bundle.owners import OwnerNeed, OwnerTally, need_of, needs, tally
from tests.organisation import ALICE, BOB, CAROL, Organisation, Person, owner

PEOPLE = [ALICE.approver("pay"), BOB.approver("pay"), CAROL.approver("web")]

OTHER = author_of(["somebody else"])


def bundle(*owners: dict[str, object], **more: Any) -> PolicyBundle:
    body = Organisation(now=1_800_000_000).body(approvers=PEOPLE, owners=[*owners], **more)
    return bundle_of(body)


def counted(one: PolicyBundle, *signers: Person, author: Person | None = None) -> OwnerTally:
    found = needs(one, ("pay/a.py",), None)
    maker = author_of([], [author.key_id]) if author else OTHER
    return tally(found, one, [who.key_id for who in signers], maker)


def test_two_of_a_group_have_to_approve() -> None:
    one = bundle(owner("pay/**", groups=["pay"], approvals=2))
    assert counted(one).said == "0 of 2 approvals by `pay`"
    assert not counted(one, ALICE).done
    assert counted(one, ALICE).said == "1 of 2 approvals by `pay`"
    assert counted(one, ALICE, BOB).done


def test_one_key_counts_once() -> None:
    one = bundle(owner("pay/**", groups=["pay"], approvals=2))
    assert counted(one, ALICE, ALICE, ALICE).have == (1,)


def test_somebody_of_another_group_or_no_group_does_not_count() -> None:
    one = bundle(owner("pay/**", groups=["pay"], approvals=2))
    assert counted(one, ALICE, CAROL, Person("mallory")).have == (1,)


def test_the_author_does_not_count_unless_the_organisation_says_so() -> None:
    strict = bundle(owner("pay/**", groups=["pay"], approvals=1))
    assert not counted(strict, ALICE, author=ALICE).done
    assert counted(strict, BOB, author=ALICE).done
    mild = bundle(owner("pay/**", groups=["pay"], approvals=1, not_author=False))
    assert counted(mild, ALICE, author=ALICE).done


def test_every_rule_that_matches_has_to_be_satisfied() -> None:
    one = bundle(owner("**", groups=["web"]), owner("pay/**", groups=["pay"], approvals=2))
    assert not counted(one, ALICE, BOB).done
    assert counted(one, ALICE, BOB, CAROL).done


def test_a_quorum_holds_for_every_path() -> None:
    one = bundle(quorum=2)
    found = needs(one, ("anything",), None)
    assert tally(found, one, [ALICE.key_id, CAROL.key_id], OTHER).done
    assert not tally(found, one, [ALICE.key_id], OTHER).done


def test_a_need_survives_the_audit_log() -> None:
    one = bundle(owner("pay/**", groups=["pay", "web"], approvals=2), quorum=1)
    for need in needs(one, ("pay/x",), None):
        again = need_of(need.text)
        assert again is not None
        assert (again.groups, again.approvals, again.not_author) == (
            need.groups,
            need.approvals,
            need.not_author,
        )
    assert need_of("x") is None


@pytest.mark.parametrize(
    "groups", [("pay team",), ("not_author",), ("",), ("a", "", "b%20c"), ("größe",), ()]
)
@pytest.mark.parametrize("not_author", [True, False])
def test_a_groups_name_cannot_say_more_in_the_audit_log_than_in_the_bundle(
    groups: tuple[str, ...], not_author: bool
) -> None:
    """One group of two words is not two groups, and none at all is not anybody."""
    need = OwnerNeed(groups=groups, approvals=1, not_author=not_author, by="")
    again = need_of(need.text)
    assert again is not None
    assert again.not_author is not_author
    assert tuple(one.strip("\0") for one in again.groups) == groups
    assert len(again.groups) == len(groups)


FILE = b"""
# everything
*            @acme/pay
*.js         @carol  # the last one that matches counts
/build/logs/ @bob
docs/*       docs@example.com
apps/        @acme/web
/scripts     @alice @acme/web
my\\ file.txt @bob
/open/
"""
ROWS = [
    ("a.py", ("acme/pay",)),
    ("src/x.js", ("carol",)),
    ("build/logs/a/b", ("bob",)),
    ("x/build/logs/a", ("acme/pay",)),
    ("docs/a.md", ("docs@example.com",)),
    ("docs/deep/a.md", ("acme/pay",)),
    ("x/apps/y", ("acme/web",)),
    ("scripts", ("alice", "acme/web")),
    ("scripts/run", ("alice", "acme/web")),
    ("my file.txt", ("bob",)),
    ("open/x", ()),
]


@pytest.mark.parametrize(("path", "owners"), ROWS, ids=[path for path, _ in ROWS])
def test_codeowners_are_read_as_the_forges_read_them(path: str, owners: tuple[str, ...]) -> None:
    found = read_codeowners(FILE).owners(path)
    assert found == (((owners, 1),) if owners else ())


CORNERS = [
    ("!*.js @b", "x.js", ("a",)),  # no negation: a file that is called so
    ("!*.js @b", "!x.js", ("b",)),
    ("foo\\*bar @b", "foo*bar", ("b",)),
    ("foo\\*bar @b", "foo and bar", ("a",)),  # an escaped star is no wildcard
    ("/* @b", "x", ("b",)),
    ("/* @b", "deep/x", ("a",)),
    ("/docs @b", "x/docs/y", ("a",)),  # anchored
    ("docs/api @b", "x/docs/api", ("a",)),  # a slash inside anchors as well
    ("docs/ @b", "x/docs/y", ("b",)),
    ("foo/**/bar @b", "foo/x/y/bar/z", ("b",)),
    ("/Pay/ @b", "pay/x", ("a",)),  # names differ by case
    ("# c\u2028* @b", "x", ("a",)),  # a line ends where the forges end it
    ("# c\x0b* @b", "x", ("a",)),
    ("# c\x85* @b", "x", ("a",)),
    ("*.py bob @b", "x.py", ("a",)),  # a word that is no owner spoils the line
    ("my file.py @b", "my", ("a",)),
    ("my\\ file.py @b", "my file.py", ("b",)),
    ("\\#x @b", "#x", ("b",)),
    ("*.py @b # @c", "x.py", ("b",)),
    ("*.py @b\r", "x.py", ("b",)),
    ("x.py", "x.py", ()),  # the last match counts, also one that names nobody
]


@pytest.mark.parametrize(("line", "path", "owners"), CORNERS)
def test_corners_of_codeowners(line: str, path: str, owners: tuple[str, ...]) -> None:
    found = read_codeowners(f"* @a\n{line}\n".encode()).owners(path)
    assert found == (((owners, 1),) if owners else ())


def test_a_mark_of_byte_order_hides_no_owner() -> None:
    assert read_codeowners(b"\xef\xbb\xbf* @a\n").owners("x") == ((("a",), 1),)


@pytest.mark.parametrize("end", [b"#" * (3 * 1024 * 1024), b"x\n" * 50_001], ids=["size", "lines"])
def test_a_file_that_is_too_large_asks_for_nobody_instead_of_being_cut(end: bytes) -> None:
    one = bundle()
    found = needs(one, ("a.py",), read_codeowners(b"* @alice\n" + end))
    assert not tally(found, one, [ALICE.key_id, BOB.key_id, CAROL.key_id], OTHER).done


GITLAB = b"""
* @carol
[Payments][2] @pay
pay/
pay/docs/ @carol
^[Nice to have] @bob
*
"""


def test_every_section_of_gitlab_asks_by_itself() -> None:
    said = read_codeowners(GITLAB)
    assert said.owners("x") == ((("carol",), 1),)
    assert said.owners("pay/x") == ((("carol",), 1), (("pay",), 2))
    assert said.owners("pay/docs/x") == ((("carol",), 1), (("carol",), 2))


def test_codeowners_ask_for_one_of_the_owners_by_the_names_of_the_bundle() -> None:
    one = bundle()
    found = needs(one, ("a.py",), read_codeowners(b"* @acme/pay\n"))
    assert [(need.groups, need.approvals) for need in found] == [(("pay",), 1)]
    assert tally(found, one, [BOB.key_id], OTHER).done
    assert not tally(found, one, [CAROL.key_id], OTHER).done


def test_owners_whom_the_bundle_does_not_know_are_nobody() -> None:
    one = bundle()
    found = needs(one, ("a.py",), read_codeowners(b"* @acme/ghosts\n"))
    everybody = [who.key_id for who in (ALICE, BOB, CAROL)]
    assert not tally(found, one, everybody, OTHER).done


def test_codeowners_only_add_to_what_the_bundle_asks() -> None:
    one = bundle(owner("**", groups=["pay"], approvals=2))
    found = needs(one, ("a.py",), read_codeowners(b"* @carol\n"))
    assert not tally(found, one, [CAROL.key_id], OTHER).done
    assert not tally(found, one, [ALICE.key_id, BOB.key_id], OTHER).done
    assert tally(found, one, [ALICE.key_id, BOB.key_id, CAROL.key_id], OTHER).done
