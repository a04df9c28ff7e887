"""Words that the table of reading programs looks up: options with values, and who is left alone.

Always true: only names are here; what they mean for a command is settled in `reads`.
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
# Options whose value people write for each other, or that names a part of something.
PROSE = frozenset(
    {
        *("-m", "--message", "-t", "--title", "-b", "--body", "--subject", "--description"),
        *("--notes", "--comment", "--text", "--summary", "--grep", "--name", "-k", "--label"),
        *("--reason", "--search", "--branch", "--milestone", "--commit-message", "--prompt"),
    }
)
# Programs whose words tell, at most, that a file is there; or whose words are no files of theirs.
QUIET = frozenset(
    {
        *("ls", "ll", "la", "dir", "exa", "eza", "lsd", "tree", "stat", "file", "du", "df", "wc"),
        *("lsblk", "blkid", "findmnt", "smartctl", "udevadm", "lspci", "lsusb", "iostat"),
        *("test", "[", "[[", "basename", "dirname", "realpath", "readlink", "pwd", "namei"),
        *(
            "getfacl",
            "lsattr",
            "lsof",
            "fuser",
            "find",
            "fd",
            "fdfind",
            "gfind",
            "locate",
            "mdfind",
        ),
        *("md5sum", "sha1sum", "sha256sum", "sha512sum", "shasum", "cksum", "b2sum", "md5", "sum"),
        *("echo", "printf", "print", "say", "logger", "notify-send", "cowsay", "figlet", "expr"),
        *("true", "false", ":", "which", "whereis", "type", "help", "whatis", "man", "info"),
        *("tldr", "apropos", "hash", "kill", "pkill", "killall", "pgrep", "ps", "sleep", "wait"),
        *("seq", "date", "uname", "id", "whoami", "hostname", "clear", "tput", "stty", "export"),
        *("set", "unset", "shift", "return", "break", "continue", "exit", "umask", "ulimit"),
        *("pip", "direnv", "chezmoi", "watchman", "shellcheck", "checkov", "gitleaks"),
        *("trufflehog", "detect-secrets", "ggshield", "git-secrets", "tig", "tr", "yes", "jobs"),
        *("systemctl", "service", "crontab", "ping", "dig", "nslookup", "host", "whois"),
        *("dotenv-linter", "mdls", "xattr", "tmutil", "launchctl", "defaults", "sw_vers", "open"),
        *("xdg-open", "fg", "bg", "history", "bind", "compgen", "complete", "caller", "times"),
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
        *("psql", "mysql", "mariadb", "sqlite3", "duckdb", "sftp", "ftp", "lftp", "gdb", "lldb"),
        *(
            "nu",
            "julia",
            "groovy",
            "scala",
            "elixir",
            "guile",
            "racket",
            "sbcl",
            "clojure",
            "octave",
        ),
        *("tclsh", "wish", "xonsh", "elvish", "octave", "raku", "crystal"),
        *("osascript", "emacs", "vim", "nvim", "kak", "hx", "smbclient", "ncftp", "tftp", "xh"),
    }
)
