"""Python code that finds out which files there are is judged by those files, under `guard`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.gate.test_fresh_classes import project
from tests.gate.test_known_names import verdict

__all__ = ["project"]

CODE = "python3 - <<'EOF'\n{}\nEOF"
ALLOWED = {
    "a list of names": """
import os
for f in os.listdir('src'):
    if f.endswith('.py'):
        p = os.path.join('src', f)
        open(p, 'w').write('x')
""",
    "an ending": """
import os
for f in os.listdir('.'):
    if f.endswith('.md'):
        open(f, 'w').write('x')
""",
    "all others passed over": """
import os
for f in sorted(os.listdir()):
    if not f.endswith(('.md', '.rst')):
        continue
    open(f, 'w').write('x')
""",
    "paths": """
from pathlib import Path
for p in Path('docs').iterdir():
    p.write_text(p.read_text())
""",
    "a suffix": """
from pathlib import Path
for p in sorted(Path('.').iterdir()):
    if p.suffix == '.md' and p.is_file():
        p.write_text('x')
""",
    "entries": """
import os
with os.scandir('docs') as it:
    pass
for e in os.scandir('docs'):
    if e.name.endswith('.md'):
        open(e.path, 'w').write('x')
""",
    "a list made of names": """
import os
for p in [os.path.join('src', f) for f in os.listdir('src')]:
    open(p,'w')
""",
    "a temporary directory": """
import shutil, tempfile, os
d = tempfile.mkdtemp(prefix='x-')
shutil.copytree('src', os.path.join(d, 'src'))
shutil.rmtree(d)
""",
    "a temporary directory for a while": """
import tempfile, pathlib
with tempfile.TemporaryDirectory() as d:
    (pathlib.Path(d) / 'a.txt').write_text('x')
    open(f'{d}/b.txt','w')
""",
    "a temporary file": """
import tempfile, os
f = tempfile.NamedTemporaryFile(suffix='.py', delete=False)
open(f.name,'w').write('x')
os.unlink(f.name)
""",
    "the root by git": """
import subprocess, pathlib
top = subprocess.check_output(['git','rev-parse','--show-toplevel']).decode().strip()
root = pathlib.Path(top)
(root / 'docs' / 'v.md').write_text('x')
""",
    "words that are split": """
import subprocess, os
asked = 'git rev-parse --show-toplevel'.split()
root = subprocess.run(asked, capture_output=True, text=True).stdout.strip()
open(os.path.join(root, 'docs/v.md'), 'w').write('x')
""",
    "a result": """
import subprocess, os
r = subprocess.run(['git','rev-parse','--show-toplevel'], capture_output=True, text=True)
open(r.stdout.strip() + '/docs/v.md', 'w').write('x')
""",
    "one text": """
import subprocess, os
root = subprocess.getoutput('git rev-parse --show-toplevel')
open(root + '/docs/v.md', 'w').write('x')
""",
    "names kept": """
import os
files = sorted(os.listdir('src'))
for f in files:
    open('src/' + f, 'w')
""",
    "names chosen": """
import os
files = [f for f in os.listdir('.') if f.endswith('.md')]
for f in files:
    open(f, 'w')
""",
    "a pattern kept": """
import glob
files = glob.glob('docs/*.md')
for f in files:
    open(f, 'w')
""",
    "another directory": """
import os
os.chdir('docs')
open('one.md','w')
""",
}
SEEN = {
    "a list of names": """
import os
for f in os.listdir('config'):
    open(os.path.join('config', f), 'w')
""",
    "all of the project": """
import os
for f in os.listdir('.'):
    open(f, 'w')
""",
    "an ending of keys": """
import os
for f in os.listdir('config'):
    if f.endswith('.key'):
        open('config/' + f, 'w')
""",
    "a test that lets all pass": """
import os
for f in os.listdir('.'):
    if f.endswith('.md'):
        pass
    open(f, 'w')
""",
    "read": """
import os
for f in os.listdir('secrets'):
    print(open(os.path.join('secrets', f)).read())
""",
    "paths read": """
from pathlib import Path
for p in Path('secrets').iterdir():
    print(p.read_text())
""",
    "paths of the project": """
from pathlib import Path
for p in Path('.').iterdir():
    p.write_text('')
""",
    "entries read": """
import os
for e in os.scandir('config'):
    print(open(e.path).read())
""",
    "the root by git": """
import subprocess, pathlib
top = subprocess.check_output(['git','rev-parse','--show-toplevel']).decode().strip()
root = pathlib.Path(top)
(root / '.env').write_text('x')
""",
    "a temporary file elsewhere": """
import tempfile
f = tempfile.NamedTemporaryFile(dir='.git/hooks', delete=False)
open(f.name,'w').write('x')
""",
    "an ending cut off": """
open('.env.bak'.removesuffix('.bak'),'w')
""",
    "another directory": """
import os
os.chdir('secrets')
open('db.json','w')
""",
    "names in another directory": """
import os
os.chdir('secrets')
for f in os.listdir('.'):
    if f.endswith('.json'):
        open(f,'w')
""",
    "names added": """
import os
files = [f for f in os.listdir('.') if f.endswith('.md')]
files.append('.env')
for f in files:
    open(f, 'w')
""",
    "more names": """
import os
files = [f for f in os.listdir('.') if f.endswith('.md')]
files += ['.env']
for f in files:
    open(f, 'w')
""",
    "names kept": """
import os
files = os.listdir('.')
for f in files:
    open(f, 'w')
""",
    "a beginning": """
import os
files = [f for f in os.listdir('.') if f.startswith('.e')]
for f in files:
    open(f, 'w')
""",
    "a shell in another directory": """
import os
os.chdir('secrets')
os.system('cat db.json')
""",
    "a program in another directory": """
import os, subprocess
os.chdir('secrets')
subprocess.run(['cat', 'db.json'])
""",
    "read in another directory": """
import os
os.chdir('secrets')
print(open('db.json').read())
""",
    "a suffix among letters": """
from pathlib import Path
for p in Path(".").iterdir():
    if p.suffix in ".md .py":
        p.write_text("x")
""",
    "git elsewhere": """
import subprocess
root = subprocess.check_output(["git", "rev-parse", "--show-toplevel"], cwd="x", text=True).strip()
open(root + "/docs/a.md", "w")
""",
}


@pytest.mark.parametrize("code", ALLOWED.values(), ids=ALLOWED)
def test_names_that_are_found_on_the_disk_are_known(project: Path, code: str) -> None:
    answer = verdict(project, CODE.format(code))
    assert answer[0] == "allow", answer


@pytest.mark.parametrize("code", SEEN.values(), ids=SEEN)
def test_protected_files_among_such_names_are_seen(project: Path, code: str) -> None:
    answer = verdict(project, CODE.format(code))
    assert answer[0] in ("ask", "deny"), answer
