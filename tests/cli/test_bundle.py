"""`penstock bundle`: from an organisation's files to the rules in force on somebody's machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from penstock.app.bundle.refresh import start_refreshing
from tests.cli.pending import state_dir, surroundings_of
from tests.cli.quick import Quick
from tests.doors.hook.hooks import Hook
from tests.organisation import NO_INFRA, Organisation, policy
from tests.project import Done, Project

WORDS = "correct horse battery staple"
FD = "PENSTOCK_PASSPHRASE_FD"
SOURCE = """
name = "acme"
valid_days = 30

[policies]
all = "rules/all.toml"
"""


def handed(project: Project, *argv: str) -> Done:
    """Run a command whose passphrase comes through a pipe, as from a password manager."""
    return project.run(*argv, env={FD: "0"}, stdin=f"{WORDS}\n")


def published(project: Project, acme: Organisation, **said: object) -> Path:
    """Publish the next bundle in a file that the project's user has pinned."""
    place = project.home / "bundle.json"
    place.write_bytes(acme.bundle(**said))
    acme.pin(project, f"file:{place}")
    return place


@pytest.fixture
def quick(project: Project) -> Quick:
    return Quick(project.root, project.home)


@pytest.fixture
def acme() -> Organisation:
    return Organisation()


def verdict(project: Project, path: str = "infra/x.tf", tool: str = "Write") -> str:
    done = project.judge(tool, {"file_path": path, "content": "x\n"}, "--json")
    return str(done.json["verdict"])


# --- build, sign, fetch --------------------------------------------------------------------


def test_from_files_to_rules_in_force(project: Project, tmp_path: Path) -> None:
    org = tmp_path / "org"
    (org / "rules").mkdir(parents=True)
    (org / "bundle.toml").write_text(SOURCE)
    (org / "rules/all.toml").write_text('version = 1\n[includes]\nfiles = ["infra.toml"]\n')
    (org / "rules/infra.toml").write_text(NO_INFRA)
    key = handed(project, "bundle", "init-key", "--json").json["key"]
    built = project.run("bundle", "build", f"{org}/bundle.toml", "--out", f"{org}/b", "--json")
    assert (built.code, built.json["version"]) == (0, 1)
    signed = handed(project, "bundle", "sign", f"{org}/b", "--out", f"{org}/bundle.json")
    assert signed.code == 0, signed.err
    assert project.run("bundle", "verify", f"{org}/bundle.json", "--key", key).code == 0
    config = project.home / "config/penstock/penstock.toml"
    config.parent.mkdir(parents=True)
    config.write_text(f'version = 1\n[bundle]\nurl = "file:{org}/bundle.json"\nkey = "{key}"\n')
    assert verdict(project) == "ask"  # pinned, and none was fetched yet
    assert project.run("bundle", "fetch", "--json").json["changed"] is True
    assert verdict(project) == "deny"
    assert verdict(project, "src/x.py") == "allow"
    shown = project.run("bundle", "show", "--json").json
    assert shown["policies"]["all"]["main"] == "rules/all.toml"
    assert project.run("status", "--json").json["bundle"]["revision"] == shown["revision"]
    assert "policy bundle acme version 1" in project.run("status").out
    # The next version follows this one.
    words = ("--previous", f"{org}/bundle.json", "--key", key)
    again = project.run("bundle", "build", f"{org}/bundle.toml", "--out", f"{org}/b", *words)
    assert again.code == 0, again.err
    handed(project, "bundle", "sign", f"{org}/b", "--out", f"{org}/bundle.json")
    fetched = project.run("bundle", "fetch", "--json").json
    assert (fetched["version"], fetched["previous"]) == (2, shown["revision"])


