"""Say whether a text shows any sign of a secret; most texts show none.

Which forms secrets have is `token_formats`' and `secret_forms`' business, and taking them out is
`redact`'s.
Always true: a text with a secret that `secret_forms` would find shows a sign; and nothing is
imported here, because a cold hook looks at what it puts on the record.
"""

# The signs: without one of them there is no secret that we know. A text is cut into words of
# letters and digits, each with the separator behind it; so a sign is found in no more time
# however many there are. Whoever adds a form adds its sign here; tests name those that lack one.
# The first ones are of tokens that have a form of their own, which are never all short words.
SEPARATORS = b"_-."
WORDS = frozenset(
    b"""
    A3- AGE- API- CCIPAT_ CCIPRJ_ CFPAT- CLOJARS_ FLWSECK- FLWSECK_ GOCSPX- HRKU- JDC_ Mid- NRAK-
    NRII- NRIQ- NRJS- PMAK- SG. WPL_ access- access_ ak_ amzn. amzn1. api- api_ atlasv1. b_ bb_
    bkua_ cfsk_ csk- dckr_ discord. dnkey- doo_ dop_ dor_ dp. dt0c01. dt0s16. duffel_ e2b_ essu_
    fc- figd_ fio- fm1a_ fm1r_ fm2_ fo1_ fw_ gho_ ghp_ ghr_ ghs_ ghu_ github_ glagent- glc_ glcbt-
    gldt- glffct- glft- glimt- gloas- glpat- glptt- glrt- glsa_ glsoat- gsk_ hcaik_ hcamk_ hf_
    hvb. hvr. hvs. ico- jina_ key- lin_ lip_ live_ llx- ls- lsv2_ mka_ mmk napi_ nfp_ npm_ ntn_
    nvapi- ops_ ovsxp_ p8e- pat- pat. pcsk_ pdl_ persona_ phx_ pina_ pk_ pnb_ pnu_ polar_
    pplx- pscale_ pts_ pul- pypi- r8_ rdme_ re_ rk_ rnd_ rpa_ rubygems_ rzp_ s- samsara_ sat. sb_
    sbp_ sc_ sdk- secret_ sgd_ sgp_ shippo_ shpat_ shpca_ shppa_ shpss_ sk- sk. sk_ sl.
    slack. slk_ sm_ sntrys_ sntryu_ sq0atp- sq0csp- sqa_ sqp_ squ_ t1. tfp_ tgp_ tid_ tk- tk.
    tsec_ tskey- tss_ tvly- unkey_ v1. vcp_ vercel_ vtwn_ waka_ whsec_ xai- xapp- xau_ xkeysib-
    xoxa- xoxb- xoxe- xoxe. xoxp- xoxs- xsmtpsib- xwfp- y0_ ya29. zpka_ webhookb2
    glrtr- glwt- AQ. STS. bce- nfc_ nfo_ nfu_ vca_ vci_ vck_ vcr_ cfut_ cfat_ cfk_ npg_ bkct_ bkpt_
    ls_ wandb_ ak- as- pa- crsr_ key_ sgamp_ wk- apk_ fk- xoxc- xoxd- xoxr- xoxo- slack- discordapp.
    mfa. telegram. mlsn. os_ pubkey- sq0csb- sq0idb- shpua_ shptka_ shpit_ prtapi_ NRRA- NRAA- NRSP-
    sntryi_ sntrya_ snyk_ sktsec_ hawk. xaat- xapt- mob- figo_ figor_ figu_ 1000. act. RGAPI- syt_
    mat_ infura. alchemy. depot_ jca_ chpt_ dub_ perm SWMTKN- at_ st. phs_ esecret_ apify_
    nsct_ us1 us2 us3 us4 us5 us6 us7 us8 us9 us10 us11 us12 us13 us14 us15 us16 us17 us18 us19 us20
    us21 us22
    """.split()
)
# Most other tokens hold a capital letter, which most texts do not.
LONG_WORD = 16  # longer than this, a word that begins in one of these ways may be a key
LONG_HEADS = frozenset(
    b"4b AB AC AK AS AT EA EX EZ K1 LT MT Mj Mz ND NT Nj Nz OD OT SC SK KE ci cf cm pa xp".split()
)
HEADS = frozenset(
    b"""00D 5Ae AAA ABS AIz AQE AQV ATA ATC ATO ATS ATT BSA EAA Fwo GR1 IGA IGQ IQo LS0 RWR ZXl b3B
    dG9 eyJ""".split()
)
_BEGINNINGS = LONG_HEADS | {head[:2] for head in HEADS}
CAPITAL_PARTS = (
    *("+A", ":AA", "ACDb", "APA91b", "APIM", "AZDO", "Az", "Q~", "-----BEGIN", "---- BEGIN"),
    *("1//0", "4/0A", "cnvca", "sha256~", "DO-NOT-SHARE", "NRAL", "NRMA", "YC"),
)
PARTS = ("dapi", "dkea", "dose", "dsapi", "oy2")
SHORT_RUN, LONG_RUN = 6, 16  # characters: so long with a digit among them, or so long
# What introduces a secret, in any case of letters; a separator must be there as well.
PROGRAMS = frozenset(
    b"""
    Bearer bearer BEARER Basic basic BASIC Cookie cookie COOKIE sshpass chpasswd smbclient
    rpcclient lftp ldapsearch ldapadd ldapmodify ldapdelete ldapwhoami redis- 7z 7za unzip zip rar
    unrar sqlcmd bcp mosquitto_ mongo mongosh mongodump mongorestore mongoexport mongoimport curl
    wget http https xh ngrok snyk vault cargo nuget htpasswd sudo IDENTIFIED identified login
    rclone xfreerdp wfreerdp mysql mysqldump mysqladmin mysqlimport mariadb mariadb- mycli twine
    poetry openssl literal PuTTY- PAT pat SSWS mc netrc pgpass gpg bw gh sig Signature signature
    """.split()
)
NAMES = ("token", "secret", "pass", "pwd", "key", "auth", "cred")
INTRODUCING = (":", "=", " ", "\t", ">")
_DIGITS, _LOWER = bytes(range(0x30, 0x3A)), bytes(range(0x61, 0x7B))
_KEPT = _DIGITS + _LOWER + _LOWER.upper() + SEPARATORS
_OTHER = bytes(range(256)).translate(None, _KEPT)
_CUT = bytes.maketrans(_OTHER, b" " * len(_OTHER))


