"""The names that are known without a rules file: the hook spec's lists, and Penstock's own.

The lists are what `write-policies.json` holds as it is shipped, and what is in force when that
file is missing. What a name leads to is for the readers of rules and for the doors.
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
