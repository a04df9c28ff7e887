"""Checks that a change turns off: linters, types, certificates, hooks, failing builds.

Always true: only the line that turns a check off counts; whether it was right to do so is not
judged.
"""

from __future__ import annotations

from penstock.core.proposals.flag import RiskLevel
from penstock.core.review.risks.sign import Sign
from penstock.core.review.risks.special_files import is_pipeline

SIGNS = (
    Sign(
        code="tls-off",
        level=RiskLevel.DANGER,
        text="turns off the check of certificates, so anybody can answer instead of the server",
        pattern="|".join(
            (
                r"\bverify[ \t]*=[ \t]*False\b",
                r"\b(?:verify_ssl|ssl_verify|verify_certs|validate_certs|sslVerify|strictSSL|"
                r"strict-ssl|check_hostname|verifySsl|"
                r"ssl_check_hostname)[\"']?[ \t:=]+[\"']?"
                r"(?:[Ff]alse|no|0|off)\b",
                r"\brejectUnauthorized[\"']?[ \t]*:[ \t]*false\b",
                r"\bNODE_TLS_REJECT_UNAUTHORIZED\b[^\n]*0",
                r"\b(?:PYTHONHTTPSVERIFY|GIT_SSL_NO_VERIFY)[\"']?\]?[ \t]*[=:]",
                r"\bInsecureSkipVerify[ \t]*:[ \t]*true\b",
                r"\bdanger_accept_invalid_(?:certs|hostnames)\([ \t]*true",
                r"\b_create_unverified_context\b|\bssl\.CERT_NONE\b|\bVERIFY_NONE\b|"
                r"\bSSL_VERIFY_NONE\b",
                r"\bCURLOPT_SSL_VERIFY(?:PEER|HOST)\b[^\n]*(?:false|0)\b",
                r"\bcurl\b[^\n]*[ \t](?:-\w*k\w*|--insecure|--proxy-insecure)(?:[ \t]|$)",
                r"\bwget\b[^\n]*--no-check-certificate\b",
                r"\bStrictHostKeyChecking[ \t=]+(?:no|off|accept-new)\b|"
                r"UserKnownHostsFile[ \t=]+/dev/"
                r"null|\bAutoAddPolicy\(|\bInsecureIgnoreHostKey\(",
                r"\bServerCertificateValidationCallback\b|DangerousAcceptAnyServerCertificate|"
                r"\bTrustAllCerts\b|ALLOW_ALL_HOSTNAME_VERIFIER|NoopHostnameVerifier|"
                r"-SkipCertificateCheck\b|--no-verify-ssl\b|--insecure-skip-tls-verify\b|"
                r"--allow-insecure\b",
            )
        ),
    ),
    Sign(
        code="hooks-off",
        level=RiskLevel.DANGER,
        text="skips hooks or approvals that would have been asked",
        pattern=r"(?:^|[ \t\"'\[,])--no-verify\b|\bHUSKY(?:_SKIP_HOOKS)?[ \t]*=[ \t]*[01]\b|"
        r"\bSKIP=[\w,-]+[ \t]+git\b|\bPRE_COMMIT_ALLOW_NO_CONFIG\b|--no-gpg-sign\b|"
        r"--dangerously-skip-permissions\b|--dangerously-bypass-approvals-and-sandbox\b|"
        r"--(?:yolo|full-auto)\b|\bcore\.hooksPath\b|\bcommit[ \t][^\n]*[ \t]-n(?:[ \t]|$)",
    ),
    Sign(
        code="failure-ignored",
        level=RiskLevel.NOTICE,
        text="a failure no longer stops the build",
        pattern=r"\|\|[ \t]*(?:true|:|exit[ \t]+0|echo\b)|"
        r"\bcontinue-on-error[ \t]*:[ \t]*(?:true|\$)|"
        r"\ballow_failure[ \t]*:[ \t]*true|\bcontinueOnError[ \t]*:[ \t]*true|\bignore-errors\b|"
        r"^[ \t]*set[ \t]+\+e|\bfail-fast[ \t]*:[ \t]*false|--passWithNoTests\b|--exit-zero\b|"
        r"\bif[ \t]*:[ \t]*(?:always\(\)|false)|\bcatchError\b|--no-fail\b",
        names=is_pipeline,
    ),
    Sign(
        code="lint-off",
        level=RiskLevel.NOTICE,
        text="turns off a linter or type check",
        pattern="|".join(
            (
                r"\beslint-disable\b|\btslint:disable\b|\bbiome-ignore\b|\boxlint-disable\b|"
                r"\bstylelint-disable\b|\bprettier-ignore\b|@ts-(?:ignore|nocheck|expect-error)\b|"
                r"\bdeno-lint-ignore\b|\$FlowFixMe\b|\bjshint\b[^\n]*ignore",
                r"#[ \t]*(?:noqa|nosec|nosemgrep|type:[ \t]*ignore|pyright:[ \t]*ignore|mypy:[ \t]*"
                r"ignore|pylint:[ \t]*disable|flake8:[ \t]*noqa|ruff:[ \t]*noqa|fmt:[ \t]*off|"
                r"pragma:"
                r"[ \t]*no[ \t]*cover|rubocop:disable|shellcheck[ \t]+disable|checkov:skip|tfsec:"
                r"ignore|hadolint[ \t]+ignore|yamllint[ \t]+disable|ty:[ \t]*ignore|pyre-ignore)",
                r"//[ \t]*(?:nolint|NOLINT(?:NEXTLINE|BEGIN)?|nosemgrep|noinspection|phpcs:ignore|"
                r"phpcs:disable|@phpstan-ignore|swiftlint:disable|detekt:|ktlint-disable|#nosec|"
                r"codeql\[|lgtm\[|NOSONAR|ReSharper[ \t]+disable)",
                r"#!?\[allow\(|@SuppressWarnings\b|@Suppress\(|@SuppressLint\b|"
                r"#pragma[ \t]+warning[ "
                r"\t]*(?:\([ \t]*)?disable|#pragma[ \t]+(?:GCC|clang)[ \t]+diagnostic[ \t]+ignored|"
                r"\[SuppressMessage\b|\bistanbul[ \t]+ignore|\bc8[ \t]+ignore|\bv8[ \t]+ignore|"
                r"@psalm-suppress|@codeCoverageIgnore",
            )
        ),
    ),
    Sign(
        code="unsafe-setting",
        level=RiskLevel.DANGER,
        text="turns off a protection of the application",
        pattern="|".join(
            (
                r"@csrf_exempt\b|\bcsrf\(\)\.disable\(|"
                r"\bskip_before_action[ \t]+:verify_authenticity|"
                r"\bprotect_from_forgery[^\n]*null_session|\bWTF_CSRF_ENABLED[^\n]*False",
                r"(?i)\bAccess-Control-Allow-Origin\b[\"']?[ \t]*[,:=)][^\n]*\*",
                r"\btrust_remote_code[ \t]*=[ \t]*True\b|\bweights_only[ \t]*=[ \t]*False\b|"
                r"\ballow_dangerous_deserialization[ \t]*=[ \t]*True\b",
                r"\bverify_signature[\"']?[ \t]*[:=]>?[ \t]*(?:False|false)|"
                r"\balgorithms?[\"']?[ \t]*[:=]"
                r"[ \t]*\[?[ \t]*[\"']none[\"']",
                r"\bsandbox[ \t]*:[ \t]*false\b|\bcontextIsolation[ \t]*:[ \t]*false\b|"
                r"\bwebSecurity[ \t]*:[ \t]*false\b|--no-sandbox\b|--disable-web-security\b|"
                r"\bnodeIntegration[ \t]*:[ \t]*true\b",
                r"\bautoescape[ \t]*=[ \t]*False\b",
            )
        ),
    ),
)