def may_hold_secret(text: str) -> bool:
    """Say whether a text shows any sign of a secret; most texts show none."""
    words, lowered = _words(text), text.lower()
    if _has(text, INTRODUCING) and (_has(lowered, NAMES) or not PROGRAMS.isdisjoint(words)):
        return True
    if "@" in text and ":" in text:  # a login in an address
        return True
    return (
        not WORDS.isdisjoint(words)
        or _has(text, PARTS)
        or (lowered != text and (_begins(words) or _has(text, CAPITAL_PARTS)))
    ) and _has_run(words)


def _has_run(words: "list[bytes]") -> bool:
    """True where a word is no everyday word: `api_client.py` begins like a key, and is none."""
    for word in words:
        if len(word) > LONG_RUN or (
            len(word) >= SHORT_RUN and not word.strip(SEPARATORS).isalpha()
        ):
            return True
    return False


def _begins(words: "list[bytes]") -> bool:
    for word in words:
        if word[:2] in _BEGINNINGS and (
            word[:3] in HEADS or (len(word) > LONG_WORD and word[:2] in LONG_HEADS)
        ):
            return True
    return False


def _words(text: str) -> "list[bytes]":
    """Cut a text into words of letters and digits, each with the separator behind it."""
    data = text.encode("utf-8", "surrogatepass").translate(_CUT)
    return data.replace(b"_", b"_ ").replace(b"-", b"- ").replace(b".", b". ").split()


def _has(text: str, signs: tuple[str, ...]) -> bool:
    for sign in signs:  # noqa: SIM110 - a plain loop takes half the time of `any`, per event
        if sign in text:
            return True
    return False


# How files with secrets are spelt in code; `process.env` and `os.environ` are none.
FILE_MARKS = (
    *(b'".env', b"'.env", b"`.env", b"/.env", b" .env", b".ssh/", b".aws/", b".kube/", b".gnupg"),
    *(b".netrc", b".npmrc", b".pypirc", b".pgpass", b".docker/config", b".config/gh", b"id_rsa"),
    *(b"id_ed25519", b".pem", b'.key"', b".key'", b"secret.", b"secrets.", b"secrets/"),
    *(b"credentials", b"vault_pass", b"keystore."),
)


def names_secret_file(content: bytes) -> bool:
    """Say whether some content may name a file with secrets; then the engine looks closer."""
    return any(mark in content for mark in FILE_MARKS)
