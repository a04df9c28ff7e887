"""`penstock judge`: what a decision looks like from outside, and its exit codes."""

from __future__ import annotations

import pytest

from tests.project import Project

LONG = "".join(f"line {at}\n" for at in range(270))


def test_a_protected_write_is_denied_with_exit_2_and_names_its_rule(project: Project) -> None:
    done = project.judge("Write", {"file_path": ".env", "content": "x"})
    assert done.code == 2
    assert done.out.startswith(
        "deny Protected path: .env cannot be modified: it may contain passwords"
    )
    assert "rule env-files: deny" in done.out


def test_an_ordinary_write_is_allowed_with_exit_0(project: Project) -> None:
    done = project.judge("Write", {"file_path": "notes.txt", "content": "x"})
    assert done.code == 0
    assert done.out.startswith("allow ")


def test_a_replacement_of_a_substantial_file_waits_with_exit_3(project: Project) -> None:
    project.write("src/app.py", LONG)
    done = project.judge("Write", {"file_path": "src/app.py", "content": "stub\n"}, "--json")
    assert done.code == 3
    assert done.json["verdict"] == "ask"
    (part,) = done.json["parts"]
    assert part["change"]["kind"] == "replace"
    assert part["change"]["existing_lines"] == 270
    assert part["change"]["lines_deleted"] == 270


def test_unattended_it_is_denied_with_exit_2(project: Project) -> None:
    project.write("src/app.py", LONG)
    written = {"file_path": "src/app.py", "content": "stub\n"}
    done = project.judge("Write", written, "--unattended", "--json")
    assert done.code == 2
    assert "270 of 270 lines" in done.json["because"]


def test_an_edit_is_judged_by_the_content_that_would_result(project: Project) -> None:
    project.write("src/app.py", LONG)
    edit = {"file_path": "src/app.py", "old_string": "line 5\n", "new_string": "five\n"}
    done = project.judge("Edit", edit, "--json")
    assert done.code == 0
    assert done.json["parts"][0]["change"]["lines_deleted"] == 1
    cut = {"file_path": "src/app.py", "old_string": LONG[20:], "new_string": ""}
    assert project.judge("Edit", cut).code == 3


@pytest.mark.parametrize(
    "command",
    [
        "echo x > .env",
        "echo x | tee -a config/.env",
        "sed -i s/a/b/ .git/config",
        "cp a.txt .env.local",
        "bash -c 'cat > .env <<EOF\nx\nEOF'",
        "python3 -c \"open('.env','w').write('x')\"",
        "cd config && printf x >> .env",
    ],
)
def test_a_shell_command_that_writes_a_secret_is_denied(project: Project, command: str) -> None:
    assert project.judge("Bash", {"command": command}).code == 2, command


def test_removing_a_directory_is_removing_all_that_is_in_it(project: Project) -> None:
    project.write("app/main.py", LONG)
    assert project.judge("Bash", {"command": "rm -rf app"}).code == 3
    project.write("app/.env", "KEY=1\n")
    done = project.judge("Bash", {"command": "rm -rf app"}, "--json")
    assert done.code == 2
    assert done.json["path"] == "app/.env"
    assert project.judge("Bash", {"command": "rm -rf empty-or-absent"}).code == 0


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("echo x > app.py", 3),
        ("> app.py", 3),
        ("cp /dev/null app.py", 3),
        ("truncate -s 0 app.py", 3),
        ("generate | tee app.py", 3),
        ("mv other.py app.py", 3),
        ("echo x >> app.py", 0),
        ("sed -i s/a/b/ app.py", 0),
        ("touch app.py", 0),
        ("echo x > new.py", 0),
    ],
)
def test_a_shell_write_over_a_substantial_file_is_asked_about(
    project: Project, command: str, code: int
) -> None:
    project.write("app.py", LONG)
    assert project.judge("Bash", {"command": command}).code == code


def test_a_copy_into_a_directory_is_judged_by_the_name_it_gets_there(project: Project) -> None:
    project.write("config/readme", "x")
    assert project.judge("Bash", {"command": "cp /tmp/yarn.lock config"}).code == 2
    assert project.judge("Bash", {"command": "cp /tmp/yarn.lock absent"}).code == 0


