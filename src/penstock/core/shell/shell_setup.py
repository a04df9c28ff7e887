"""Programs that print commands for the shell that starts them: `eval "$(ssh-agent -s)"`.

What they print is theirs to choose, and everybody runs it: it sets variables, completions and
prompts of this one shell.
Always true: a row names the program and the words that make it print such commands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from penstock.core.shell.expansion import Value

# None stands for any words.
SETS_UP: Mapping[str, tuple[str, ...] | None] = {
    **dict.fromkeys(("ssh-agent", "keychain", "dircolors", "lesspipe", "resize"), None),
    **dict.fromkeys(("register-python-argcomplete", "gpg-agent", "ssh-pageant"), None),
    **dict.fromkeys(("direnv",), ("hook", "export")),
    **dict.fromkeys(
        ("pyenv", "rbenv", "nodenv", "goenv", "jenv", "plenv", "phpenv", "tfenv", "jabba"),
        ("init", "virtualenv-init", "sh-shell"),
    ),
    "fnm": ("env",),
    "volta": ("setup",),
    **dict.fromkeys(("mise", "rtx"), ("activate", "env", "hook-env")),
    "asdf": ("env", "exec"),
    **dict.fromkeys(("starship", "zoxide", "atuin", "oh-my-posh", "mcfly"), ("init",)),
    "fzf": ("--bash", "--zsh", "--fish"),
    "thefuck": ("--alias",),
    **dict.fromkeys(("conda", "mamba", "micromamba"), ("shell.bash", "shell.zsh", "shell", "hook")),
    "brew": ("shellenv",),
    "opam": ("env", "config"),
    "luarocks": ("path",),
    "minikube": ("docker-env", "podman-env"),
    "docker-machine": ("env",),
    "podman": ("machine",),
    "nix": ("print-dev-env",),
    "scala-cli": ("install",),
    "guix": ("package", "shell"),
    "spack": ("env", "load"),
    "module": None,
    "modulecmd": None,
    "rustup": ("completions",),
    "poetry": ("completions", "env"),
    "perl": ("-Mlocal::lib",),
}
_COMPLETES = frozenset(
    {
        *("completion", "completions", "--completion", "--completions", "shell-completion"),
        *("generate-shell-completion", "--print-completion", "completion-script", "--generate"),
        *("--show-completion", "gen-completions", "shellenv", "shell-init"),
    }
)
_SHELLS = frozenset({"bash", "zsh", "fish", "sh", "complete-bash", "complete-zsh"})


def sets_up(argv: Sequence[Value]) -> bool:
    """Say whether a command prints what sets up the shell that it is typed in."""
    if not argv or not all(word.exact for word in argv):
        return False
    name, words = argv[0].text.rpartition("/")[2], [word.text for word in argv[1:]]
    if name in SETS_UP:
        wanted = SETS_UP[name]
        if wanted is None or any(word.startswith(wanted) for word in words):
            return True
    return bool(_COMPLETES & set(words)) and bool({*words} & _SHELLS or words[:1] == ["completion"])