WRONG_SOURCES = [
    ("name = ", "bundle-source", "TOML"),
    ('name = "acme"', "bundle-source", "policies"),
    (SOURCE + "[more]\n", "bundle-source", "unknown key `more`"),
    (SOURCE.replace("30", "0"), "bundle-source", "valid_days"),
    (SOURCE.replace("valid_days = 30", 'expires = "soon"'), "bundle-source", "date"),
    (SOURCE.replace("valid_days = 30", 'expires = "2001-01-01"'), "bundle-broken", "expires"),
    (SOURCE.replace("rules/all.toml", "../all.toml"), "bundle-source", "outside"),
    (SOURCE.replace("rules/all.toml", "circle.toml"), "", "circular include"),
    (SOURCE.replace("rules/all.toml", "none.toml"), "", "not found"),
    (SOURCE.replace('"acme"', '""'), "bundle-broken", "name"),
    (SOURCE + '[[approvers]]\nname = "a"\n', "bundle-broken", "key"),
    (SOURCE + '[[owners]]\npaths = ["x"]\ngroups = ["g"]\n', "bundle-source", "has 0"),
]


@pytest.mark.parametrize(("text", "code", "word"), WRONG_SOURCES)
def test_a_wrong_source_is_told(
    quick: Quick, tmp_path: Path, text: str, code: str, word: str
) -> None:
    (tmp_path / "bundle.toml").write_text(text)
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules/all.toml").write_text(NO_INFRA)
    circle = 'version = 1\n[includes]\nfiles = ["{}.toml"]\n'
    (tmp_path / "circle.toml").write_text(circle.format("other"))
    (tmp_path / "other.toml").write_text(circle.format("circle"))
    out = tmp_path / "out"
    done = quick.run("bundle", "build", str(tmp_path / "bundle.toml"), "--out", str(out))
    assert done.code != 0
    assert word in done.err
    assert f"error[{code}" in done.err
    assert not out.exists()


def test_an_agent_signs_nothing(quick: Quick) -> None:
    for words in (("sign", "x", "--out", "y"), ("init-key",)):
        done = quick.run("bundle", *words, env={"CLAUDECODE": "1"})
        assert (done.code, "agent" in done.err) == (2, True)


def test_missing_things_have_codes(quick: Quick, acme: Organisation, tmp_path: Path) -> None:
    assert "error[no-bundle]" in quick.run("bundle", "fetch").err
    assert "error[no-bundle]" in quick.run("bundle", "show").err
    assert "error[no-key]" in quick.run("bundle", "key").err
    assert "error[no-key]" in quick.run("bundle", "sign", "x", "--out", "y").err
    assert "error[not-found]" in quick.run("bundle", "show", str(tmp_path / "none")).err
    (tmp_path / "b").write_bytes(b"\xff\x00")
    assert "error[bundle-key]" in quick.run("bundle", "show", str(tmp_path / "b")).err
    key = quick.run("bundle", "verify", str(tmp_path / "b"), "--key", acme.key)
    assert "error[bundle-broken]" in key.err


PINS = [
    ('url = "https://x.example/b"', "`key`"),
    ('key = "{key}"', "`url`"),
    ('url = "http://x.example/b"\nkey = "{key}"', "encryption"),
    ('url = "file:/b"\nkey = "rsa:x"', "ed25519"),
    ('group = "web"', "`key`"),
]


@pytest.mark.parametrize(("text", "word"), PINS)
def test_a_wrong_pin_is_a_problem_of_the_rules(
    quick: Quick, acme: Organisation, text: str, word: str
) -> None:
    acme.pin(quick, "file:/b")
    place = quick.home / "config/penstock/penstock.toml"
    place.write_text(f"version = 1\n[bundle]\n{text.replace('{key}', acme.key)}\n")
    done = quick.run("check")
    assert done.code != 0
    assert word in done.out + done.err


# --- nobody below loosens ------------------------------------------------------------------

LOOSENING = """
[[allow]]
id = "mine"
paths = ["infra/**"]

[[safe]]
id = "safe"
paths = ["infra/**"]
"""


