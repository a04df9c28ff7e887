"""Which programs a command starts, whatever stands before them: what `program_regex` looks at."""

from __future__ import annotations

import pytest

from penstock.core.shell.analyze import writes
from penstock.core.shell.findings import MOST_PROGRAMS

ROWS = [
    ("git push -f", "git push -f"),
    ("git   push    -f", "git push -f"),
    ("sudo git push -f", "git push -f"),
    ("sudo -u bob -E git push -f", "git push -f"),
    ("A=1 B=2 git push -f", "git push -f"),
    ("env -i A=1 git push -f", "git push -f"),
    ("/usr/bin/git push -f", "git push -f"),
    ("\\git push -f", "git push -f"),
    ("'git' \"push\" -f", "git push -f"),
    ("g''it push -f", "git push -f"),
    ("g=git; $g push -f", "git push -f"),
    ("alias g=git\ng push -f", "git push -f"),
    ("f() { git push -f; }; f", "git push -f"),
    ("cd x && git push -f", "git push -f"),
    ("true | git push -f", "git push -f"),
    ("echo $(git push -f)", "git push -f"),
    ("bash -c 'git push -f'", "git push -f"),
    ("eval 'git push' -f", "git push -f"),
    ("timeout 5 git push -f", "git push -f"),
    ("nohup nice -n 5 git push -f &", "git push -f"),
    ("echo -f | xargs git push", "git push -f <<< '-f\n'"),
    ("find . -name a -exec git push -f ';'", "git push -f"),
    ("ssh host git push -f", "git push -f"),
    ("ssh host 'cd x && sudo git push -f'", "git push -f"),
    ("docker exec -it web git push -f", "git push -f"),
    ("docker compose exec web sh -c 'git push -f'", "git push -f"),
    ("kubectl exec pod -- git push -f", "git push -f"),
    ("heroku run -a shop git push -f", "git push -f"),
    ("npx prisma@5.1 reset", "prisma reset"),
    ("npx -y -p prisma prisma reset", "prisma reset"),
    ("npx -c 'prisma reset'", "prisma reset"),
    ("npx @scope/tool reset", "tool reset"),
    ("yarn prisma reset", "prisma reset"),
    ("pnpm exec prisma reset", "prisma reset"),
    ("uv run twine upload a", "twine upload a"),
    ("python -m twine upload a", "twine upload a"),
    ("cross-env A=1 prisma reset", "prisma reset"),
    ("dotenv -e .env.example -- prisma reset", "prisma reset"),
    ("doppler run --command 'prisma reset'", "prisma reset"),
    ("aws-vault exec prod -- aws s3 rb s3://b", "aws s3 rb s3://b"),
    ("direnv exec . prisma reset", "prisma reset"),
    ("concurrently 'prisma reset' 'npm run dev'", "prisma reset"),
    ("gosu app prisma reset", "prisma reset"),
    ("rbenv exec rails db:drop", "rails db:drop"),
    ("echo 'drop table a' | psql app", "psql app <<< 'drop table a\n'"),
    ("psql app <<< 'drop table a'", "psql app <<< 'drop table a\n'"),
    ("psql app <<'E'\ndrop table a\nE", "psql app <<< 'drop table a\n'"),
    ("psql -c \"drop table a\"", "psql -c 'drop table a'"),
    ("for t in a b; do psql -c \"drop table $t\"; done", "psql -c 'drop table b'"),
]  # fmt: skip


@pytest.mark.parametrize(("command", "program"), ROWS)
def test_a_program_is_found_whatever_stands_before_it(command: str, program: str) -> None:
    assert program in [text for _, text in writes(command).programs]


NOT = [
    ("git commit -m 'git push -f'", "git push -f"),
    ("echo git push -f", "git push -f"),
    ("echo 'git push -f' > notes.txt", "git push -f"),
    ("grep -rn 'git push -f' docs", "git push -f"),
    ("cat <<'E' > a.md\ngit push -f\nE", "git push -f"),
    ("command -v git", "git"),
]


@pytest.mark.parametrize(("command", "program"), NOT)
def test_a_text_that_nobody_runs_is_no_program(command: str, program: str) -> None:
    assert program not in [text for _, text in writes(command).programs]


def test_each_program_is_told_with_the_simple_command_that_it_comes_from() -> None:
    effect = writes("cd x && sudo git push -f; bash -c 'git pull'")
    assert ("sudo git push -f", "git push -f") in effect.programs
    assert ("git pull", "git pull") in effect.programs


def test_more_programs_than_are_followed_make_a_command_unclear() -> None:
    few = "".join(f"sudo echo {n}\n" for n in range(100))
    assert not writes(few).unclear
    words = " ".join(f"a{n}" for n in range(MOST_PROGRAMS))
    many = writes(f"for n in {words}; do sudo true $n; sudo false $n; done")
    assert many.unclear or many.excessive
