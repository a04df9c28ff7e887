"""Words that the tables of reading programs look up: options with values, and who is left alone.

Always true: only names are here; what they mean for a command is settled beside them.
"""

from __future__ import annotations

GREP_SHORT = "ABCDdefmX"
GREP_LONG = (
    "after-context before-context context binary-files devices directories regexp file max-count"
    " include exclude exclude-from exclude-dir label color colour"
)
RG_SHORT = "ABCEMTdefgjmrtG"
RG_LONG = (
    "after-context before-context context encoding max-columns type-not max-depth regexp file glob"
    " iglob threads max-count replace type include exclude exclude-from exclude-dir color colors"
    " sort path-separator max-filesize ignore-file ignore ignore-dir pre engine"
)
CURL_SHORT = "oDcXHdFuAebmxrTwKEUyYzCtPQ"
CURL_LONG = (
    "output dump-header cookie-jar trace trace-ascii stderr etag-save libcurl request header data"
    " data-raw data-binary data-ascii data-urlencode form form-string user user-agent referer"
    " cookie url url-query max-time connect-timeout retry retry-delay proxy cacert capath cert key"
    " range upload-file write-out output-dir json interface resolve config netrc-file aws-sigv4"
    " hsts alt-svc pass cert-type key-type ciphers tls-max limit-rate connect-to unix-socket"
    " variable expand-data expand-form expand-url"
)