def test_neither_user_nor_project_loosens_the_bundle(quick: Quick, acme: Organisation) -> None:
    place = published(quick, acme)
    assert quick.run("bundle", "fetch").code == 0
    quick.write("penstock.toml", f"version = 1\n{LOOSENING}")
    acme.pin(quick, f"file:{place}", LOOSENING)
    assert verdict(quick) == "deny"
    exception = '[[except]]\nof = "no-infra"\nid = "e"\npaths = ["**"]\nreason = "mine"\n'
    for text in (exception, 'disable = ["no-infra"]\n'):
        quick.write("penstock.toml", f"version = 1\n{text}")
        assert verdict(quick) == "deny"  # a file that names what it does not have is broken
    quick.write("penstock.toml", "version = 1\nobserve = true\n")
    assert verdict(quick) == "deny"
    quick.write("penstock.toml", "not toml")
    assert verdict(quick) == "deny"


def test_a_bundle_that_a_project_names_counts_for_nothing(quick: Quick, acme: Organisation) -> None:
    evil = Organisation("evil")
    place = published(quick, acme)
    quick.run("bundle", "fetch")
    (quick.home / "evil.json").write_bytes(evil.bundle(policies={"all": policy("version = 1")}))
    table = f'[bundle]\nurl = "file:{quick.home}/evil.json"\nkey = "{evil.key}"\n'
    quick.write("penstock.toml", f"version = 1\n{table}")
    assert quick.run("bundle", "fetch", "--json").json["name"] == "acme"
    assert verdict(quick) == "deny"
    place.unlink()
    (quick.home / "config/penstock/penstock.toml").unlink()
    assert "error[no-bundle]" in quick.run("bundle", "fetch").err


def test_while_the_users_rules_are_broken_the_bundle_stays(
    quick: Quick, acme: Organisation
) -> None:
    published(quick, acme)
    quick.run("bundle", "fetch")
    with open(quick.home / "config/penstock/penstock.toml", "a") as file:
        file.write("broken = [")
    assert verdict(quick) == "deny"
    assert quick.run("status", "--json").json["bundle"]["version"] == 1


def test_the_policy_of_a_group_counts_besides_that_of_all(quick: Quick, acme: Organisation) -> None:
    web = 'version = 1\n[[deny]]\nid = "web"\npaths = ["api/**"]\n'
    place = published(quick, acme, policies={"all": policy(NO_INFRA), "web": policy(web)})
    quick.run("bundle", "fetch")
    assert verdict(quick, "api/x") == "allow"
    acme.pin(quick, f"file:{place}", 'group = "web"\n')
    assert (verdict(quick, "api/x"), verdict(quick)) == ("deny", "deny")
    acme.pin(quick, f"file:{place}", 'group = "nobody"\n')
    assert "error[bundle-group]" in quick.run("bundle", "fetch").err
    assert verdict(quick, "src/x") == "ask"


# --- attacks: the last good one stays in force ---------------------------------------------


def stays(quick: Quick, code: str, version: int) -> None:
    done = quick.run("bundle", "fetch")
    assert (done.code != 0, f"error[{code}]" in done.err) == (True, True), done.err
    assert verdict(quick) == "deny"
    found = quick.run("status", "--json").json["bundle"]
    assert (found["version"], found["code"]) == (version, code)
    assert "last fetch failed" in quick.run("status").out


def test_every_attack_leaves_the_last_good_bundle(quick: Quick, acme: Organisation) -> None:
    loose = {"all": policy("version = 1")}
    place = published(quick, acme)
    first = place.read_bytes()
    quick.run("bundle", "fetch")
    second = acme.bundle()
    place.write_bytes(second)
    quick.run("bundle", "fetch")
    before = acme.last
    attacks = {
        "bundle-rollback": first,
        "bundle-forged": Organisation("evil").bundle(policies=loose),
        "bundle-broken": second.replace(b'"name":"acme"', b'"name":"acme","name":"acme"'),
        "bundle-mixed": acme.bundle(version=2, policies=loose),
        "bundle-expired": acme.bundle(version=4, made=10, expires=20, policies=loose),
        "bundle-from-future": acme.bundle(version=4, made=2**33, expires=2**34, policies=loose),
        "bundle-too-large": b" " * (100 * 1024 * 1024),
        "bundle-group": acme.bundle(version=5, policies={"other": policy("version = 1")}),
    }
    acme.last = before
    # a next version that follows another history
    attacks["bundle-mixed "] = acme.bundle(previous="sha256:" + "0" * 64, policies=loose)
    acme.last = before
    for code, data in attacks.items():
        place.write_bytes(data)
        stays(quick, code.strip(), 2)
    place.unlink()
    stays(quick, "bundle-unreachable", 2)
    place.write_bytes(acme.bundle())
    assert quick.run("bundle", "fetch", "--json").json["version"] == 3


