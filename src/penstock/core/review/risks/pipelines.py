"""Lines of pipelines and containers that give more power than a build needs.

Always true: these count only in files that build servers or container engines read.
"""

from __future__ import annotations

from penstock.core.proposals.flag import RiskLevel
from penstock.core.review.risks.sign import Sign
from penstock.core.review.risks.special_files import is_container, is_pipeline

SIGNS = (
    Sign(
        code="pipeline-power",
        level=RiskLevel.DANGER,
        text="runs a stranger's code with the project's rights, or gives the job more of them",
        pattern=r"\bpull_request_target\b|\bworkflow_run[ \t]*:|"
        r"\bpermissions[ \t]*:[ \t]*write-all|"
        r"^[ \t]*(?:contents|packages|actions|id-token|deployments|pull-requests|security-events|"
        r"administration|workflows)[ \t]*:[ \t]*write\b|\bself-hosted\b|"
        r"\bACTIONS_ALLOW_UNSECURE_COMMANDS\b",
        names=is_pipeline,
    ),
    Sign(
        code="pipeline-secret",
        level=RiskLevel.DANGER,
        text="uses a secret of the project",
        # All but `secrets.GITHUB_TOKEN`, which every job has.
        pattern=r"\bsecrets\.(?:[A-FH-Za-z_]\w*|G(?:[A-HJ-Z_]|I[A-SU-Z_]|IT[A-GI-Z_]|ITH[A-TV-Z_]|"
        r"ITHUB_[A-SU-Z])\w*)|"
        r"\bsecrets:[ \t]*inherit\b|\btoJSON\([ \t]*secrets",
        names=is_pipeline,
    ),
    Sign(
        code="foreign-input",
        level=RiskLevel.DANGER,
        text="puts text that strangers write into a command",
        pattern=r"\$\{\{[^}\n]*github\.(?:event\.(?:issue|pull_request|comment|review|"
        r"head_commit|commits|discussion)[^}\n]*\.(?:title|body|message|name|email|ref|label)"
        r"|head_ref)",
        names=is_pipeline,
    ),
    Sign(
        code="unpinned-action",
        level=RiskLevel.NOTICE,
        text="uses an action whose code can change at any time",
        pattern=r"^[ \t-]*uses[ \t]*:[ \t]*[\"']?[\w.-]+/[\w./-]+@(?:main|master|latest|dev|HEAD|"
        r"v?\d"
        r"[\w.]{0,10})(?:[ \t\"'\r]|$)",
        names=is_pipeline,
    ),
    Sign(
        code="container-power",
        level=RiskLevel.DANGER,
        text="gives a container power over the machine that it runs on",
        pattern=r"(?i)\bprivileged[\"']?[ \t]*[:=][ \t]*true|--privileged\b|/var/run/docker\.sock|"
        r"\b(?:network_mode|pid|ipc|userns_mode)[ \t]*:[ \t]*[\"']?host|--(?:pid|network|net|ipc|"
        r"userns)"
        r"[= ]host\b|\bhost(?:PID|Network|IPC)[ \t]*:[ \t]*true|\bcap_add\b|--cap-add\b|"
        r"\bSYS_ADMIN\b|"
        r"\ballowPrivilegeEscalation[ \t]*:[ \t]*true|\bhostPath[ \t]*:|-v[ \t]+/:/|seccomp[=:]"
        r"unconfined",
    ),
    Sign(
        code="container-root",
        level=RiskLevel.NOTICE,
        text="the container runs as root",
        pattern=r"(?i)^[ \t]*USER[ \t]+(?:root|0)\b|\brunAsUser[ \t]*:[ \t]*0\b|"
        r"\brunAsNonRoot[ \t]*:[ \t]*"
        r"false|^[ \t]*user[ \t]*:[ \t]*[\"']?(?:root|0)\b",
        names=is_container,
    ),
)
