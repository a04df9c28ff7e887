"""Which places outside of a project nobody misses, by name alone."""

from __future__ import annotations

import pytest

from penstock.core.paths.free_places import free_places, is_temporary

ROWS = [
    # home, place, free, why
    ("/home/me", "/tmp/build/x", True, "below a directory for temporary files"),
    ("/home/me", "/tmp", False, "the directory itself"),
    ("/home/me", "/home/me/notes", False, "the home"),
    ("/home/me", "/home/me/.cache/pip/x", True, "a cache"),
    ("/home/me", "/etc/hosts", False, "the system"),
    ("/tmp/me", "/tmp/me/notes", False, "a home below /tmp is a home"),
    ("/tmp/me", "/tmp/me", False, "and not only what is in it"),
    ("/tmp/me", "/tmp/me/.cache/pip/x", True, "its caches are caches"),
    ("/tmp/me", "/tmp/other", True, "what lies beside it is temporary"),
    ("/tmp/me/", "/tmp/me/notes", False, "however the home is spelt"),
    ("", "/tmp/x", True, "without a home"),
    ("relative", "/tmp/relative", True, "a home that is no path"),
]


@pytest.mark.parametrize(("home", "place", "free", "why"), ROWS)
def test_free_places(home: str, place: str, free: bool, why: str) -> None:
    assert free_places(root="/srv/project", home=home).hold(place) is free, why


def test_what_tmpdir_names_is_free_unless_it_holds_the_home_or_the_project() -> None:
    free = free_places(root="/srv/project", home="/home/me", temporary="/scratch")
    assert free.hold("/scratch/x")
    for said in ("/home", "/srv", "/srv/project", "/", "scratch"):
        free = free_places(root="/srv/project", home="/home/me", temporary=said)
        assert not free.hold("/home/me/x")
        assert not free.hold("/srv/project/x")


def test_a_directory_for_temporary_files_inside_the_home_is_free() -> None:
    free = free_places(root="/srv/project", home="/tmp/me", temporary="/tmp/me/scratch")
    assert free.hold("/tmp/me/scratch/x")
    assert not free.hold("/tmp/me/other/x")


def test_a_path_as_it_is_written_is_temporary_only_below_such_a_directory() -> None:
    assert is_temporary("/tmp/a/../b")
    assert not is_temporary("/tmp/../etc/x")
    assert not is_temporary("tmp/x")