def test_rules_that_do_not_load_are_not_taken(quick: Quick, acme: Organisation) -> None:
    place = published(quick, acme)
    quick.run("bundle", "fetch")
    place.write_bytes(acme.bundle(policies={"all": policy("version = 1\nnonsense = 1\n")}))
    done = quick.run("bundle", "fetch")
    assert done.code != 0
    assert "nonsense" in done.err
    assert verdict(quick) == "deny"


def test_a_bundle_that_was_changed_on_this_machine_asks(quick: Quick, acme: Organisation) -> None:
    published(quick, acme)
    quick.run("bundle", "fetch")
    kept = quick.home / "state/penstock/bundle/current.json"
    kept.write_bytes(Organisation("evil").bundle(policies={"all": policy("version = 1")}))
    assert (verdict(quick), verdict(quick, "src/x.py")) == ("ask", "ask")
    kept.unlink()
    assert verdict(quick, "src/x.py") == "ask"
    assert "no valid policy bundle" in quick.run("status").out
    assert "no valid policy bundle" in quick.run("doctor").out


# --- expiry --------------------------------------------------------------------------------

STALE = [("ask", "ask", "deny"), ("deny", "deny", "deny"), ("keep", "allow", "deny")]


@pytest.mark.parametrize(("when", "usual", "denied"), STALE)
def test_an_expired_bundle_behaves_as_it_says(
    quick: Quick, acme: Organisation, when: str, usual: str, denied: str
) -> None:
    published(quick, acme, when_stale=when)
    quick.run("bundle", "fetch")
    assert verdict(quick, "src/x.py") == "allow"
    later = expired(quick, acme, when)
    assert verdict(quick, "src/x.py") == usual
    assert verdict(quick, "src/x.py", "Read") == usual
    assert verdict(quick) == denied
    assert "EXPIRED" in quick.run("status").out
    assert quick.run("status", "--json").json["bundle"]["stale"] is True
    done = quick.run("judge", "--json", "--", "ls")
    assert done.json["verdict"] == usual
    assert later.exists()


def expired(project: Project, acme: Organisation, when: str) -> Path:
    """Put a bundle in force that was good when it was taken, and has expired since."""
    kept = project.home / "state/penstock/bundle/current.json"
    now = int(acme.now)
    kept.write_bytes(acme.signed({**acme.last, "made": now - 9000, "expires": now - 10}))
    assert when in kept.read_text()
    return kept


# --- the hook ------------------------------------------------------------------------------


def hooked(project: Project) -> Hook:
    assert project.run("init", "--agent", "claude", "--yes").code == 0
    return Hook(project, attended=True)


def test_the_hook_goes_by_the_bundle_and_by_its_next_version(
    quick: Quick, acme: Organisation
) -> None:
    place = published(quick, acme)
    hook = hooked(quick)
    quick.run("bundle", "fetch")
    assert "infra is changed by the platform team" in hook.write("infra/x.tf", "x").out
    compiled = state_dir(quick) / "hook.policy"
    assert b"no-infra" in compiled.read_bytes()
    assert "deny" not in hook.write("api/x.py", "x").out
    web = 'version = 1\n[[deny]]\nid = "web"\npaths = ["api/**"]\n'
    place.write_bytes(acme.bundle(policies={"all": policy(web)}))
    quick.run("bundle", "fetch")
    assert "deny" in hook.write("api/y.py", "x").out  # the compiled policy was out of date
    assert "deny" not in hook.write("infra/y.tf", "x").out
    assert b"no-infra" not in compiled.read_bytes()


