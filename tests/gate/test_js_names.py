"""JavaScript that loops over a directory is judged by the files in it, under `guard`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gate.test_fresh_classes import project
from tests.gate.test_known_names import verdict

__all__ = ["project"]

CODE = """node - <<'JS'
const fs = require('fs');
const path = require('path');
{}
JS"""
ALLOWED = {
    "names joined": """
for (const f of fs.readdirSync('docs')) {
  const p = 'docs/' + f; fs.writeFileSync(p, 'x')
}
""",
    "a path joined": """
for (const f of fs.readdirSync('docs')) { fs.writeFileSync(path.join('docs', f), 'x') }
""",
    "a template": """
fs.readdirSync('docs').forEach(f => { fs.writeFileSync(`docs/${f}`, 'x') })
""",
    "names chosen": """
fs.readdirSync('docs').filter(f => f.endsWith('.md')).forEach((f) => {
  const p = path.join('docs', f); fs.writeFileSync(p, 'x')
})
""",
    "a file in each directory": """
for (const d of fs.readdirSync('src')) {
  const f = path.join('src', d, 'package.json');
  if (!fs.existsSync(f)) continue;
  fs.writeFileSync(f, 'x');
}
""",
    "a directory with a name": """
const dir = 'docs';
for (const f of fs.readdirSync(dir)) {
  fs.writeFileSync(path.join(dir, f), 'x')
}
""",
    "names kept": """
const files = fs.readdirSync('docs');
for (const f of files) {
  fs.writeFileSync(path.join('docs', f), 'x')
}
""",
}
SEEN = {
    "names joined": """
for (const f of fs.readdirSync('config')) {
  const p = 'config/' + f; fs.writeFileSync(p, 'x')
}
""",
    "a path joined": """
for (const f of fs.readdirSync('config')) {
  fs.writeFileSync(path.join('config', f), 'x')
}
""",
    "a template": """
fs.readdirSync('config').forEach(f => { fs.writeFileSync(`config/${f}`, 'x') })
""",
    "a text with an unknown end": """
const p = 'config/' + process.argv[2]; fs.writeFileSync(p, 'x')
""",
    "read": """
for (const f of fs.readdirSync('secrets')) {
  console.log(fs.readFileSync('secrets/' + f, 'utf8'))
}
""",
    "all of the project": """
for (const f of fs.readdirSync('.')) { fs.writeFileSync(f, 'x') }
""",
}


@pytest.mark.parametrize("code", ALLOWED.values(), ids=ALLOWED)
def test_a_loop_over_a_directory_is_not_asked_about(project: Path, code: str) -> None:
    answer = verdict(project, CODE.replace("{}", code, 1))
    assert answer[0] == "allow", answer


@pytest.mark.parametrize("code", SEEN.values(), ids=SEEN)
def test_protected_files_in_a_directory_are_seen(project: Path, code: str) -> None:
    answer = verdict(project, CODE.replace("{}", code, 1))
    assert answer[0] in ("ask", "deny"), answer
