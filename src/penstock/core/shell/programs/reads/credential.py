"""Programs that print a credential which they keep in a file of their own, or get from a service.

`gh auth token` shows what is in `~/.config/gh/hosts.yml` as much as `cat` would. The rules know
such files by name, so the file is told. What a vault, a cluster or a cloud keeps has no file here:
it is told as a name below `secrets/`, which rules know as well.
Always true: a row needs all of its words; a program's everyday commands have none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from msgspec import Struct

from penstock.core.shell.effects import Effect, Program, ProgramCall, nothing
from penstock.core.shell.expansion import Value
from penstock.core.shell.programs.reads.mention import mentioned
from penstock.core.shell.programs.reads.rows import implied, perhaps
from penstock.core.text.late_regex import late_regex


class Kept(Struct, frozen=True):
    """The words that print a credential, in this order, and the file that holds it.

    A word may be a pattern. `also` must be among the words as well; with `there` the file counts
    only where it is there. Without a file a service holds it.
    """

    words: str
    file: str = ""
    also: str = ""
    there: bool = False


_GCLOUD = "~/.config/gcloud/credentials.db"
_STATE = "terraform.tfstate"
_RAILS = tuple(
    Kept(verb, "config/master.key", there=True)
    for verb in ("credentials:show", "credentials:edit", "secrets:show", "encrypted:show")
)
# Code for a console of a framework that shows what it keeps encrypted, or got from the environment.
_IN_CODE = r"(?s).*(?:\.credentials\b|\.secrets\b|secret_key_base|SECRET_KEY|\bENV\b).*"
_CONSOLE = tuple(
    Kept(verb, "config/master.key", also=_IN_CODE, there=True) for verb in ("runner", "r")
)
_TERRAFORM = (
    *(Kept("state pull", _STATE, there=True), Kept("show$", _STATE, there=True)),
    *(Kept("output", _STATE, also=r"--?(?:json|raw)", there=True),),
)
_NPM = (Kept("config get", "~/.npmrc", also=r".*(?:_auth|_password).*"),)
_VALUES = r"(?:-o|--output)=?(?:yaml|json)|-oyaml|-ojson|yaml|json|.*\.data\b.*|.*\.Data\b.*"
_CLUSTER = (Kept("get secrets?(?:[/,].*)?", also=_VALUES), Kept("view-secret"))
_PASS = (Kept("show", "~/.password-store/x.gpg"), Kept("-c", "~/.password-store/x.gpg"))
KEEPERS: Mapping[str, tuple[Kept, ...]] = {
    "gh": (
        Kept("auth token", "~/.config/gh/hosts.yml"),
        Kept("auth status", "~/.config/gh/hosts.yml", also=r"-t|--show-token"),
    ),
    "gcloud": (
        *(
            Kept(f"auth {words}", _GCLOUD)
            for words in (
                *("print-access-token", "print-identity-token"),
                *("application-default print-access-token", "print-refresh-token"),
            )
        ),
        Kept("secrets versions access"),
    ),
    "aws": (
        Kept("configure export-credentials", "~/.aws/credentials"),
        Kept("configure get", "~/.aws/credentials", also=r".*(?:secret|token|key).*"),
        Kept("secretsmanager (?:batch-)?get-secret-value"),
        Kept("ssm get-parameters?(?:-by-path)?", also="--with-decryption"),
        Kept("sts (?:get-session-token|assume-role.*)"),
        Kept("iam create-access-key"),
    ),
    "az": (
        Kept("account get-access-token", "~/.azure/msal_token_cache.json"),
        Kept("keyvault secret (?:show|download)"),
        Kept("ad sp create-for-rbac"),
    ),
    **dict.fromkeys(
        ("kubectl", "oc"),
        (
            Kept("config view", "~/.kube/config", also=r"--raw(?:=true)?"),
            Kept("whoami", "~/.kube/config", also=r"-t|--show-token"),
            *_CLUSTER,
        ),
    ),
    **dict.fromkeys(("npm", "pnpm", "yarn"), _NPM),
    **dict.fromkeys(("terraform", "tofu"), _TERRAFORM),
    "rails": (*_RAILS, *_CONSOLE),
    "dotnet": (Kept("user-secrets list", "~/.microsoft/usersecrets/x/secrets.json"),),
    "php": (Kept("artisan config:show", ".env", there=True),),
    "heroku": (
        Kept("auth:token", "~/.netrc"),
        Kept("config(?::get)?"),
        Kept("pg:credentials:url"),
    ),
    "vault": (
        Kept("print token", "~/.vault-token"),
        Kept("kv get"),
        Kept("read .*(?:secret|cred|kv|database|aws|pki).*"),
    ),
    "op": (Kept("read"), Kept("item get"), Kept("document get"), Kept("inject")),
    "bw": (Kept("get .*"), Kept("export"), Kept("list items")),
    "rbw": (Kept("get"),),
    "lpass": (Kept("show"), Kept("export")),
    "keepassxc-cli": (Kept("show"), Kept("clip"), Kept("export"), Kept("attachment-export")),
    "doppler": (Kept("secrets$"), Kept("secrets (?:get|download)")),
    "infisical": (Kept("export"), Kept("secrets$"), Kept("secrets get")),
    "chamber": (Kept("read"), Kept("export"), Kept("env")),
    "aws-vault": (Kept("export"),),
    "credstash": (Kept("get"), Kept("getall")),
    "berglas": (Kept("access"),),
    "teller": (Kept("show"), Kept("export"), Kept("env"), Kept("sh")),
    "sops": (Kept("-d|--decrypt"), Kept("decrypt"), Kept("exec-env")),
    "ansible-vault": (Kept("view"), Kept("decrypt"), Kept("edit")),
    "pulumi": (Kept(".*", also="--show-secrets"),),
    "railway": (Kept("variables?"),),
    "netlify": (Kept("env:get"), Kept("env:list", also="--plain|--json")),
    "eb": (Kept("printenv"),),
    "firebase": (Kept("functions:secrets:access"), Kept("functions:config:get")),
    "stripe": (Kept("config", also="--list|-l"),),
    "security": tuple(
        Kept(words, "~/Library/Keychains/login.keychain-db", also=also)
        for words, also in (
            ("find-generic-password", "-w|-g"),
            ("find-internet-password", "-w|-g"),
            ("dump-keychain", ""),
            ("export", ""),
        )
    ),
    "secret-tool": tuple(
        Kept(verb, "~/.local/share/keyrings/login.keyring") for verb in ("lookup", "search")
    ),
    "keyring": (Kept("get", "~/.local/share/keyrings/login.keyring"),),
    **dict.fromkeys(("pass", "gopass"), _PASS),
    **dict.fromkeys(
        ("gpg", "gpg2"),
        tuple(
            Kept(option, "~/.gnupg/private-keys-v1.d/x.key")
            for option in ("--export-secret-keys", "--export-secret-key", "--export-secret-subkeys")
        ),
    ),
    "git": tuple(
        Kept(words, "~/.git-credentials") for words in ("credential fill", "credential-store get")
    ),
    **dict.fromkeys(
        ("git-credential-store", "git-credential-manager"), (Kept("get", "~/.git-credentials"),)
    ),
}


def kept(call: ProgramCall) -> Iterator[Effect]:
    """Tell the file of a credential that a command prints."""
    rows = KEEPERS.get(call.name, ())
    texts = [word.text for word in call.args] if rows else []
    for row in rows:
        if not _said(row, texts):
            continue
        if not row.file:
            name = next((text for text in reversed(texts) if _NAME.fullmatch(text)), "all")
            yield from perhaps([Value(f"{call.name}/secrets/{name}")])
        elif row.there:
            place = next((t.partition("=")[2] for t in texts if t.startswith("-chdir=")), "")
            yield from implied(call.here, f"{place}/{row.file}" if place else row.file)
        else:
            yield from perhaps([Value(row.file)])


_SHOWS_NOTHING = frozenset({"--help", "-h", "--version", "--only-names"})
_NAME = late_regex(r"[A-Za-z0-9_][\w.-]{0,60}")


def _said(row: Kept, texts: list[str]) -> bool:
    """Say whether a command has the words of a row; `$` means that no operand follows."""
    if not _SHOWS_NOTHING.isdisjoint(texts):
        return False
    plain = [text for text in texts if row.words.startswith("-") or not text.startswith("-")]
    wanted = row.words.rstrip("$").split()
    starts = range(min(len(plain) - len(wanted) + 1, 4))  # behind values of options
    at = next((n for n in starts if all(map(re.fullmatch, wanted, plain[n:]))), -1)
    if at < 0 or (row.words.endswith("$") and len(plain) > at + len(wanted)):
        return False
    return not row.also or any(re.fullmatch(row.also, text) for text in texts)


def with_words(row: Program) -> Program:
    """Make a row that tells credentials as well as what another row tells."""

    def program(call: ProgramCall) -> Iterator[Effect]:
        yield from kept(call)
        yield from row(call)

    return program


def _ps(call: ProgramCall) -> Iterator[Effect]:
    """`ps e` prints the environment of each process; `ps -e` does not."""
    first = call.args[0].text if call.args else ""
    yield from perhaps([Value("/proc/1/environ")] if re.fullmatch(r"[a-z]*e[a-z]*", first) else [])


_QUIET = frozenset({"pass", "gopass", "security", "secret-tool", "keyring"})
CREDENTIALS: Mapping[str, Program] = {
    **{name: with_words(nothing if name in _QUIET else mentioned) for name in KEEPERS},
    "ps": _ps,
}