def test_the_hook_asks_once_a_bundle_has_expired(quick: Quick, acme: Organisation) -> None:
    published(quick, acme)
    hook = hooked(quick)
    quick.run("bundle", "fetch")
    assert '"ask"' not in hook.write("src/x.py", "x").out
    expired(quick, acme, "ask")
    first = hook.write("src/y.py", "x").out
    assert ('"ask"' in first, "expired" in first) == (True, True)
    assert '"ask"' in hook.write("src/z.py", "x").out  # by the policy that was compiled then


def test_a_compiled_policy_ends_with_its_bundle(quick: Quick, acme: Organisation) -> None:
    """The stamps of all files are right, and only the clock says that it is over."""
    import marshal

    published(quick, acme)
    hook = hooked(quick)
    quick.run("bundle", "fetch")
    hook.write("src/x.py", "x")
    compiled = marshal.loads((state_dir(quick) / "hook.policy").read_bytes())
    assert compiled["valid"] == (acme.last["made"] - 300.0, acme.last["expires"])
    from penstock.doors.hook.fast_path import NotShortError, require_fresh

    require_fresh({**compiled, "stamps": []})
    for valid in ((0.0, 1.0), (2.0**40, 2.0**41)):
        with pytest.raises(NotShortError):
            require_fresh({**compiled, "stamps": [], "valid": valid})


def test_the_server_refreshes_in_the_background(quick: Quick, acme: Organisation) -> None:
    published(quick, acme)
    said: list[str] = []
    stopped = threading.Event()
    with surroundings_of(quick):
        thread = start_refreshing(stopped, said.append)
        kept = quick.home / "state/penstock/bundle/news.json"
        for _ in range(500):
            if kept.exists():
                break
            stopped.wait(0.02)
        stopped.set()
        thread.join(30)
    assert (said, verdict(quick)) == ([], "deny")


def test_the_background_server_of_hooks_refreshes_it_too(
    project: Project, acme: Organisation
) -> None:
    """A session's start leaves it running, so a machine without `serve` has new rules as well."""
    published(project, acme)
    server = "from penstock.doors.hook.daemon import main; main()"
    kept = project.home / "state/penstock/bundle/current.json"
    with subprocess.Popen([sys.executable, "-c", server], env=project.environ) as process:
        for _ in range(1500):
            if kept.exists() or process.poll() is not None:
                break
            time.sleep(0.02)
        process.kill()
    assert kept.exists()
    assert verdict(project) == "deny"


def test_only_the_owner_reads_what_is_kept(quick: Quick, acme: Organisation) -> None:
    published(quick, acme)
    quick.run("bundle", "fetch")
    kept = quick.home / "state/penstock/bundle"
    assert {entry.stat().st_mode & 0o077 for entry in kept.rglob("*")} == {0}
    assert len(os.listdir(kept / "kept")) == 1


def test_git_brings_the_bundle(quick: Quick, acme: Organisation, tmp_path: Path) -> None:
    made = tmp_path / "repository"
    made.mkdir()
    (made / "bundle.json").write_bytes(acme.bundle())
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"]):
        who = ["-c", "user.name=a", "-c", "user.email=a@b.example"]
        subprocess.run(["git", *who, *words], cwd=made, check=True, capture_output=True)
    acme.pin(quick, f"git+file://{made}")
    assert quick.run("bundle", "fetch", "--json").json["version"] == 1
    assert verdict(quick) == "deny"


def test_an_approver_is_printed_as_the_source_wants_it(project: Project, tmp_path: Path) -> None:
    handed(project, "approver", "init")
    block = project.run("bundle", "approver", "--name", "alice", "--group", "pay").out
    (tmp_path / "all.toml").write_text(NO_INFRA)
    text = SOURCE.replace("rules/all.toml", "all.toml") + block
    owners = '[[owners]]\npaths = ["pay/**"]\ngroups = ["pay"]\n'
    (tmp_path / "bundle.toml").write_text(text + owners)
    out = str(tmp_path / "b")
    done = project.run("bundle", "build", str(tmp_path / "bundle.toml"), "--out", out, "--json")
    assert done.json["approvers"] == ["alice"], done.err
    assert json.loads(Path(out).read_text())["owners"][0]["not_author"] is True
