"""The names that are known without a rules file: the hook spec's lists, ours, agents' settings.

The spec's lists are what `write-policies.json` holds as it is shipped, and what is in force when
that file is missing; the others are the built-in list. What a name leads to is for the readers of
rules and for the doors.
Always true: this module imports nothing, because a hook that starts cold loads it.
"""

# The hook spec's lists and its two sentences, to the letter.
PROTECTED = (
    ".git/**",
    "node_modules/**",
    ".env*",
    "*.key",
    "*.pem",
    "package-lock.json",
    "yarn.lock",
)
WARNED = (
    "src/**",
    "plugins/**/agents/*.md",
    "plugins/**/commands/*.md",
    "plugins/**/skills/**",
    ".claude-plugin/**",
)
SAFE = ("docs/**", "agent_sandbox/**", "tests/**", "*.md")
DEFAULT_LISTS = {"protected": PROTECTED, "warned": WARNED, "safe": SAFE}
PROTECTED_REASON = "Protected path: {path} cannot be modified"
WARNED_NOTE = "Production path: {path} - ensure this is intentional"

# What Penstock is steered by.
OWN_FILES = (
    "**/penstock.toml",
    "**/.config/penstock/**",
    "**/claude-code-permissions-hook.toml",
    "**/.agentzero_audit*",
    "**/.config/decision-reviewer-audit.log*",
    "**/decision-reviewer-audit.log*",
)
STEERS = "{path} steers Penstock or an agent's hooks, and agents do not change it"

# What it keeps: proposals, kept contents, the record, keys. Not to be read by agents either.
STATE = (
    "**/.local/state/penstock/**",
    "**/penstock/*/penstock.db*",
    "**/penstock/*/audit.jsonl*",
    "**/penstock/*/checkpoints*",
    "**/penstock/*/hook.policy",
    "**/penstock/*/blobs/**",
    "**/*.penstock-key*",
    "**/*.penstock-journal*",
)
KEPT = "{path} belongs to Penstock's own state"

# Where each agent is told which hooks to run; a line there switches the gate off.
HOOK_REGISTRATIONS = (
    # Claude Code, and those that read its files
    "**/.claude/settings*.json",
    "**/.claude/hooks/**",
    "**/.claude/plugins/**",
    "**/.claude.json",
    "**/claude-code/managed-settings*.json",
    "**/claude-code/managed-settings.d/**",
    "**/ClaudeCode/managed-settings*.json",
    "**/ClaudeCode/managed-settings.d/**",
    # a Claude Code plugin in the project
    "**/hooks/hooks.json",
    "**/hooks/write-control.sh",
    "**/hooks/config/write-policies.json",
    # Codex
    "**/.codex/hooks.json",
    "**/.codex/config.toml",
    "**/.codex/hooks/**",
    "**/codex/requirements.toml",
    "**/codex/managed_config.toml",
    "**/etc/codex/**",
    # Gemini and Qwen
    "**/.gemini/settings.json",
    "**/.gemini/extensions/**",
    "**/.gemini/trustedFolders.json",
    "**/gemini-cli/settings.json",
    "**/gemini-cli/system-defaults.json",
    "**/GeminiCli/settings.json",
    "**/GeminiCli/system-defaults.json",
    "**/.qwen/settings*.json",
    "**/.qwen/extensions/**",
    "**/.qwen/trustedFolders.json",
    "**/qwen-code/settings.json",
    "**/qwen-code/system-defaults.json",
    # Cursor
    "**/.cursor/hooks.json",
    "**/.cursor/hooks/**",
    "**/cursor/hooks.json",
    "**/Cursor/hooks.json",
    # Copilot
    "**/.github/hooks/**",
    "**/.github/copilot/settings*.json",
    "**/.copilot/hooks/**",
    "**/.copilot/config.json",
    "**/.copilot/settings*.json",
    "**/github-copilot/policy.d/**",
    # OpenCode
    "**/.opencode/plugins/**",
    "**/.opencode/plugin/**",
    "**/opencode.json",
    "**/opencode.jsonc",
    "**/.config/opencode/**",
    # Cline
    "**/.clinerules/hooks/**",
    "**/.cline/hooks/**",
    "**/Cline/Hooks/**",
    "**/Cline/Rules/Hooks/**",
    # Windsurf, now Devin
    "**/.windsurf/hooks.json",
    "**/.devin/hooks.json",
    "**/.codeium/windsurf/hooks.json",
    "**/windsurf/hooks.json",
    "**/Windsurf/hooks.json",
    "**/devin/hooks.json",
    # Kiro
    "**/.kiro/hooks/**",
    "**/.kiro/agents/*.json",
    # Amp
    "**/.amp/plugins/**",
    "**/.amp/settings*.json",
    "**/.config/amp/plugins/**",
    "**/.config/amp/settings*.json",
)