def test_a_tilde_is_the_home_directory_and_not_a_file_of_the_project(project: Project) -> None:
    done = project.judge("Bash", {"command": "echo x > ~/notes.txt"}, "--json")
    assert done.json["parts"][-1]["path"] == f"{project.home}/notes.txt"
    project.write("penstock.toml", 'version = 1\noutside_project = "deny"\n')
    assert project.judge("Bash", {"command": "echo x > ~/notes.txt"}).code == 2


def test_a_command_too_tangled_to_be_honest_is_denied(project: Project) -> None:
    done = project.judge("Bash", {"command": "$(" * 3000}, "--json")
    assert done.code == 2


def test_a_patch_is_judged_file_by_file(project: Project) -> None:
    patch = (
        "*** Begin Patch\n*** Add File: ok.txt\n+hello\n*** Add File: .env\n+KEY=1\n*** End Patch"
    )
    done = project.judge("apply_patch", {"command": patch}, "--json")
    assert done.code == 2
    assert [part["path"] for part in done.json["parts"]] == ["ok.txt", ".env"]


def test_an_mcp_tool_with_a_path_is_judged_like_a_write(project: Project) -> None:
    done = project.judge("mcp__notes__write_note", {"path": ".git/config", "content": "x"})
    assert done.code == 2


@pytest.mark.parametrize("path", ["a\0b", "a\nb", "\ud800"])
def test_hostile_paths_are_denied_and_not_failed_open(project: Project, path: str) -> None:
    done = project.judge("Write", {"file_path": path, "content": "x"}, "--json")
    assert done.code == 2
    assert done.json["code"]


def test_a_link_to_a_secret_is_judged_by_where_it_leads(project: Project) -> None:
    project.write(".env", "KEY=1\n")
    (project.root / "docs").mkdir()
    (project.root / "docs" / "x.md").symlink_to("../.env")
    done = project.judge("Write", {"file_path": "docs/x.md", "content": "x"})
    assert done.code == 2


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("cp README.md k/deploy.key", 2),
        ("mv README.md k/deploy.key", 2),
        ("ln README.md k/deploy.key", 2),
        ("install -m 600 README.md k/deploy.key", 2),
        ("cp README.md k/note.txt", 0),
        ("cp README.md k", 0),
        ("rsync README.md k/note.txt", 0),
    ],
)
def test_a_file_behind_a_linked_directory_is_judged(
    project: Project, command: str, code: int
) -> None:
    project.write("README.md", "x\n")
    project.write("keys/a.txt", "x\n")
    (project.root / "k").symlink_to("keys")
    assert project.judge("Bash", {"command": command}).code == code


def test_judging_leaves_nothing_behind(project: Project) -> None:
    project.judge("Write", {"file_path": "a.txt", "content": "x"})
    assert sorted(p.name for p in project.root.iterdir()) == [".git"]
    assert not (project.home / "state").exists()


def test_a_broken_policy_is_told_and_the_built_in_list_stays_in_force(project: Project) -> None:
    project.write("penstock.toml", "version = 1\n[[deny]\n")
    done = project.judge("Write", {"file_path": "a/.env", "content": "x"}, "--json")
    assert done.code == 2
    assert "penstock.toml" in done.json["degraded"]
    ordinary = project.judge("Write", {"file_path": "a.txt", "content": "x"}, "--json")
    assert ordinary.code == 0
    assert ordinary.json["degraded"]


def test_the_projects_own_rules_are_read(project: Project) -> None:
    project.write("penstock.toml", 'version = 1\n[[deny]]\nid = "mine"\npaths = ["a.txt"]\n')
    done = project.judge("Write", {"file_path": "a.txt", "content": "x"}, "--json")
    assert done.code == 2
    assert done.json["rules"][0]["id"] == "mine"
    assert done.json["rules"][0]["where"].endswith("penstock.toml:2")


