"""The tree of RFC 6962: known roots, and proofs that hold exactly when they should."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penstock.core.audit.merkle import (
    EMPTY_ROOT,
    Frontier,
    consistency_proof,
    finished,
    includes,
    inclusion_proof,
    is_consistent,
    leaf_hash,
    root_over,
    roots_at,
    stored_index,
)
from penstock.core.errors import AuditError
from tests.core.audit.trees import nodes_over, root_of

# The inputs and roots that Certificate Transparency implementations test with.
INPUTS = [
    *("", "00", "10", "2021", "3031", "40414243", "5051525354555657"),
    "606162636465666768696a6b6c6d6e6f",
]
ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
LEAVES = [leaf_hash(str(number).encode()) for number in range(70)]


def by_definition(leaves: list[bytes]) -> bytes:
    """The root as RFC 6962 section 2.1 defines it, word for word."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    left, right = by_definition(leaves[:split]), by_definition(leaves[split:])
    return hashlib.sha256(b"\1" + left + right).digest()


@pytest.mark.parametrize("size", range(1, 9))
def test_the_roots_are_those_of_certificate_transparency(size: int) -> None:
    leaves = [leaf_hash(bytes.fromhex(text)) for text in INPUTS[:size]]
    assert root_of(leaves).hex() == ROOTS[size - 1]


def test_the_empty_tree_has_the_root_of_nothing() -> None:
    assert root_of([]) == EMPTY_ROOT == hashlib.sha256(b"").digest()


@pytest.mark.parametrize("size", range(len(LEAVES) + 1))
def test_every_way_to_a_root_gives_the_root_by_definition(size: int) -> None:
    leaves = LEAVES[:size]
    one_by_one = Frontier()
    for leaf in leaves:
        one_by_one.add(leaf)
    expected = by_definition(leaves)
    assert one_by_one.root() == root_of(leaves) == expected
    assert root_over(nodes_over(leaves), 0, size) == expected


@given(st.lists(st.integers(0, 20), max_size=6))
def test_a_frontier_may_grow_in_any_steps(steps: list[int]) -> None:
    frontier, at = Frontier(), 0
    for step in steps:
        frontier.extend(LEAVES[at : at + step])
        at = min(at + step, len(LEAVES))
        again = Frontier(frontier.size, frontier.peaks)
        assert again.root() == frontier.root() == by_definition(LEAVES[:at])


def test_a_frontier_that_cannot_be_one_is_refused() -> None:
    with pytest.raises(AuditError) as caught:
        Frontier(3, [LEAVES[0]])
    assert caught.value.code == "bad-tree"
    with pytest.raises(AuditError):
        Frontier(1, [b"short"])


def test_a_copy_grows_on_its_own() -> None:
    frontier = Frontier()
    frontier.add(LEAVES[0])
    copy = frontier.copy()
    copy.add(LEAVES[1])
    assert (frontier.size, copy.size) == (1, 2)


def test_roots_are_found_at_every_size_asked_for() -> None:
    lines = [str(number).encode() for number in range(40)]
    blocks = [
        b"".join(line + b"\n" for line in part) for part in (lines[:7], lines[7:8], lines[8:])
    ]
    sizes = [0, 1, 7, 8, 9, 33, 40, 41]
    roots, frontier = roots_at(blocks, sizes)
    assert roots == {size: by_definition(LEAVES[:size]) for size in sizes if size <= 40}
    assert frontier.size == 40
    assert roots_at([], [0, 1])[0] == {0: EMPTY_ROOT}


def stored() -> list[bytes]:
    """Append every leaf with what it finishes, as the file of nodes does."""
    nodes: list[bytes] = []

    def read(level: int, index: int) -> bytes:
        return nodes[stored_index(level, index)]

    for number, leaf in enumerate(LEAVES):
        assert len(nodes) == stored_index(0, number)
        nodes.extend(finished(number, leaf, read))
    return nodes


def test_a_file_of_finished_subtrees_holds_every_node_where_it_is_looked_for() -> None:
    nodes = stored()
    by_hand = nodes_over(LEAVES)
    for level in range(7):
        for index in range(len(LEAVES) >> level):
            assert nodes[stored_index(level, index)] == by_hand(level, index)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 8, 9, 31, 32, 33, 70])
def test_an_inclusion_proof_holds_for_its_leaf_and_for_no_other(size: int) -> None:
    nodes, root = nodes_over(LEAVES[:size]), by_definition(LEAVES[:size])
    for index in range(size):
        proof = inclusion_proof(nodes, index=index, size=size)
        assert includes(leaf=LEAVES[index], index=index, size=size, proof=proof, root=root)
        assert not includes(leaf=LEAVES[69 - index], index=index, size=size, proof=proof, root=root)
        other = (index + 1) % size
        if size > 1:
            assert not includes(leaf=LEAVES[index], index=other, size=size, proof=proof, root=root)
        assert not includes(
            leaf=LEAVES[index], index=index, size=size, proof=[*proof, root], root=root
        )


@pytest.mark.parametrize("size", [1, 2, 3, 7, 8, 9, 33, 70])
def test_a_consistency_proof_holds_for_its_sizes_and_roots_only(size: int) -> None:
    nodes, root = nodes_over(LEAVES[:size]), by_definition(LEAVES[:size])
    for old in range(size + 1):
        proof = consistency_proof(nodes, old_size=old, size=size)
        old_root = by_definition(LEAVES[:old])

        def holds(old_root: bytes, new_root: bytes, proof: list[bytes], old: int = old) -> bool:
            return is_consistent(
                old_size=old, old_root=old_root, new_size=size, new_root=new_root, proof=proof
            )

        assert holds(old_root, root, proof)
        assert not holds(b"x" * 32, root, proof)
        assert not holds(old_root, root, [*proof, root])
        if old:
            assert not holds(old_root, b"x" * 32, proof)
        if proof:
            assert not holds(old_root, root, proof[:-1])
            assert not holds(old_root, root, [b"x" * 32, *proof[1:]])


@pytest.mark.parametrize(("old", "new"), [(5, 4), (-1, 4)])
def test_a_tree_never_shrinks(old: int, new: int) -> None:
    assert not is_consistent(
        old_size=old, old_root=EMPTY_ROOT, new_size=new, new_root=EMPTY_ROOT, proof=[]
    )
    with pytest.raises(AuditError) as caught:
        consistency_proof(nodes_over(LEAVES), old_size=old, size=new)
    assert caught.value.code == "no-such-size"


@pytest.mark.parametrize("index", [-1, 3, 10])
def test_there_is_no_proof_of_a_line_that_is_not_there(index: int) -> None:
    with pytest.raises(AuditError) as caught:
        inclusion_proof(nodes_over(LEAVES), index=index, size=3)
    assert caught.value.code == "no-such-event"
    assert not includes(leaf=LEAVES[0], index=index, size=3, proof=[], root=LEAVES[0])


@settings(deadline=None, max_examples=150)
@given(st.integers(0, 80), st.integers(0, 80), st.lists(st.binary(max_size=32), max_size=70))
def test_a_made_up_proof_never_holds_and_never_fails(
    old: int, new: int, proof: list[bytes]
) -> None:
    a, b = b"a" * 32, b"b" * 32
    assert not is_consistent(old_size=old, old_root=a, new_size=new, new_root=b, proof=proof)
    assert not includes(leaf=a, index=old, size=new, proof=proof, root=b)
