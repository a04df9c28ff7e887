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
ENV_FILES = ("**/.env*",)
SECRETS = (
    "**/*.key",
    "**/*.pem",
    "**/*id_rsa*",
    "**/*id_ed25519*",
    "**/*id_ecdsa*",
    "**/secrets/**",
    "**/.ssh/**",
    "**/.aws/**",
    "**/.gnupg/**",
    "**/.kube/config",
    "**/*.p12",
    "**/*.pfx",
    "**/*.kdbx",
    "**/*.keystore",
    "**/*.jks",
    "**/.npmrc",
    "**/.pypirc",
    "**/.netrc",
    "**/.git-credentials",
    "**/.docker/config.json",
)
# Committed on purpose, to show what the real file would hold: read, but not written.
EXAMPLES = ("**/.env.example", "**/.env.sample", "**/.env.template", "**/.env.dist")
MACHINERY = (
    "**/.git",
    "**/.git/**",
    "**/node_modules/**",
    "**/package-lock.json",
    "**/npm-shrinkwrap.json",
    "**/yarn.lock",
    "**/pnpm-lock.yaml",
    "**/bun.lock",
    "**/bun.lockb",
    "**/Cargo.lock",
    "**/poetry.lock",
    "**/uv.lock",
    "**/Pipfile.lock",
    "**/pdm.lock",
    "**/Gemfile.lock",
    "**/composer.lock",
    "**/go.sum",
    "**/flake.lock",
)