# Options whose file a program loads to work with it, and does not show.
LOADS = frozenset(
    {
        *("env-file", "envfile", "dotenv", "dotenv-path", "dotenv-config-path", "env-path"),
        *("cert", "certfile", "cert-file", "certificate", "certificate-file", "client-cert"),
        *("client-certificate", "client-key", "cacert", "cafile", "ca-file", "ca-cert", "ca"),
        *("certificate-authority", "ca-certificate", "ca-bundle", "ca-path", "cacerts"),
        *("key", "keyfile", "key-file", "private-key", "private-key-file", "privkey"),
        *("ssl-key", "ssl-cert", "ssl-ca", "ssl-keyfile", "ssl-certfile", "ssl-ca-certs"),
        *("tls-key", "tls-cert", "tls-ca", "tlscert", "tlskey", "tlscacert", "tls-cert-file"),
        *("tls-key-file", "tls-private-key-file", "https-key", "https-cert", "root-cert"),
        *("identity", "identity-file", "identityfile", "ssh-key", "kubeconfig", "userconfig"),
        *("keystore", "truststore", "netrc-file", "vault-password-file", "password-file"),
        *("exclude", "ignore", "ignore-path", "skip", "exclude-dir", "ignore-pattern", "omit"),
        *("gitignore-path", "i18n", "grep"),
    }
)
# Options whose value people write for each other, whatever the program.
PROSE = frozenset(
    {
        *("--message", "--title", "--subject", "--description", "--comment", "--summary"),
        *("--reason", "--search", "--commit-message", "--prompt", "--grep", "--milestone"),
        *("--branch", "--label"),
    }
)
# The same for programs that speak to people, and for those that choose tests by name.
SPOKEN = frozenset({"-m", "-t", "-b", "-k", "-n", "-g", "--body", "--notes", "--text", "--name"})
TESTERS = frozenset(
    {"pytest", "py.test", "mocha", "jest", "vitest", "ava", "rspec", "cypress", "playwright"}
)
# Options whose value is code, or a command in another language.
CODE = frozenset(
    {
        *("-e", "-c", "-E", "-x", "-r", "-q", "-a", "-f", "-ex", "-o", "--eval", "-eval", "--exec"),
        *("--execute", "--command", "--expression", "--query", "--script", "--sh-exec", "--code"),
        *("--preview", "--call", "--args", "--run", "--module-args", "--sql", "--cmd", "-run"),
        *("eval", "runner"),
    }
)
# Options whose value is a file with the names of other files.
LISTS = frozenset(
    {
        *("files-from", "files0-from", "file-list", "filelist", "from-list", "input-list", "list"),
        *("arg-file", "args-file", "names-from", "paths-from", "include-from", "stdin-paths"),
        *("pathspec-from-file", "inputs-from", "manifest", "input-file", "source-list", "sources"),
        *("from-file", "paths-file", "listfile", "list-file", "file-names", "files-list"),
    }
)
# Programs whose words tell, at most, that a file is there; or whose words are no files of theirs.
QUIET = frozenset(
    {
        *("ls", "ll", "la", "dir", "exa", "eza", "lsd", "tree", "stat", "df", "vdir", "getfacl"),
        *("lsblk", "blkid", "findmnt", "smartctl", "udevadm", "lspci", "lsusb", "iostat", "lsof"),
        *("test", "[", "[[", "basename", "dirname", "realpath", "readlink", "pwd", "namei"),
        *("lsattr", "fuser", "find", "fd", "fdfind", "gfind", "locate", "mdfind", "pathchk"),
        *("md5sum", "sha1sum", "sha256sum", "sha512sum", "shasum", "cksum", "b2sum", "md5", "sum"),
        *("echo", "printf", "print", "notify-send", "cowsay", "figlet", "expr", "seq", "uname"),
        *("true", "false", ":", "which", "whereis", "type", "help", "whatis", "id", "whoami"),
        *("tldr", "apropos", "hash", "kill", "pkill", "killall", "pgrep", "sleep", "wait"),
        *("hostname", "clear", "tput", "stty", "export", "set", "unset", "shift", "return"),
        *("break", "continue", "exit", "umask", "ulimit", "yes", "jobs", "tr", "history", "bind"),
        *("chezmoi", "watchman", "checkov", "gitleaks", "trufflehog", "detect-secrets", "ggshield"),
        *("git-secrets", "tig", "systemctl", "service", "ping", "dig", "nslookup", "host", "whois"),
        *("dotenv-linter", "mdls", "xattr", "tmutil", "launchctl", "defaults", "sw_vers", "open"),
        *("xdg-open", "fg", "bg", "compgen", "complete", "caller", "times", "tee"),
    }
)
# Programs that start another one, whose words are judged by themselves.
STARTS = frozenset(
    {
        *("asdf", "aws-vault", "chamber", "chronic", "concurrently", "corepack", "cross-env"),
        *("devbox", "doppler", "dumb-init", "envchain", "fly", "flyctl", "fnm", "gosu"),
        *("hyperfine", "infisical", "lerna", "nodenv", "pyenv", "railway", "rbenv"),
        *("setuidgid", "shx", "su-exec", "teller", "tini", "vercel", "volta"),
        *(
            "-",
            "alias",
            "builtin",
            "caffeinate",
            "catchsegv",
            "ccache",
            "chroot",
            "chrt",
            "command",
        ),
        *("busybox", "toybox", "dbus-run-session", "doas", "enable", "entr", "env", "eval", "exec"),
        *("fakeroot", "fc", "firejail", "flock", "gtimeout", "ionice", "ltrace", "mapfile", "nice"),
        *("nix", "nocorrect", "noglob", "nohup", "nsenter", "numactl", "perf", "pkexec", "prlimit"),
        *(
            "proxychains",
            "proxychains4",
            "readarray",
            "rlwrap",
            "runuser",
            "script",
            "setsid",
            "sg",
        ),
        *("stdbuf", "strace", "su", "sudo", "taskset", "time", "timeout", "torsocks", "trap"),
        *(
            "unbuffer",
            "unshare",
            "watch",
            "xvfb-run",
            "npx",
            "bunx",
            "pnpx",
            "uvx",
            "pipx",
            "batch",
        ),
        *("pwsh", "powershell", "powershell.exe", "cmd.exe", "ssh", "mosh", "autossh", "bundle"),
        *("conda", "mamba", "pdm", "rye", "hatch", "pixi", "poetry", "coverage", "expect"),
        *("alacritty", "eterm", "foot", "footclient", "ghostty", "gnome-terminal", "guake", "kgx"),
        *("kitten", "kitty", "konsole", "lxterminal", "mate-terminal", "ptyxis", "qterminal", "st"),
        *("rxvt", "terminator", "terminology", "tilix", "urxvt", "uxterm", "wezterm", "xterm"),
        *("x-terminal-emulator", "xfce4-terminal", "zellij", "dotool", "wtype"),
    }
)
# Programs that change names, permissions and disks, and show nothing of what a file holds.
CHANGES = frozenset(
    {
        *(
            "rm",
            "rmdir",
            "unlink",
            "trash",
            "trash-put",
            "rimraf",
            "rip",
            "del-cli",
            "shred",
            "srm",
        ),
        *("file-rename", "perl-rename", "prename"),
        *("mv", "gmv", "ln", "link", "rename", "touch", "truncate", "fallocate", "mkdir", "mkfifo"),
        *("mknod", "chmod", "chown", "chgrp", "chattr", "setfacl", "setfattr", "gio", "sponge"),
        *(
            "mount",
            "umount",
            "bindfs",
            "python-venv",
            "virtualenv",
            "tic",
            "apply_patch",
        ),
        *(
            "applypatch",
            "age-keygen",
            "xkill",
            "initctl",
            "swapon",
            "losetup",
            "diskutil",
            "dmsetup",
        ),
        *("badblocks", "blkdiscard", "cfdisk", "cryptsetup", "e2fsck", "fdisk", "fsck", "gdisk"),
        *("hdparm", "lvremove", "mdadm", "mkdosfs", "mke2fs", "mkfs", "mkfs.btrfs", "mkfs.exfat"),
        *("mkfs.ext2", "mkfs.ext3", "mkfs.ext4", "mkfs.f2fs", "mkfs.fat", "mkfs.minix"),
        *("mkfs.msdos", "mkfs.ntfs", "mkfs.vfat", "mkfs.xfs", "mkntfs", "mkswap", "newfs"),
        *("newfs_apfs", "newfs_hfs", "nvme", "parted", "partprobe", "pvcreate", "pvremove"),
        *("resize2fs", "sfdisk", "sgdisk", "tune2fs", "vgcreate", "vgremove", "wipefs"),
        *("xfs_repair", "zpool"),
    }
)
# Of these, the ones that tell nothing of what comes in by their input either.
COUNTS = frozenset(
    {
        *("wc", "md5sum", "sha1sum", "sha256sum", "sha512sum", "shasum", "cksum", "b2sum", "md5"),
        *("sum", "true", ":", "sleep", "wait"),
    }
)
# Programs that read what they are given and leave it as it is, as far as their words tell: a
# file that is only protected from changes may be named to them.
KEEPS = frozenset(
    {
        *("pytest", "py.test", "tox", "nox", "unittest", "mypy", "pyright", "pylint", "flake8"),
        *("ruff", "black", "isort", "bandit", "vulture", "pydocstyle", "coverage", "pre-commit"),
        *("tsc", "tsx", "ts-node", "jest", "vitest", "mocha", "ava", "karma", "cypress", "tap"),
        *("playwright", "stylelint", "biome", "oxlint", "standard", "xo", "webpack", "vite"),
        *("rollup", "esbuild", "parcel", "next", "nuxt", "astro", "turbo", "nx", "lerna", "babel"),
        *("go", "cargo", "rustc", "gradle", "gradlew", "mvn", "mvnw", "javac", "java", "kotlinc"),
        *("dotnet", "msbuild", "swift", "swiftc", "xcodebuild", "make", "gmake", "cmake", "ninja"),
        *("bazel", "meson", "just", "task", "rake", "bundle", "rspec", "rubocop", "phpunit"),
        *("phpstan", "composer", "mix", "elixir", "iex", "ghc", "cabal", "stack", "dune", "zig"),
        *("npm", "pnpm", "yarn", "bun", "deno", "npx", "uv", "poetry", "pdm", "pipenv", "hatch"),
        *("json.tool", "json_pp", "yamllint", "actionlint", "hadolint", "markdownlint", "vale"),
        *("taplo", "lockfile-lint", "osv-scanner", "trivy", "snyk", "syft", "grype", "semgrep"),
        *("codespell", "cspell", "typos", "cloc", "tokei", "scc", "ctags", "pyflakes", "doctest"),
        *("terraform", "tofu", "helm", "ansible", "ansible-playbook", "ansible-lint", "gh", "glab"),
        *("node's script", "python's script", "bash's script", "sh's script", "ruby's script"),
        *("perl's script", "zsh's script", "dash's script", "php's script", "code", "cursor"),
        *("docker", "podman", "kubectl", "docker-compose", "act", "gcloud", "aws", "az", "vercel"),
        *("alembic", "flask", "django-admin", "uvicorn", "gunicorn", "celery", "streamlit"),
        *("jupyter", "sphinx-build", "mkdocs", "twine", "pip-audit", "safety", "licensecheck"),
    }
)
# Programs that speak to people: their single words may be prose.
SPEAKS = frozenset({"gh", "glab", "hub", "mail", "mutt", "slack", "jira", "tea", "ntfy"})
# Programs that are given commands of their own in one word: the words inside may be files.
WORDS_INSIDE = frozenset(
    {
        *("ftp", "lftp", "ncftp", "tftp", "smbclient", "gdb", "lldb", "nu", "xonsh", "elvish"),
        *("tclsh", "wish", "m4", "kak", "hx", "xh", "guile", "racket", "sbcl"),
    }
)
# Interpreters and consoles that take code by their input.
TAKES_CODE = frozenset(
    {
        *("jshell", "ghci", "irb", "pry", "swift", "kotlin", "scala", "groovysh", "iex", "erl"),
        *("ocaml", "utop", "clj", "clojure", "bb", "julia", "octave", "maxima", "gnuplot"),
        *("terraform", "tofu", "ipython", "rails", "raku", "crystal", "dart", "nim", "ghc"),
    }
)
# Programs that send what comes in to another machine.
SENDS = frozenset(
    {
        *("ssh", "nc", "ncat", "netcat", "socat", "telnet", "curl", "wget", "http", "https", "xh"),
        *("aws", "gsutil", "gcloud", "az", "rclone", "ftp", "mail", "mailx", "sendmail", "gh"),
    }
)