def test_a_named_rules_file_of_another_format_is_read_unchanged(project: Project) -> None:
    project.write("write-policies.json", '{"protected": ["x/**"], "warned": [], "safe": []}')
    done = project.judge(
        "Write", {"file_path": "x/a", "content": ""}, "--policy", "write-policies.json", "--json"
    )
    assert done.code == 2
    assert done.json["because"] == "Protected path: x/a cannot be modified"


class TestBadUsage:
    @pytest.mark.parametrize(
        "argv",
        [
            ["judge"],
            ["judge", "--tool", "Write"],
            ["judge", "--tool", "Write", "--input", "{"],
            ["judge", "--tool", "Write", "--input", "[]"],
            ["judge", "--tool", "Write", "--input", '{"a": 1, "a": 2}'],
            ["nonsense"],
            ["judge", "--unknown"],
        ],
    )
    def test_wrong_usage_is_64_never_2(self, project: Project, argv: list[str]) -> None:
        done = project.run(*argv)
        assert done.code == 64
        assert done.err.startswith("error[")
        assert done.out == ""

    def test_errors_are_one_json_document_with_json(self, project: Project) -> None:
        done = project.run("judge", "--tool", "Write", "--input", "{", "--json")
        assert set(done.json["error"]) == {"code", "message", "because", "try"}

    def test_a_workspace_that_is_no_directory_is_told(self, project: Project) -> None:
        done = project.judge("Write", {}, "--workspace", "/does/not/exist")
        assert done.code == 1
        assert "no-workspace" in done.err


def test_colour_is_never_printed_into_a_pipe(project: Project) -> None:
    done = project.judge("Write", {"file_path": ".env", "content": "x"})
    assert "\x1b" not in done.out


def test_help_and_version_work(project: Project) -> None:
    assert "judge" in project.run("--help").out
    assert project.run("--version").out.startswith("penstock, version")
    assert "_PENSTOCK_COMPLETE" in project.run("completion", "bash").out


