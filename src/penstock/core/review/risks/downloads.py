"""Lines that fetch code and run it, run code that is encoded, or open a shell to the network.

Always true: what is fetched and only kept is no matter of this table; `network` names it.
"""

from __future__ import annotations

from penstock.core.proposals.flag import RiskLevel
from penstock.core.review.languages import Language
from penstock.core.review.risks.sign import Sign

SHELL = r"(?:/(?:usr/)?(?:local/)?bin/)?(?:ba|z|k|da|a|fi|tc|c)?sh\b"
PROGRAM = r"(?:python[\d.]*|node|perl|ruby|php|deno|bun|lua)"
# A program that is given its own text, `python -m json.tool`, does not run what it reads.
READS = rf"(?:{SHELL}|{PROGRAM}[ \t]*(?:-[ \t]*)?(?:$|[|;&)\"'`\\\r]))"
BEFORE = r"(?:(?:sudo|doas|env|exec|nohup|time|command)(?:[ \t]+(?:-\S+|\w+=\S*))*[ \t]+)*"
FETCH = r"(?:curl|wget|aria2c|lwp-download|xh|httpie|https?)[ \t]"
INTO = rf"\|[ \t&]*{BEFORE}(?:xargs[ \t][^|\n]*)?{READS}"
SHELLS = frozenset(
    {Language.SHELL, Language.DOCKER, Language.MAKE, Language.YAML, Language.POWERSHELL}
)
RUNS = "downloads code and runs it"
ENCODED = "runs code that is encoded, so nobody can read it here"

SIGNS = (
    Sign(
        code="download-run",
        level=RiskLevel.DANGER,
        text=RUNS,
        pattern="|".join(
            (
                rf"\b{FETCH}[^\n]*{INTO}",
                rf"(?:{SHELL}(?:[ \t]+-\w+)*|\beval|\bsource|(?:^|[;&|][ \t]*)\.)[ \t]+[\"']?"
                rf"(?:\$\(|`|<\()[ \t]*{BEFORE}(?:{FETCH})",
                r"\b(?:curl|wget)[ \t][^\n]*(?:&&|;)[^\n]*"
                r"(?:\b(?:ba|z|da)?sh[ \t]+[\w./~$\"'-]|chmod[ \t]+[^\n]*x|[ \t;&]\./\w)",
                r"(?i)\b(?:iwr|irm|invoke-webrequest|invoke-restmethod|downloadstring|curl|wget)\b"
                r"[^\n]*\|[ \t]*(?:iex|invoke-expression)\b",
                r"(?i)\b(?:iex|invoke-expression)\b[^\n]*(?:iwr|irm|invoke-webrequest|"
                r"invoke-restmethod|downloadstring|webclient)\b",
                r"\b(?:exec|eval|Function|instance_eval)[ \t]*\([^\n]*(?:requests\.|urlopen|"
                r"urllib|httpx\.|fetch\(|axios|URI\.open|file_get_contents\([ \t]*[\"']http)",
                r"\bimport\([ \t]*[\"'`]https?://",
                r"\bimportlib[^\n]*https?://",
                rf"^[ \t]*\|[ \t]*{BEFORE}{SHELL}(?:[ \t]|\\|$)",
            )
        ),
    ),
    Sign(
        code="pipe-to-shell",
        level=RiskLevel.NOTICE,
        text="pipes text into a shell, which runs it",
        pattern=rf"\b(?:cat|echo|printf|jq|sed|awk|tr|gunzip|zcat|tar)\b[^\n|]*{INTO}",
        languages=SHELLS,
    ),
    Sign(
        code="encoded-code",
        level=RiskLevel.DANGER,
        text=ENCODED,
        pattern="|".join(
            (
                rf"\bbase(?:64|32)[ \t]+(?:-d|-D|--decode)[^\n]*{INTO}",
                rf"\bopenssl[ \t]+(?:base64|enc)[ \t][^\n]*-d[^\n]*{INTO}",
                rf"\bxxd[ \t]+-r[^\n]*{INTO}",
                r"\b(?:exec|eval|compile|assert|create_function)[ \t]*\([^\n]*(?:b64decode|"
                r"b32decode|b85decode|a85decode|unhexlify|fromhex|marshal\.loads|decompress\(|"
                r"codecs\.decode|atob\(|base64_decode|gzinflate|str_rot13|Base64\.decode|"
                r"fromCharCode|Buffer\.from)",
                r"(?i)\bp(?:ower)?w?sh(?:ell)?(?:\.exe)?\b[^\n]*[ \t]-e(?:nc?|ncodedcommand)?[ \t]+"
                r"[A-Za-z0-9+/=]{20,}",
            )
        ),
    ),
    Sign(
        code="remote-shell",
        level=RiskLevel.DANGER,
        text="connects a shell to the network",
        pattern="|".join(
            (
                r"/dev/(?:tcp|udp)/",
                r"\bn(?:c|cat|etcat)\b[^\n]*[ \t]-\w*[ec]\w*[ \t]+\S*(?:sh|cmd)",
                r"\b(?:ba|z|da)?sh[ \t]+-i\b[^\n]*(?:>&|<&)",
                r"\bsocat\b[^\n]*(?:exec|system):",
                r"\bmkfifo\b[^\n]*\bnc\b",
                r"\bpty\.spawn\(",
            )
        ),
    ),
    Sign(
        code="other-package-source",
        level=RiskLevel.NOTICE,
        text="installs a package from an address or another index",
        pattern="|".join(
            (
                r"\bpip[\d.]*[ \t]+install\b[^\n]*(?:git\+|https?://)",
                r"(?:--extra-index-url|--index-url|--find-links|--trusted-host)\b",
                r"\b(?:npm|pnpm|yarn|bun)[ \t]+(?:i|install|add)\b[^\n]*(?:git\+|https?://|github:)",
                r"\b(?:go[ \t]+install|cargo[ \t]+install[^\n]*--git|"
                r"gem[ \t]+install[^\n]*--source)"
                r"[ \t]",
                r"\b(?:npx|bunx|pnpm[ \t]+dlx|uvx|pipx[ \t]+run)[ \t]+(?:-y[ \t]+)?[@\w]",
            )
        ),
        languages=SHELLS | {Language.JSON, Language.TOML, Language.INI},
    ),
)
