"""Find secrets in a text, by their own form or by what introduces them, and hide them.

The forms of tokens are `token_formats`; here are the forms of everything around a secret:
headers, addresses, options of programs, fields with a telling name, blocks of keys.
Always true: what is hidden is replaced by a mark and named, the text around it stays, and hiding
twice changes nothing. The patterns are RE2, so time grows with the text's length only; each is
compiled when its literal is seen for the first time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from typing import Any

from msgspec import Struct

from penstock.core.text.token_formats import SHORTEST, TokenFormat, formats

MARK = b"[redacted]"  # `redact` has it too: it cannot import us, nor we it
# Letters and digits in one run: so many are a token behind a prefix, fewer with a digit among
# them; without a prefix they must look random.
LONG_RUN, DIGIT_RUN, RANDOM_RUN = 20, 6, 8

ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

Judge = Callable[["Found"], bool]


class Found(Struct, frozen=True):
    """One match: the text before it, what stays in front, what may be a secret, what follows."""

    before: bytes
    front: bytes
    secret: bytes
    rest: bytes


class SecretForm(Struct, frozen=True, kw_only=True):
    """One form: groups 1 and 3 of its pattern stay, group 2 is the secret if `judge` says so."""

    name: str
    literals: tuple[bytes, ...]  # lower case; one of them must be in the text
    pattern: str
    judge: Judge
    nests: Judge | None = None  # says where what was taken for the secret may introduce one


# --- what is a value and what is not ---------------------------------------------------------

# A value: quoted, or up to what ends a word of the shell.
VALUE = r"""(\\?"[^"]*|\\?'[^']*|[^\s"'&;|<>(){}\\]+)"""
IS = r"""[\\"']{0,3}\]?[ \t]{0,3}(?::=|=>|[:=])[ \t]{0,3}"""
QUOTED = ("'([^']+)", '"([^"]+)', r"([^\s\"'|;&<>]+)")  # three ways to give an option a value
VARIABLES = (b"$", b"`", b"%", b"{{", b"@{", b"!Ref", b"!Sub", b"<")
CODE = tuple(
    f"{name}.".encode()
    for name in ("process", "os", "self", "this", "import", "secrets", "vars", "env", "config",
                 "settings", "req", "request", "props", "ctx", "args", "opts", "options", "params",
                 "var", "local", "data", "module", "each", "c", "cfg")
)  # fmt: skip
NO_SECRETS = frozenset(
    b"""string str number int integer bool boolean any bytes none null nil undefined true false yes
    no on off required optional object void unknown never inherit include same-origin omit prompt
    ask auto default empty disabled enabled stdin text hidden password publickey keyring basic
    digest bearer write read admin env await async new function lambda return""".split()
)
REFERENCES = (b"env:", b"file:", b"fd:", b"http://", b"https://", b"arn:", b"op://", b"projects/")


def _bare(value: bytes) -> bytes:
    """Return a value without the quotes around it."""
    return value.lstrip(b"\\").strip(b"\"'\\,")


def is_value(found: Found) -> bool:
    """Say whether a value can be a secret at all: a variable and a placeholder are none."""
    value = _bare(found.secret)
    single = found.secret.startswith(b"'") or found.front.endswith(b"'")
    if not set(value) - set(b"x*.X-_():;, ") or value.startswith((MARK, *REFERENCES)):
        return False
    return single or not value.startswith(VARIABLES)


def looks_random(value: bytes) -> bool:
    """True for a run of letters and digits that nobody would take for words or a number."""
    return any(_is_mixed(run) for run in _runs(value) if len(run) >= RANDOM_RUN)


def _runs(value: bytes) -> list[bytes]:
    return bytes(one if chr(one).isalnum() and one < 128 else 32 for one in value).split()


def _is_mixed(run: bytes) -> bool:
    has_digit, has_letter = any(48 <= one < 58 for one in run), not run.isdigit()
    turns = sum(a > 96 and 64 < b < 91 for a, b in pairwise(run))
    return (has_digit and has_letter) or turns > 2


def _always(_found: Found) -> bool:
    return True


def _is_random(found: Found) -> bool:
    return is_value(found) and looks_random(found.secret)


def _is_scheme(found: Found) -> bool:
    return any(48 <= one < 58 or 64 < one < 91 or one == 61 for one in found.secret)


def _is_block(found: Found) -> bool:
    body = found.secret.replace(b"\\n", b"").strip(b" \t\r\n\"'")
    return len(body) > 3 and not body.startswith((b"[+", MARK))


def _is_cookie(found: Found) -> bool:
    return is_value(found) and b"=" in found.secret and not found.secret.startswith(b"=")


def _is_login(found: Found) -> bool:
    """`-u 1000:1000` names ids, not a password, and `vault login -method` gives none."""
    return is_value(found) and not found.secret.isdigit() and not found.secret.startswith(b"-")


# --- fields with a telling name --------------------------------------------------------------

TELLING = frozenset(
    b"password passwd passphrase pwd pw secret secrets token tokens credential credentials "
    b"authtoken apikey passcode sshpass".split()
)
HARMLESS_ENDS = frozenset(
    b"""file path stdin name names id ids url uri type types count length len limit dir env ref
    version policy arn field fields ttl expiry expires expired hash prefix class store ring size
    format provider endpoint method mode label index usage budget manager helper reset hint min max
    rules required enabled strength alg algorithm header headers scope scopes host port user
    username authentication agent chain py pyi ts tsx js jsx md json yaml yml toml txt go rs rb java
    kt swift c h cpp sh sql html css lock test tests spec md5 cmd command env_var from source
    callback generator validator parser handler service module based less expiration lifetime
    rotation timeout age email""".split()
)
# With one of these before it a `key` is a secret; with one of the others it never is.
SECRET_KEYS = frozenset(
    b"api access private secret signing encryption account master shared license service auth "
    b"session admin app storage webhook client subscription deploy write bot".split()
)
GLUED_KEYS = tuple(sorted(word + b"key" for word in SECRET_KEYS))
OPEN_KEYS = frozenset(
    b"public pub primary foreign sort cache partition group ssh gpg host idempotency row "
    b"object hash range index map".split()
)
SET = (b" set ", b"\tset ", b" config ", b" add ", b"setenv ", b"/:")


def _is_field(found: Found) -> bool:
    """Say whether a name introduces a secret, and what follows it can be one."""
    name, between = _name_of(found.front)
    value = _bare(found.secret)
    has_sign = b":" in between or b"=" in between
    if not is_value(found) or value.lower() in NO_SECRETS or found.rest[:1] in (b"(", b"["):
        return False
    if not has_sign and (value.startswith(b"-") or not _introduces(found, name)):
        return False
    if found.secret.startswith((b":", b'")', b"')")) or (
        found.before.endswith(b"${") and value[:1] in b"?+"
    ):
        return False
    parts = _parts(name)
    if parts == [b"user", b"signingkey"] or value.startswith(CODE):  # git names a key by its id
        return False
    if not parts or parts[-1] in HARMLESS_ENDS or b"no" in parts[:1]:
        return False
    return _is_secret_field(parts, value, is_prose=b": " in between)


def _is_no_value(found: Found) -> bool:
    """Say whether what follows a name is another name: `keytool -storepass x`, `key token=x`."""
    between = _name_of(found.front)[1]
    has_sign = b":" in between or b"=" in between
    return not has_sign or found.secret.startswith((b"-", b"//", *REFERENCES))


def _name_of(front: bytes) -> tuple[bytes, bytes]:
    name = front.rstrip(b" \t:=>\"'\\")
    return name, front[len(name) :]


def _introduces(found: Found, name: bytes) -> bool:
    return name.startswith(b"-") or (found.before[-40:]).endswith(SET)


def _parts(name: bytes) -> list[bytes]:
    """Return the words of a name, small: `apiKey`, `api-key` and `API_KEY` have the same two."""
    cut = bytearray()
    before = 0
    for one in name:
        if 64 < one < 91 and 96 < before < 123:
            cut += b" "
        cut += bytes([one]) if chr(one).isalnum() else b" "
        before = one
    return bytes(cut).lower().split()


def _is_secret_field(parts: list[bytes], value: bytes, *, is_prose: bool) -> bool:
    last, plain = parts[-1], value.isalpha() and value.islower()
    is_words = not value.strip(b"abcdefghijklmnopqrstuvwxyz_-./:")
    path_like = _is_path(value)
    if last in (b"key", b"keys") or last.endswith(GLUED_KEYS):
        return _is_secret_key(parts, value, plain=plain, path_like=path_like)
    if last in (b"auth", b"credential", b"credentials", b"cred", b"creds"):
        return looks_random(value) if is_prose and last == b"auth" else not is_words
    if last == b"pat":  # a personal access token, as in `GH_PAT`
        return looks_random(value)
    if last == b"tokens" or b"token" in parts:
        return not (value.isdigit() and len(value) <= 6) and not (is_prose and plain)
    if last in (b"pass", b"pw", b"pwd"):
        return not (value.isdigit() or path_like or b"://" in value)
    joined = b"".join(parts)
    if last in (b"secret", b"secrets") and len(parts) < 3 and _is_secrets_name(parts, value):
        return False
    return not TELLING.isdisjoint(parts) or joined.endswith(
        (b"password", b"passwd", b"pwd", b"secret", b"token", b"passphrase", b"pass")
    )


def _is_path(value: bytes) -> bool:
    """Say whether a value is a path; base 64 begins with a slash now and then."""
    if not value.startswith(b"/") or len(value) < LONG_RUN:
        return value.startswith((b"/", b"./", b"../", b"~/"))
    is_base64 = not value.strip(b"/+=").replace(b"/", b"").replace(b"+", b"").strip(ALPHABET)
    return not (is_base64 and any(len(run) > 15 and _is_mixed(run) for run in _runs(value)))


def _is_secrets_name(parts: list[bytes], value: bytes) -> bool:
    """`--secret=db-password` and `docker build --secret id=npmrc` say which, not what."""
    bare = len(parts) == 1 or parts[0] == b"existing"
    is_name = b"-" in value and not value.strip(b"abcdefghijklmnopqrstuvwxyz-")
    return bare and (is_name or value.startswith((b"id=", b"src=", b"source=", b"type=")))


def _is_secret_key(parts: list[bytes], value: bytes, *, plain: bool, path_like: bool) -> bool:
    if not OPEN_KEYS.isdisjoint(parts) or path_like:
        return False
    if not SECRET_KEYS.isdisjoint(parts) or parts[-1].endswith(GLUED_KEYS):
        return not plain or len(value) > 12
    return len(value) >= 8 and looks_random(value)


# --- the forms around secrets ----------------------------------------------------------------

COMMAND = r"(?:[^|;&\n]|&[^&])*?"  # the rest of one command, as short as possible
START = r"(?:^|[\s|;&(/'\"`=])"
_WORD = (
    r"(?:passw(?:or)?d|passphrase|passcode|pwd|pass|token|secret|cred(?:ential)?s?|auth|key|pat)"
)
_NAME = rf"(?i:[A-Za-z0-9_.-]*{_WORD}[A-Za-z0-9_.-]*)"
_AUTHORIZATION = rf"(?i:(?:proxy-)?authorization){IS}"
_SCHEMES = r"(?i:bearer|basic|token|apikey|api-key|bot|ssws|negotiate|key|geniekey|klaviyo-api-key)"

# Programs, and the option (or the word) behind which each takes a secret.
OPTIONS = (
    ("mysql|mysqldump|mysqladmin|mysqlimport|mysqlshow|mysqlcheck|mariadb|mariadb-dump|mycli|7z|7za"
     "|7zr|rar|unrar", "-p"),
    ("sshpass", "-p ?"),
    (r"(?:docker|podman|buildah|nerdctl|skopeo|oras|az|oc|cf|ibmcloud|argocd|rosa|helm registry"
     r"|az acr|crane auth|regctl registry)[ \t]+login|twine|poetry publish|mongo|mongosh|mongodump"
     "|mongorestore|mongoexport|mongoimport|cqlsh|influx|ncftp|ncftpput|pscp|plink|pg_dump-pw",
     "-p[ =]"),
    ("zip|unzip|zipcloak|sqlcmd|bcp|mosquitto_pub|mosquitto_sub|isql|ssh-keygen", "-P[ ]?"),
    ("ssh-keygen", "-N "),
    ("redis-cli", "(?:-a|--pass) "),
    ("ldapsearch|ldapadd|ldapmodify|ldapdelete|ldapwhoami|ldappasswd|security", "-[ws] "),
    ("smbclient|rpcclient|smbmap|smbget|net", r"(?:-U|--user)[ =]?[^\s%\"']+%"),
    ("lftp", r"(?:-u|--user)[ =]?[^\s,\"']+,"),
    ("openssl", r"(?:pass:)"),
    ("ngrok", r"(?:authtoken|add-authtoken) "),
    ("snyk", "auth "),
    ("vault", "login "),
    ("cargo", "login "),
    ("nuget", "(?i:setapikey) "),
    ("rclone", "obscure "),
    ("rclone", r"(?:create|update) [^\s]+ (?:[^|;&\n]* )?\w*(?:pass|key|secret|token)[ =]"),
    ("mc", r"(?:alias set|config host add) [^\s]+ [^\s]+ [^\s]+ "),
    ("mysqladmin", "password "),
    ("htpasswd", r"-\w*b\w* [^\s]+ [^\s]+ "),
    ("wpa_passphrase", r"[^\s]+ "),
    ("xfreerdp|wfreerdp|xfreerdp3", "/p:"),
    ("bw", r"(?:unlock|login [^\s]+) "),
    ("gh secret set", r"(?:-b|--body)[ =]"),
    ("poetry config", r"(?:pypi-token|http-basic)\.[^\s]+ (?:[^\s]+ )?"),
    ("curl", "--oauth2-bearer "),
    ("dotnet nuget push|nuget push", "-k "),
    ("vercel|firebase|netlify", "-t "),
)  # fmt: skip


def _option_forms() -> Iterator[SecretForm]:
    for programs, option in OPTIONS:
        names = tuple(
            word.encode()
            for one in programs.replace(r"(?:", "").replace(")", "").split("|")
            if (word := one.split("[")[0].split(" ")[0])
        )
        for value in QUOTED:
            quote = value[0] if value[0] != "(" else ""
            pattern = (
                rf"({START}(?:{programs})\b{COMMAND}[ \t]{option}{quote}){value[len(quote) :]}"
            )
            yield SecretForm(
                name="password of a program", literals=names, pattern=pattern, judge=_is_login
            )


def _forms_first() -> Iterator[SecretForm]:
    """What must be found before tokens are: it holds some."""
    key = r"-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
    end = r"-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
    yield SecretForm(
        name="private key", literals=(b"-----begin", b"---- begin"),
        pattern=rf"(?s)({key})(.*?)({end}|\z)", judge=_is_block,
    )  # fmt: skip
    yield SecretForm(
        name="PuTTY private key", literals=(b"putty-user-key-file",),
        pattern=r"(?s)(PuTTY-User-Key-File-\d:)(.+)", judge=_is_block,
    )  # fmt: skip
    for pattern in (
        r"""(://[^\s/@:"']*:)([^\s/"']+)(@)""",
        r"(jdbc:oracle:[a-z]+:[^\s/@]+/)([^\s]+)(@)",
    ):
        yield SecretForm(
            name="password in an address", literals=(b"@",), pattern=pattern, judge=is_value
        )
    yield SecretForm(
        name="token in an address", literals=(b"@",),
        pattern=r"""(://)([^\s/@:"']{20,})(@)""", judge=_is_random,
    )  # fmt: skip
    yield SecretForm(
        name="AWS secret key", literals=(b"akia", b"asia"),
        pattern=r"""((?:AKIA|ASIA)[A-Z2-7]{16}["']?[\s,:;/|]{1,3}["']?)([A-Za-z0-9/+=]{40})""",
        judge=_always,
    )  # fmt: skip


def _forms_around() -> Iterator[SecretForm]:
    """What introduces a secret that may look like anything."""
    for scheme in (r"(?i:digest|oauth|aws4-hmac-sha256)", _SCHEMES):
        value = r"([^'\n]+)" if scheme is not _SCHEMES else VALUE
        opened = r"[\\\"']{0,2}"
        yield SecretForm(
            name="authorization header", literals=(b"authorization",),
            pattern=rf"({_AUTHORIZATION}{opened}{scheme}[ \t]{{1,3}}){value}", judge=is_value,
        )  # fmt: skip
    yield SecretForm(
        name="authorization header", literals=(b"authorization",),
        pattern=rf"({_AUTHORIZATION}){VALUE}", judge=_is_header,
    )  # fmt: skip
    yield SecretForm(
        name="authorization header", literals=(b"bearer", b"basic", b"ssws"),
        pattern=r"((?i:\b(?:bearer|basic|ssws))[ \t]{1,3})([A-Za-z0-9._~+/=-]{8,})",
        judge=_is_scheme,
    )  # fmt: skip
    for value in (r"""["']{0,1}[ \t]*[:=][ \t]*["']?)([^"'\n]+)""", r"""[ =]["']?)([^"'\s]+)"""):
        yield SecretForm(
            name="cookie", literals=(b"cookie",),
            pattern=rf"((?i:(?:set-)?cookie){value}", judge=_is_cookie,
        )  # fmt: skip
    yield SecretForm(
        name="cookie", literals=(b"curl",),
        pattern=rf"""({START}curl\b{COMMAND}[ \t]-b[ \t]*["']?)([^"'\s][^"'\n]*)""",
        judge=_is_cookie,
    )  # fmt: skip
    login = r"(?:-u|-U|-a|-A|--user|--auth|--proxy-user)"
    for quote, value in (("'", "([^']+)"), ('"', '([^"]+)'), ("", r"""([^\s"']+)""")):
        user = rf"[^\s:{quote}]{{0,128}}:"
        yield SecretForm(
            name="login", literals=(b"curl", b"wget", b"http", b"xh"),
            pattern=rf"({START}(?:curl|wget|https?|xh|xhs)\b{COMMAND}[ \t]{login}[ \t=]{{0,3}}"
            rf"{quote}{user}){value}",
            judge=_is_login,
        )  # fmt: skip
    yield from _option_forms()
    yield from _file_forms()
    yield SecretForm(
        name="signature in an address", literals=(b"sig",),
        pattern=r"((?i:[?&;](?:sig|signature|x-amz-signature|x-goog-signature)=))"
        r"""([^\s&"']{10,})""",
        judge=_is_random,
    )  # fmt: skip
    yield SecretForm(
        name="field with a telling name",
        literals=(b"token", b"secret", b"pass", b"pwd", b"key", b"auth", b"cred", b"pat"),
        pattern=rf"({_NAME}(?:{IS}|[ \t]{{1,4}})){VALUE}", judge=_is_field, nests=_is_no_value,
    )  # fmt: skip


def _is_header(found: Found) -> bool:
    return is_value(found) and _bare(found.secret).lower() not in NO_SECRETS


def _file_forms() -> Iterator[SecretForm]:
    """Lines of well-known files, and of languages that name a password in their own way."""
    gap = r"(?:\s|\\n)+"
    for name, literal, pattern in (
        ("netrc password", b"login",
         rf"(?i)(\b(?:login|machine){gap}[^\s\\]+{gap}(?:passwd|password){gap})([^\s\"'\\]+)"),
        ("pgpass password", b"pgpass",
         r"""([^\s:"'/]+:(?:\d+|\*):[^\s:"']+:[^\s:"']+:)([^\s"':]+)"""),
        ("SQL password", b"identified", r"(?i)(\bidentified by (?:password )?\\?')([^']+)"),
        ("SQL password", b"identified", r'(?i)(\bidentified by (?:password )?\\?")([^"]+)'),
        ("SQL password", b"password", r"(?i)(\bpassword[ \t]+(?:=[ \t]*)?')([^']+)"),
        ("SQL password", b"set password", r"(?i)(\bset password[^;\n]*=[ \t]*(?:\w+\()?')([^']+)"),
        ("Kubernetes secret", b"--from-literal",
         r"""(--from-literal[= ]["']?[^\s=]+=)([^\s"']+)"""),
        ("password for chpasswd", b"chpasswd",
         r"""([\w.-]+:)([^\s"'|]+)(["']?[ \t]*\|[^|\n]*chpasswd)"""),
        ("password for sudo", b"sudo",
         r"""(echo[ \t]+(?:-n[ \t]+)?["']?)([^\s"'|]+)(["']?[ \t]*\|[ \t]*sudo [^|\n]*-\w*S)"""),
        ("password for sudo", b"sudo", r"""(sudo[^|;\n]*-\w*S[^|;\n]*<<<[ \t]*["']?)([^\s"']+)"""),
        ("password in XML", b"</",
         r"(?i)(<(?:[\w.:-]*(?:password|passwd|secret|token|apikey|api-key|passphrase))>)([^<]+)(</)"),
        ("password in XML", b"value=",
         r"""(?i)(key=\\?["'](?:clear ?text)?password\\?["']\s+value=\\?["'])([^"'\\]+)"""),
    ):  # fmt: skip
        yield SecretForm(name=name, literals=(literal,), pattern=pattern, judge=is_value)


# --- tokens by their own form ----------------------------------------------------------------


def _token_form(token: TokenFormat) -> SecretForm:
    """Return how to find a token: whole, or cut short behind a prefix that tells enough."""
    literal = ((token.prefix if token.is_telling else token.literal).lower().encode(),)
    if not token.is_telling:
        shape = "".join(
            _quoted(p.literal)
            or f"[{p.chars}]{{{p.count},{'' if p is token.pieces[-1] else p.most}}}"
            for p in token.pieces
        )
        pattern = rf"((?:^|[^A-Za-z0-9]))({shape})"
        judged = _is_random if token.is_everyday else _always
        return SecretForm(name=token.name, literals=literal, pattern=pattern, judge=judged)
    rest = token.pieces[1:]
    signs = "".join(dict.fromkeys(p.chars or _quoted(p.literal) for p in rest))
    left = token.length - len(token.prefix)
    least = min(left, SHORTEST)
    dash = "-" if "-" in signs else ""
    chars = signs.replace(r"\-", "").replace("_-", "_").replace("%-", "%") + dash
    pattern = rf"((?:^|[^A-Za-z0-9]))({_quoted(token.prefix)}[{chars}]{{{least},}})"

    def judge(found: Found) -> bool:
        rest = found.secret[len(token.prefix) :]
        return len(rest) >= left or any(map(_is_token_run, _runs(rest)))

    return SecretForm(name=token.name, literals=literal, pattern=pattern, judge=judge)


def _is_token_run(run: bytes) -> bool:
    has_digit = any(48 <= one < 58 for one in run)
    return len(run) >= LONG_RUN or (has_digit and len(run) >= DIGIT_RUN)


def _quoted(literal: str) -> str:
    return "".join(one if one.isalnum() or one == "_" else rf"\{one}" for one in literal)


@cache
def _all_forms() -> tuple[SecretForm, ...]:
    # A longer literal first: `sk-ant-api03-` is more than a key that begins with `sk-`.
    tokens = sorted(formats(), key=lambda one: -len(one.prefix))
    return (*_forms_first(), *map(_token_form, tokens), *_forms_around())


@cache
def _compiled(pattern: str) -> Any:
    import re2

    options = re2.Options()
    options.log_errors = False
    options.encoding = re2.Options.Encoding.LATIN1
    return re2.compile(pattern.encode(), options)


def hide(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a text with every secret replaced by a mark, and the names of their forms."""
    data = text.encode("utf-8", "surrogatepass")
    lowered = data.lower()
    names: dict[str, None] = {}
    for form in _all_forms():
        for literal in form.literals:
            if literal in lowered:
                data = _hidden(form, data, names)
                break
    return data.decode("utf-8", "surrogatepass"), tuple(names)


def _hidden(form: SecretForm, data: bytes, names: dict[str, None]) -> bytes:
    kept: list[bytes] = []
    at = 0
    pattern = _compiled(form.pattern)
    look = 0
    while (match := pattern.search(data, look)) is not None:
        start, end = match.span(2)
        found = Found(data[: match.start(1)], match[1], match[2], data[end:])
        look = end or 1
        if form.judge(found):
            names[form.name] = None
            kept += [data[at:start], MARK]
            at = end
        elif form.nests is not None and form.nests(found):
            look = start
    return b"".join([*kept, data[at:]]) if kept else data