class TestAskedInWords:
    @pytest.mark.parametrize(
        ("words", "code"),
        [
            (("git", "status"), 0),
            (("echo", "x > .env"), 0),  # one word of an `echo`, quoted as a shell would need it
            (("echo x > .env",), 2),  # one word is a whole command line
            (("sh", "-c", "echo x > .env"), 2),
            (("cp", "a b", ".env"), 2),
            (("write", ".env"), 3),  # a program of that name, of which nobody knows what it does
        ],
    )
    def test_words_after_the_mark_are_a_command(
        self, project: Project, words: tuple[str, ...], code: int
    ) -> None:
        done = project.run("judge", "--json", "--", *words)
        assert done.code == code, done.out + done.err

    def test_an_option_after_the_mark_is_the_commands(self, project: Project) -> None:
        project.write("a.py", LONG)
        done = project.run("judge", "--", "rm", "--json", "a.py", "--help")
        assert (done.code, done.out.split()[0]) == (3, "ask")

    @pytest.mark.parametrize(
        ("words", "code", "action"),
        [
            (("write", ".env"), 2, "create"),
            (("edit", "package-lock.json"), 2, "create"),
            (("read", ".env"), 2, "read"),
            (("write", "notes.txt"), 0, "create"),
            (("read", "a file.txt"), 0, "read"),
        ],
    )
    def test_a_file_is_named_by_what_is_done_to_it(
        self, project: Project, words: tuple[str, ...], code: int, action: str
    ) -> None:
        done = project.run("judge", *words, "--json")
        assert (done.code, done.json["action"]) == (code, action)

    def test_without_content_it_says_what_was_not_judged(self, project: Project) -> None:
        project.write("a.py", LONG)
        done = project.run("judge", "write", "a.py")
        assert done.code == 0
        assert "rules about content and removed lines were not applied" in done.out

    @pytest.mark.parametrize("given", ["-", "@call.json"])
    def test_the_input_comes_from_a_file_or_the_standard_input(
        self, project: Project, given: str
    ) -> None:
        text = '{"file_path": ".env", "content": "x"}'
        project.write("call.json", text)
        done = project.run("judge", "--tool", "Write", "--input", given, stdin=text)
        assert done.code == 2

    @pytest.mark.parametrize(
        ("argv", "code", "says"),
        [
            (["--tool", "Write", "--input", "@absent.json"], 1, "`absent.json` can't be read"),
            (["--tool", "Write", "--input", "@."], 1, "can't be read"),
            (["--tool", "Write", "--input", "-"], 64, "not valid JSON"),
            (["--tool", "Write", "--input", "@odd.json"], 64, "not UTF-8"),
            (["--tool", "Write", "--input", "{}"], 64, "the input of `Write` is empty"),
            (["--tool", "Bash", "--input", '{"command": " "}'], 64, "the input of `Bash` is empty"),
            (["--tool", "Bash", "--input", '{"timeout": 5}'], 64, "has no file and no command"),
            (["--tool", "Write", "--input", '{"content": "x"}'], 64, "has no file"),
            (["--tool", "Frobnicate", "--input", "{}"], 64, "the input of `Frobnicate` is empty"),
            (["--tool", "Frobnicate", "--input", '{"x": 1}'], 64, "is not a known tool"),
            (["--tool", "mcp__a__b", "--input", "{}"], 64, "is empty"),
            (["--"], 64, "no command after `--`"),
            (["--", " "], 64, "no command after `--`"),
            (["git", "pull"], 64, "penstock judge -- git pull"),
            (["write"], 64, "penstock judge write PATH"),
            (["write", "a", "b"], 64, "give one file"),
            (["write", ""], 64, "give one file"),
            (["write", "a", "--", "ls"], 64, "give a command after `--`, or"),
            (["write", "a", "--tool", "Write"], 64, "give a command after `--`, or"),
            (["--input", "{}"], 64, "belong together"),
            (["--batch", "--", "ls"], 64, "with `--batch` the calls come from standard input"),
        ],
    )
    def test_what_is_no_call_is_said_and_never_allowed(
        self, project: Project, argv: list[str], code: int, says: str
    ) -> None:
        project.write("odd.json", b'{"file_path": "\xff"}')
        done = project.run("judge", *argv)
        assert (done.code, done.out) == (code, "")
        assert says in done.err

    @pytest.mark.parametrize(
        ("tool", "given"),
        [
            ("TodoWrite", {}),
            ("WebFetch", {"url": "https://example.org"}),
            ("mcp__chat__post", {"text": "hello"}),
        ],
    )
    def test_a_tool_that_touches_no_file_is_allowed(
        self, project: Project, tool: str, given: dict[str, str]
    ) -> None:
        assert project.judge(tool, given).code == 0

    def test_a_tool_that_is_not_known_is_judged_and_said_to_be_so(self, project: Project) -> None:
        done = project.judge("Wirte", {"file_path": ".env", "content": "x"})
        assert done.code == 2
        assert "`Wirte` is not a known tool" in done.out


def test_it_says_when_no_registered_hook_would_see_the_call(project: Project) -> None:
    unseen = "no registered hook sees"
    assert unseen in project.run("judge", "--", "ls").out
    assert project.run("init", "--agent", "gemini", "--yes").code == 0
    assert unseen not in project.run("judge", "--", "ls").out
    assert project.run("judge", "write", "a", "--json").json["seen_by"] == ["gemini"]
    assert unseen in project.judge("Bash", {"command": "ls"}).out  # not that agent's name for it


def test_relative_paths_start_in_the_current_directory_as_a_person_means_them(
    project: Project,
) -> None:
    project.write("pkg/keys/readme", "x")
    below = Project(root=project.root / "pkg" / "keys", home=project.home)
    assert below.run("judge", "write", "x.txt", "--json").json["path"] == "pkg/keys/x.txt"
    found = below.run("judge", "--json", "--", "cp readme ../../.env").json
    assert (found["verdict"], found["path"]) == ("deny", ".env")
    apart = Project(root=project.home, home=project.home)
    elsewhere = apart.run("judge", "write", "x.txt", "--json", "--workspace", str(project.root))
    assert elsewhere.json["path"] == "x.txt"