# What nobody wants to lose or leak, for a project whose policy cannot be read. The preset
# `guard` denies the same names; a test holds the two together.
# What installed packages bring is published already; it is removed to be installed anew.
INSTALLED = (
    "**/node_modules/**",
    "**/bower_components/**",
    "**/__pypackages__/**",
    "**/site-packages/**",
    "**/.venv/**",
    "**/venv/**",
    "**/.tox/**",
    "**/.nox/**",
)
ENV_FILES = ("**/.env*", "**/.envs/**")
# Made to be read and edited; and names that hold a secret only sometimes, which `guard` asks about.
EXAMPLES = (
    "**/.env*.example",
    "**/.env*.sample",
    "**/.env*.template",
    "**/.env*.dist",
    "**/.env*.tpl",
    "**/.env*.default",
    "**/.env*.defaults",
    "**/.env.example.*",
    "**/.env.sample.*",
    "**/.env.template.*",
    "**/.env-example",
    "**/.env-sample",
    "**/.env-template",
    "**/.env_example",
    "**/.env_sample",
    "**/.env_template",
)
SOMETIMES = ("**/.envrc", "**/.env.test", "**/.env.testing", "**/.env.ci")
# Where programs keep what lets them in.
STORES = (
    "**/.ssh",
    "**/.ssh/**",
    "**/.gnupg",
    "**/.gnupg/**",
    "**/.aws",
    "**/.aws/**",
    "**/.azure",
    "**/.azure/**",
    "**/.kube/config",
    "**/.docker/config.json",
    "**/.config/gcloud/**",
    "**/.config/gh/hosts.yml",
    "**/.config/sops/age/**",
    "**/.password-store/**",
    "**/.local/share/keyrings/**",
    "**/Library/Keychains/**",
    "**/.pypirc",
    "**/.netrc",
    "**/_netrc",
    "**/.pgpass",
    "**/.my.cnf",
    "**/.git-credentials",
    "**/.vault-token",
    "**/.cargo/credentials*",
    "**/.gem/credentials",
    "**/.terraform.d/credentials.tfrc.json",
)
PUBLIC_KEYS = ("**/*.pub",)
# Files that are named like a key, and all in a directory of secrets, unless it is source.
KEYS = (
    "**/*.key",
    "**/*.pem",
    "**/*id_rsa*",
    "**/*id_dsa*",
    "**/*id_ecdsa*",
    "**/*id_ed25519*",
    "**/*.p12",
    "**/*.pfx",
    "**/*.ppk",
    "**/*.kdbx",
    "**/*.keystore",
    "**/*.jks",
    "**/secrets/**",
    "**/.secrets/**",
)
CERTIFICATES = ("**/cacert*.pem", "**/ca-bundle*.pem", "**/ca-certificates*.pem")
SOURCES = (
    "**/*.py",
    "**/*.pyi",
    "**/*.go",
    "**/*.rs",
    "**/*.ts",
    "**/*.tsx",
    "**/*.mts",
    "**/*.cts",
    "**/*.js",
    "**/*.jsx",
    "**/*.mjs",
    "**/*.cjs",
    "**/*.vue",
    "**/*.svelte",
    "**/*.java",
    "**/*.kt",
    "**/*.kts",
    "**/*.scala",
    "**/*.groovy",
    "**/*.rb",
    "**/*.php",
    "**/*.c",
    "**/*.h",
    "**/*.cc",
    "**/*.cpp",
    "**/*.hpp",
    "**/*.cs",
    "**/*.fs",
    "**/*.swift",
    "**/*.dart",
    "**/*.ex",
    "**/*.exs",
    "**/*.erl",
    "**/*.hs",
    "**/*.ml",
    "**/*.clj",
    "**/*.lua",
    "**/*.tf",
    "**/*.proto",
    "**/*.graphql",
    "**/*.html",
    "**/*.css",
    "**/*.scss",
    "**/*.md",
    "**/*.rst",
    "**/package.json",
    "**/tsconfig.json",
    "**/Cargo.toml",
    "**/pyproject.toml",
    "**/BUILD.bazel",
    "**/.gitignore",
    "**/.gitkeep",
)
# Keys below these are mostly made for tests: `guard` asks.
TESTS = (
    "**/test/**",
    "**/tests/**",
    "**/__tests__/**",
    "**/testing/**",
    "**/testdata/**",
    "**/test-data/**",
    "**/test_data/**",
    "**/fixtures/**",
    "**/__fixtures__/**",
    "**/spec/**",
    "**/specs/**",
    "**/e2e/**",
    "**/mocks/**",
    "**/__mocks__/**",
    "**/example/**",
    "**/examples/**",
)
GIT = ("**/.git", "**/.git/**")
# Written by package managers, and removed to be made anew.
LOCK_FILES = (
    "**/package-lock.json",
    "**/npm-shrinkwrap.json",
    "**/yarn.lock",
    "**/pnpm-lock.yaml",
    "**/bun.lock",
    "**/bun.lockb",
    "**/deno.lock",
    "**/Cargo.lock",
    "**/poetry.lock",
    "**/uv.lock",
    "**/Pipfile.lock",
    "**/pdm.lock",
    "**/pixi.lock",
    "**/conda-lock.yml",
    "**/Gemfile.lock",
    "**/composer.lock",
    "**/go.sum",
    "**/go.work.sum",
    "**/flake.lock",
    "**/mix.lock",
    "**/pubspec.lock",
    "**/Podfile.lock",
    "**/Package.resolved",
    "**/packages.lock.json",
    "**/gradle.lockfile",
    "**/Chart.lock",
    "**/.terraform.lock.hcl",
)

# What the names above do not mean.
NOT_ENV_FILES = (*EXAMPLES, *SOMETIMES, *INSTALLED)
NOT_KEYS = (*PUBLIC_KEYS, *CERTIFICATES, *SOURCES, *TESTS, *INSTALLED)
