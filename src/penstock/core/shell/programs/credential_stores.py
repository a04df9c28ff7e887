"""Programs that store, replace or remove what a user is known by: logins, tokens, clusters.

`docker login` changes `~/.docker/config.json` as much as an editor would, for every project of
the user. The rules know such files by name, so the file is told; as nobody can say what will be
in it, it is told as a mention, which is asked about. What such programs print is `reads`'.
Always true: the words of a row stand first among the words of a command, behind options only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from penstock.core.shell.effects import Effect, ProgramCall, Touch
from penstock.core.shell.expansion import Value


class Store(Struct, frozen=True):
    """The file that a program keeps, the commands that change it, and options that name another.

    A command needs one of `only` among its words, where these are set, and none of `elsewhere`.
    `settings` is a file of other settings as well, which lies beyond the project like any other.
    """

    file: str
    commands: tuple[str, ...]
    elsewhere: tuple[str, ...] = ()
    only: tuple[str, ...] = ()
    settings: bool = False


_LOGIN = ("login", "logout")
_AUTH = ("auth login", "auth logout")
_DOCKER = Store(
    "~/.docker/config.json",
    (*_LOGIN, "context create", "context use", "context rm", "context update"),
    ("--config", "--authfile"),
)
_KUBE = Store(
    "~/.kube/config",
    (
        *("config set", "config set-cluster", "config set-context", "config set-credentials"),
        *("config use", "config use-context", "config unset", "config rename-context"),
        *("config delete-cluster", "config delete-context", "config delete-user", *_LOGIN),
    ),
    ("--kubeconfig",),
)
_GCLOUD = "~/.config/gcloud/credentials.db"
_NPMRC = Store("~/.npmrc", (*_LOGIN, "adduser", "add-user", "token create", "token revoke"))
_TERRAFORM = Store("~/.terraform.d/credentials.tfrc.json", _LOGIN)
_KEYRING = "~/.gnupg/pubring.kbx"
_GPG = Store(
    _KEYRING,
    (
        *("--import", "--gen-key", "--generate-key", "--full-gen-key", "--full-generate-key"),
        *("--quick-gen-key", "--quick-generate-key", "--delete-key", "--delete-keys", "--edit-key"),
        *("--delete-secret-key", "--delete-secret-keys", "--import-ownertrust", "--recv-keys"),
        *("--delete-secret-and-public-key", "--refresh-keys", "--quick-add-key"),
    ),
    ("--homedir", "--no-default-keyring", "--keyring"),
)
_FLY = Store("~/.fly/config.yml", (*_AUTH, "auth signup", "auth docker"))

STORES: Mapping[str, tuple[Store, ...]] = {
    **dict.fromkeys(("docker", "podman", "nerdctl", "buildah", "skopeo"), (_DOCKER,)),
    **dict.fromkeys(
        ("oras", "crane", "regctl"),
        (replace(_DOCKER, commands=(*_LOGIN, "auth login", "registry login")),),
    ),
    "helm": (replace(_DOCKER, commands=("registry login", "registry logout")),),
    **dict.fromkeys(("kubectl", "oc"), (_KUBE,)),
    **dict.fromkeys(("kubectx", "kubens"), (replace(_KUBE, commands=("",)),)),
    "eksctl": (replace(_KUBE, commands=("utils write-kubeconfig",)),),
    "aws": (
        Store(
            "~/.aws/credentials",
            (
                *("configure$", "configure set", "configure import", "configure sso"),
                *("configure sso-session", "sso login", "sso logout", "codeartifact login"),
            ),
        ),
        Store("~/.kube/config", ("eks update-kubeconfig",), ("--kubeconfig",)),
    ),
    "gcloud": (
        Store(
            _GCLOUD,
            (
                *("auth login", "auth revoke", "auth activate-service-account", "init"),
                *("auth configure-docker", "auth application-default login", "config set"),
                *("auth application-default revoke", "config unset"),
                *("config configurations activate", "config configurations create"),
            ),
        ),
        Store("~/.kube/config", ("container clusters get-credentials",)),
    ),
    "az": (
        Store("~/.azure/azureProfile.json", (*_LOGIN, "account set", "account clear", "configure")),
        Store("~/.azure/config", ("config set", "config unset", "acr login")),
        Store("~/.kube/config", ("aks get-credentials",), ("--file", "-f")),
    ),
    "npm": (_NPMRC,),
    "pnpm": (
        _NPMRC,
        replace(_NPMRC, commands=("config set", "config delete"), elsewhere=("--location",)),
    ),
    "yarn": (
        replace(_NPMRC, commands=(*_LOGIN, "npm login", "npm logout")),
        Store(
            "~/.yarnrc.yml", ("config set", "config unset"), only=("--home", "-H"), settings=True
        ),
    ),
    "cargo": (Store("~/.cargo/credentials.toml", _LOGIN),),
    "gem": (Store("~/.gem/credentials", ("signin", "signout")),),
    "poetry": (
        Store(
            "~/.config/pypoetry/auth.toml",
            ("config",),
            only=("pypi-token.", "http-basic."),
            settings=True,
        ),
    ),
    **dict.fromkeys(
        ("bundle", "bundler"),
        (Store("~/.bundle/config", ("config",), only=("--global",), settings=True),),
    ),
    "composer": (
        Store("~/.config/composer/auth.json", ("config",), only=("--global", "-g", "--auth", "-a")),
        Store("~/.config/composer/auth.json", ("global config",)),
    ),
    "gh": (
        Store(
            "~/.config/gh/hosts.yml",
            (*_AUTH, "auth refresh", "auth switch", "auth setup-git", "ssh-key add", "gpg-key add"),
        ),
    ),
    "glab": (Store("~/.config/glab-cli/config.yml", _AUTH),),
    "git": (
        Store(
            "~/.git-credentials",
            ("credential approve", "credential reject", "credential store", "credential erase"),
        ),
        Store("~/.git-credentials", ("credential-store store", "credential-store erase")),
    ),
    **dict.fromkeys(("terraform", "tofu"), (_TERRAFORM,)),
    "vault": (Store("~/.vault-token", ("login", "token revoke")),),
    "heroku": (Store("~/.netrc", (*_LOGIN, "auth:login", "auth:logout")),),
    **dict.fromkeys(("fly", "flyctl"), (_FLY,)),
    "doctl": (
        Store("~/.config/doctl/config.yaml", ("auth init", "auth switch", "auth remove")),
        Store("~/.kube/config", ("kubernetes cluster kubeconfig save",)),
    ),
    "hcloud": (
        Store("~/.config/hcloud/cli.toml", ("context create", "context use", "context delete")),
    ),
    "stripe": (Store("~/.config/stripe/config.toml", _LOGIN),),
    **dict.fromkeys(("netlify", "ntl"), (Store("~/.config/netlify/config.json", _LOGIN),)),
    **dict.fromkeys(("vercel", "vc"), (Store("~/.local/share/com.vercel.cli/auth.json", _LOGIN),)),
    "rclone": (
        Store(
            "~/.config/rclone/rclone.conf",
            ("config", "config create", "config update", "config delete", "config password"),
            ("show", "file", "dump", "--config"),
        ),
    ),
    "databricks": (Store("~/.databrickscfg", ("configure", *_AUTH)),),
    **dict.fromkeys(
        ("huggingface-cli", "hf"), (Store("~/.cache/huggingface/token", (*_LOGIN, *_AUTH)),)
    ),
    "kaggle": (Store("~/.kaggle/kaggle.json", ("config set", "config unset")),),
    **dict.fromkeys(
        (
            *("argocd", "pulumi", "firebase", "wrangler", "supabase", "railway", "sentry-cli"),
            *("expo", "eas", "infisical", "pscale", "turso", "modal", "tsh", "cf", "ibmcloud"),
            *("doppler", "bw", "circleci", "codecov", "shopify", "sfdx", "sf", "ngrok", "snyk"),
        ),
        (
            Store(
                "~/.config/login",
                (*_LOGIN, *_AUTH, "auth", "config add-authtoken", "auth:login", "authtoken"),
                settings=True,
            ),
        ),
    ),
    **dict.fromkeys(("gpg", "gpg2"), (_GPG,)),
    "ssh-copy-id": (Store("~/.ssh/known_hosts", ("",)),),
    "security": (
        Store(
            "~/Library/Keychains/login.keychain-db",
            (
                *("add-generic-password", "add-internet-password", "delete-generic-password"),
                *("delete-internet-password", "import", "unlock-keychain", "delete-keychain"),
            ),
        ),
    ),
    "secret-tool": (Store("~/.local/share/keyrings/login.keyring", ("store", "clear")),),
    "keyring": (Store("~/.local/share/keyrings/login.keyring", ("set", "del")),),
    **dict.fromkeys(
        ("pass", "gopass"),
        (
            Store(
                "~/.password-store/x.gpg", ("insert", "generate", "rm", "edit", "mv", "cp", "init")
            ),
        ),
    ),
    "op": (Store("~/.config/op/config", ("signin", "account add", "item create", "item edit")),),
}


def stored(call: ProgramCall) -> Iterator[Effect]:
    """Tell the file in which a command changes what the user is known by."""
    texts = [word.text for word in call.args]
    if "--help" in texts or "-h" in texts:
        return
    for store in STORES.get(call.name, ()):
        apart = any(text.partition("=")[0] in store.elsewhere for text in texts)
        fits = not store.only or any(text.startswith(store.only) for text in texts)
        if fits and not apart and any(_said(command, texts) for command in store.commands):
            yield Touch(Value(store.file), mention=not store.settings)


def _said(command: str, texts: Sequence[str]) -> bool:
    """Say whether the words of a command come first; `$` means that no other word follows."""
    wanted = command.rstrip("$").split()
    if command.startswith("-"):
        return command in texts
    plain: list[str] = []
    after_option = False
    for text in texts:
        is_option = text.startswith("-")
        # What stands behind an option may be its value.
        value = after_option and wanted[len(plain) : len(plain) + 1] != [text]
        if not is_option and not value:
            plain.append(text)
        after_option = is_option and "=" not in text
    ends = not command.endswith("$") or len(plain) == len(wanted)
    return plain[: len(wanted)] == wanted and ends
