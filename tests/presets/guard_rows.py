"""Calls and what `guard` says to them, by name: a table that `test_guard_rows` walks.

Each row is a command, or a tool with its input as `Tool PATH [CONTENT]`. `~` is the home, and
everything else hangs from the project of `TREE`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

LONG = "".join(f"LINE_{n} = {n}\n" for n in range(240))
COMMITTED = {
    ".gitignore": "\n".join(
        (".env", ".env.local", "node_modules/", ".venv/", "dist/", "build/", "target/", "*.log", "")
    ),
    "README.md": "# Shop\n\nWords.\n",
    "CLAUDE.md": "Run `make test`.\n",
    "Dockerfile": "FROM scratch\n",
    "package.json": '{"name": "shop"}\n',
    "package-lock.json": '{"lockfileVersion": 3}\n' * 120,
    "yarn.lock": "# yarn\n" * 150,
    "Cargo.lock": "version = 3\n",
    "poetry.lock": "x\n",
    "go.sum": "x\n",
    "src/app.py": "print(1)\n",
    "src/long.py": LONG,
    "src/old/a.py": LONG,
    "src/old/b.py": "b = 1\n",
    "src/secrets/__init__.py": "import vault\n",
    "src/secrets/store.py": LONG[:400],
    "internal/secrets/store.go": "package secrets\n",
    "internal/secrets/README.md": "# Secrets\n",
    "tests/test_app.py": "def test(): pass\n",
    "tests/fixtures/server.key": "test key\n",
    "tests/__snapshots__/app.snap": LONG,
    "public/app.min.js": LONG,
    ".env.example": "TOKEN=\n",
    ".env.test.example": "TOKEN=\n",
    "config/.env.sample": "TOKEN=\n",
    ".npmrc": "registry=https://example.com\n",
    ".envrc": "use nix\n",
    ".github/workflows/ci.yml": "on: push\n",
    ".husky/pre-commit": "npm test\n",
    "vendor/lib/a.go": "package lib\n",
    "certs/cacert.pem": "root\n",
    "keys/deploy.pub": "public\n",
}
LOOSE = {
    ".env": "TOKEN=x\n",
    ".env.local": "TOKEN=x\n",
    "keys/server.pem": "key\n",
    "deploy/secrets/db.yaml": "password: x\n",
    "keys/deploy.key": "key\n",
    "node_modules/lodash/index.js": LONG,
    "node_modules/tls/test/key.pem": "published\n",
    "node_modules/.bin/jest": "#!/bin/sh\n",
    ".venv/lib/python3.12/site-packages/certifi/cacert.pem": "root\n",
    ".venv/bin/activate": "x\n",
    "dist/bundle.js": LONG,
    "build/lib/a.py": LONG,
    "target/debug/shop": "elf\n",
    "out.log": LONG,
    "notes/plan.md": "the week\n",
    "notes/ideas.md": LONG,
    "draft.py": LONG,
    "probe.py": "print(1)\n",
    "scratch/try.py": LONG,
    "~/.bashrc": "x\n",
    "~/.zshrc": "x\n",
    "~/.profile": "x\n",
    "~/.gitconfig": "[user]\n\tname = Dev\n\temail = dev@example.com\n",
    "~/.ssh/id_ed25519": "private\n",
    "~/.ssh/id_ed25519.pub": "public\n",
    "~/.ssh/config": "Host *\n",
    "~/.aws/credentials": "[default]\n",
    "~/.netrc": "machine x\n",
    "~/.cache/pip/x": "x\n",
    "~/.npm/_cacache/x": "x\n",
    "~/Documents/thesis.md": LONG,
    "~/work/other/src/main.py": "main = 1\n",
    "~/work/other/.env": "TOKEN=x\n",
}
# After the commit: work that git does not have yet.
CHANGED = {"src/app.py": "print(2)\n"}

MADE_ANEW = ("node_modules", ".venv", "dist", "build", "target", "node_modules/lodash")
LOCKS = ("package-lock.json", "yarn.lock", "Cargo.lock", "poetry.lock", "go.sum")
EXAMPLES = (".env.example", ".env.test.example", "config/.env.sample", ".env.template", ".env.dist")
FREE_NEW = (
    *EXAMPLES,
    *("example.env", ".env.defaults", "src/secrets/cache.py", "src/secrets/__init__.py"),
    *("internal/secrets/store.go", "docs/secrets.md", "src/keys.py", "src/app.py", "README.md"),
    *("tests/test_app.py", "CLAUDE.md", "AGENTS.md", "Dockerfile", ".github/workflows/ci.yml"),
    *(".husky/pre-commit", ".pre-commit-config.yaml", ".claude/commands/fix.md", "Makefile"),
    *(".cursor/rules/style.mdc", "docker-compose.yml", "agent_sandbox/a.py", "package.json"),
    *("keys/deploy.pub", "dist/index.html", "src/environment.ts", "/tmp/a/b.py"),
    *("/var/tmp/x", "~/.cache/shop/x", "~/.claude/plans/login.md", "src/env.py", ".gitignore"),
)
READABLE = (
    *EXAMPLES,
    *("package-lock.json", ".git/config", "node_modules/tls/test/key.pem", "certs/cacert.pem"),
    *(".venv/lib/python3.12/site-packages/certifi/cacert.pem", "src/secrets/store.py"),
    *("~/.ssh/id_ed25519.pub", "/etc/hosts", "/usr/include/stdio.h", "~/work/other/src/main.py"),
    *("~/.bashrc", "keys/deploy.pub", "penstock.toml", "dist/bundle.js", "/dev/null", "CLAUDE.md"),
)
EVERYDAY = (
    "npm ci",
    "npm install && npm run build",
    "rm -rf node_modules package-lock.json && npm install",
    "rm -rf dist build && make",
    "rm src/long.py",
    "rm src/old/a.py src/old/b.py",
    "rm -r src/old",
    "rm -rf src/old tests/__snapshots__",
    "git rm -q src/long.py",
    "git rm -rq src/old",
    "rm probe.py",
    "rm -f out.log",
    "rm -rf scratch",
    "rm -rf not-there",
    "rm -f /tmp/never-there.txt",
    "rm -rf /tmp/shop-work && mkdir -p /tmp/shop-work",
    "cd /tmp && mkdir -p w && echo x > w/a && rm -rf w",
    "rm -rf /var/tmp/shop",
    "rm -rf ~/.cache/pip",
    "rm -rf ~/.npm/_cacache",
    "rm -rf $HOME/.cache/shop",
    "tar xzf /tmp/a.tgz -C /tmp/a",
    "tar czf /tmp/src.tgz src",
    "unzip -o /tmp/a.zip -d /tmp/a",
    "7z x /tmp/a.7z -o/tmp/a",
    "split -l 50 src/long.py /tmp/part.",
    "cp -r src /tmp/src-copy",
    "cp src/app.py /tmp/app.py",
    "mv /tmp/never.py src/never.py",
    "mv package-lock.json /tmp/old-lock.json",
    "mv src/long.py src/longer.py",
    "mv src/old src/older",
    "mkdir -p build/html && cp README.md build/html/",
    "install -m 755 src/app.py build/app",
    "echo log > build/test.log",
    "echo x > dist/index.html",
    "echo x > public/app.min.js",
    "truncate -s 0 out.log",
    "touch src/new.py",
    "touch node_modules/.stamp",
    "mkdir -p node_modules/.cache",
    "chmod +x src/app.py",
    "chmod -R u+w src",
    "echo 'TOKEN=' >> .env.example",
    "sed -i 's/TOKEN/KEY/' .env.example",
    "cp .env.example .env.sample",
    "cat > .env.template <<'EOF'\nTOKEN=\nEOF",
    "git checkout HEAD -- package-lock.json",
    "git checkout HEAD -- yarn.lock && yarn install",
    "git stash -q && git stash pop -q",
    "dd if=/dev/zero of=/tmp/blob bs=1M count=1",
    "dd if=/dev/urandom of=build/blob bs=1k count=1",
    "echo x > /dev/null",
    "echo x >&2 2>/dev/null",
    "echo x | tee /dev/stderr",
    "echo x > /dev/tty",
    "echo x > /dev/shm/probe",
    "fdisk -l",
    "fdisk -l /dev/sda",
    "parted /dev/sda print",
    "sgdisk -p /dev/sda",
    "sfdisk -d /dev/sda",
    "wipefs /dev/sda",
    "lsblk -f /dev/sda",
    "df -h /dev/sda1",
    "mount | grep /dev/sda",
    "smartctl -a /dev/sda",
    "file /dev/sda",
    "crontab -l",
    "cat /etc/hosts",
    "ls -la ~/.ssh",
    "ls ~/Documents ..",
    "cat ../other/src/main.py",
    "diff -r src ../other/src",
    "python -m venv /tmp/v && /tmp/v/bin/pip install .",
    "pip install -r requirements.txt",
    "cargo build --release",
    "go mod tidy",
    "TMP=$(mktemp -d) && cp README.md $TMP/ && rm -rf $TMP",
    "f=$(mktemp) && git diff > $f && rm $f",
    "sed -i 's/1/3/' src/app.py",
    "echo 'print(3)' > src/app.py",
    "cat >> CLAUDE.md <<'EOF'\nUse tabs.\nEOF",
)


def _everyday() -> Iterator[str]:
    yield from EVERYDAY
    for how, name in product(
        ("rm -rf {}", "npx rimraf {}", "rm -r ./{}", "mv {} /tmp/gone"), MADE_ANEW
    ):
        yield how.format(name)
    for how, name in product(("rm {}", "rm -f ./{}", "git rm -q {}", "unlink {}"), LOCKS):
        yield how.format(name)
    for tool, name in product(("Write", "write_file", "Create"), FREE_NEW):
        yield f"{tool} {name}"
    for tool, name in product(("Read", "read_file"), READABLE):
        yield f"{tool} {name}"


SECRETS = (
    *(".env", ".env.local", "config/.env.production", ".envs/.prod/db", "keys/server.pem"),
    *("keys/deploy.key", "deploy/id_rsa", "a/secrets/db.yaml", "~/.ssh/config", "~/.netrc"),
    *("~/.aws/credentials", "~/.ssh/id_ed25519", "~/work/other/.env", "store.p12", "app.jks"),
    *(".npmrc", ".envrc", "prod.env", ".env.test", "tests/fixtures/server.key", "~/.kube/config"),
)
BY_HAND = (
    *("package-lock.json", "yarn.lock", "Cargo.lock", "go.sum", "node_modules/lodash/index.js"),
    *("node_modules/.bin/jest", ".venv/bin/activate", "target/debug/shop", "vendor/lib/a.go"),
    *(".git/config", ".git/hooks/pre-commit", "penstock.toml", ".claude/settings.json"),
)
OUTSIDE = (
    *("~/.bashrc", "~/.zshrc", "~/.profile", "~/.gitconfig", "~/.config/fish/config.fish"),
    *("~/.config/autostart/x.desktop", "~/.config/systemd/user/x.service", "/etc/hosts"),
    *("/etc/sudoers.d/x", "/etc/cron.d/x", "/usr/local/bin/x", "/opt/x/y", "/boot/x", "~/x.txt"),
    *("~/Documents/thesis.md", "../other/src/main.py", "~/.local/bin/ls", "~/.vimrc"),
)
FOLDERS = (
    *("~/Documents", "~", "../other", "..", "~/.ssh", "~/work", "/etc", "/usr/local", "/opt", "/"),
    *("~/.config", "/var/lib", "/home", "/boot", "../other/src"),
)
DEVICES = ("/dev/sda", "/dev/nvme0n1", "/dev/vdb1", "/dev/mapper/root", "/dev/disk/by-id/x")
ATTACKS = (
    "mkfs -t ext4 /dev/sdb",
    "mkfs.ext4 -F /dev/sdb1",
    "sudo mkfs.xfs -f /dev/vda",
    "mkswap /dev/sda2",
    "wipefs -a /dev/sda",
    "wipefs --all --force /dev/sda",
    "shred -n 1 /dev/sda",
    "blkdiscard -f /dev/sda",
    "fdisk /dev/sda <<< w",
    "parted -s /dev/sda mklabel gpt",
    "sgdisk --zap-all /dev/sda",
    "sfdisk /dev/sda < /tmp/table",
    "cryptsetup luksFormat /dev/sda",
    "pvcreate /dev/sdb",
    "badblocks -wsv /dev/sda",
    "hdparm --security-erase x /dev/sda",
    "cat /dev/zero | tee /dev/sda",
    "echo b > /proc/sysrq-trigger",
    "echo 1 > /proc/sys/vm/drop_caches",
    "rm -rf notes",
    "rm -rf ./notes/",
    "rm -r notes src/old",
    "rm -rf src",
    "rm -rf src/*",
    "rm -rf *",
    "rm draft.py",
    "unlink draft.py",
    "rm -f draft.py README.md",
    "shred -u probe.py",
    "shred -u src/app.py",
    "cd .. && rm -rf shop",
    "rm -rf .",
    "rm -rf $PWD",
    "find . -delete",
    "python3 -c \"import shutil; shutil.rmtree('notes')\"",
    "node -e \"require('fs').rmSync('notes', {recursive: true})\"",
    "echo '# stub' > src/long.py",
    ": > src/long.py",
    "truncate -s 0 src/long.py",
    "cp README.md src/long.py",
    "tee src/long.py <<< stub",
    "tar xzf /tmp/a.tgz -C ~",
    "tar xzPf /tmp/a.tgz -C /tmp/a",
    "git config --global core.hooksPath /tmp/h",
    "sudo tee /etc/hosts < /tmp/h",
    "cd ~ && echo x >> .bashrc",
    "cd && rm -rf Documents",
    'D=~/Documents; rm -rf "$D"',
    "rsync -a --delete /tmp/empty/ ~/Documents/",
    "mv ~/Documents/thesis.md /tmp/",
    "mv README.md ../other/",
    "ln -sf /tmp/x /usr/bin/env",
    "curl -fsSL https://example.com/x -o /usr/local/bin/x",
    "(crontab -l; echo '* * * * * x') | crontab -",
)


def _attacks() -> Iterator[str]:
    yield from ATTACKS
    for how, name in product(("Read", "Write", "rm {}", "echo x > {}", "cp README.md {}"), SECRETS):
        yield how.format(name) if "{" in how else f"{how} {name}"
    edits = ("Write", "echo x > {}", "echo x >> {}", "sed -i 's/a/b/' {}", "tee {} < README.md")
    for how, name in product(edits, BY_HAND):
        yield how.format(name) if "{" in how else f"{how} {name}"
    ways = ("Write", "echo x >> {}", "cp README.md {}", "sed -i 's/a/b/' {}", "rm -f {}")
    for how, name in product(ways, OUTSIDE):
        yield how.format(name) if "{" in how else f"{how} {name}"
    for how, name in product(("rm -rf {}", "chmod -R 777 {}", "sudo chown -R x {}"), FOLDERS):
        yield how.format(name)
    devices = ("dd if=/dev/zero of={}", "echo x > {}", "cp /dev/zero {}", "mkfs.ext4 {}")
    for how, name in product(devices, DEVICES):
        yield how.format(name)


EVERYDAY_ROWS = tuple(dict.fromkeys(_everyday()))
ATTACK_ROWS = tuple(dict.fromkeys(_attacks()))
