"""Scripts that run by themselves: on install, on build, on commit, on opening a project.

Whoever runs `npm install` or enters a directory runs what these say, without being asked again.
Always true: a script that somebody has to start by its name is no matter of this table.
"""

from __future__ import annotations

from collections.abc import Callable

from penstock.core.proposals.flag import RiskLevel
from penstock.core.review.languages import Language, file_name
from penstock.core.review.risks.sign import Sign


def named(*names: str) -> Callable[[str], bool]:
    """Accept files of these names, wherever they lie; one that begins with a star by its end."""
    whole = frozenset(name for name in names if not name.startswith("*"))
    ends = tuple(name[1:] for name in names if name.startswith("*"))

    def accepts(path: str) -> bool:
        name = file_name(path)
        return name in whole or (bool(ends) and name.endswith(ends))

    return accepts


def below(*folders: str) -> Callable[[str], bool]:
    """Accept files below these folders, wherever those lie."""

    def accepts(path: str) -> bool:
        return any(f"/{folder}/" in f"/{path.lower()}" for folder in folders)

    return accepts


ON_INSTALL = "runs when the package is installed"
_NPM = r"(?:(?:pre|post)?(?:install|uninstall|publish|pack|prepare)|prepublishOnly|dependencies)"
_COMPOSER = (
    r"(?:(?:pre|post)-(?:install|update|autoload|package|root-package|create-project|status)"
    r"(?:-[a-z]+)*|pre-operations-exec|command)"
)
PYTHON_RUNS = r"\b(?:os\.system|os\.popen|subprocess\.\w+|exec|eval|__import__|urlopen)[ \t]*\("

SIGNS = (
    Sign(
        code="install-script",
        level=RiskLevel.DANGER,
        text=f"this script {ON_INSTALL}",
        # A dependency may have such a name; its value is a version.
        pattern=rf"(?:^|[{{,])[ \t]*\"{_NPM}\"[ \t]*:[ \t]*\"[^\"^~*<>=0-9]",
        names=named("package.json"),
    ),
    Sign(
        code="install-script",
        level=RiskLevel.DANGER,
        text=f"this script {ON_INSTALL}",
        pattern=rf"\"{_COMPOSER}\"[ \t]*:[ \t]*[\"\[]|\"allow-plugins\"",
        names=named("composer.json"),
    ),
    Sign(
        code="install-script",
        level=RiskLevel.DANGER,
        text=f"this code {ON_INSTALL}",
        pattern=rf"\bcmdclass\b|{PYTHON_RUNS}|\b(?:build_ext|install|develop|egg_info)\)[ \t]*:",
        names=named("setup.py"),
    ),
    Sign(
        code="build-hook",
        level=RiskLevel.DANGER,
        text="code of the project runs when it is built or installed",
        pattern=r"^[ \t]*(?:build-backend|backend-path)[ \t]*="
        r"|^[ \t]*\[+tool\.(?:hatch\.build(?:\.targets\.[\w-]+)?\.hooks|setuptools\.cmdclass"
        r"|poetry\.build|pdm\.build|scikit-build|maturin)"
        r"|^[ \t]*(?:build-script|script|run-setuptools)[ \t]*=",
        names=named("pyproject.toml"),
    ),
    Sign(
        code="build-requires",
        level=RiskLevel.NOTICE,
        text="changes what the build itself depends on",
        pattern=r"^[ \t]*requires[ \t]*=",
        names=named("pyproject.toml"),
    ),
    Sign(
        code="build-hook",
        level=RiskLevel.DANGER,
        text="names a program that runs at every build",
        pattern=r"^[ \t]*(?:build[ \t]*=[ \t]*\"|rustc-wrapper|rustc-workspace-wrapper|runner|"
        r"linker"
        r"|rustflags)|^[ \t]*proc-macro[ \t]*=[ \t]*true",
        names=named("cargo.toml", "config.toml", "config"),
        languages=frozenset({Language.TOML}),
    ),
    Sign(
        code="build-hook",
        level=RiskLevel.DANGER,
        text="runs a program, or code from an address, when the project is built",
        pattern=r"\b(?:exec[ \t]*\{|exec[ \t]*\(|commandLine\b|executable\b|ProcessBuilder|"
        r"\.execute\(\))|apply[ \t(]+from[ \t]*[:=][ \t]*[\"']https?:|<artifactId>(?:exec-maven"
        r"|maven-antrun|groovy-maven|gmavenplus)-plugin|<Exec[ \t]|PreBuildEvent|PostBuildEvent",
        names=named("*.gradle", "*.gradle.kts", "pom.xml", "*.csproj", "*.props", "*.targets"),
    ),
    Sign(
        code="build-hook",
        level=RiskLevel.DANGER,
        text="changes the program that builds the project",
        pattern=r"^[ \t]*(?:distributionUrl|wrapperUrl|distributionSha256Sum)[ \t]*=",
        names=named("gradle-wrapper.properties", "maven-wrapper.properties"),
    ),
    Sign(
        code="build-hook",
        level=RiskLevel.DANGER,
        text=f"this code {ON_INSTALL}",
        pattern=r"\.extensions[ \t]*(?:=|<<)|\bextconf\.rb\b",
        names=named("*.gemspec"),
    ),
    Sign(
        code="generate-command",
        level=RiskLevel.NOTICE,
        text="`go generate` runs this command",
        pattern=r"^//go:generate[ \t]",
        languages=frozenset({Language.GO}),
    ),
    Sign(
        code="runs-on-open",
        level=RiskLevel.DANGER,
        text="runs when somebody opens the project",
        pattern=r"\"runOn\"[ \t]*:[ \t]*\"folderOpen\"|\"task\.allowAutomaticTasks\"|"
        r"\"(?:initialize|onCreate|updateContent|postCreate|postStart|postAttach)Command\"",
        names=named("tasks.json", "settings.json", "devcontainer.json", ".devcontainer.json",
                    "*.code-workspace"),
    ),
    Sign(
        code="starts-program",
        level=RiskLevel.DANGER,
        text="names a program that an agent starts",
        pattern=r"\"(?:command|args|url)\"[ \t]*:",
        names=named(".mcp.json", "mcp.json", "mcp_config.json"),
    ),
    Sign(
        code="package-source",
        level=RiskLevel.DANGER,
        text="changes where packages come from, or which scripts run when they are installed",
        pattern=r"(?i)(?:^|[ \t:@/])(?:registry|npmRegistryServer|index-url|extra-index-url|"
        r"trusted-host|find-links|ignore-scripts|script-shell|enableScripts|git|yarnPath|replace-"
        r"with|onload-script|node-options)[ \t]*[=:]",
        names=named(".npmrc", ".yarnrc", ".yarnrc.yml", "pip.conf", "pip.ini", ".pypirc", "uv.toml",
                    ".condarc", "bunfig.toml"),
    ),
    Sign(
        code="git-filter",
        level=RiskLevel.DANGER,
        text="git runs a program for files that match",
        pattern=r"\b(?:filter|diff|merge)=\w",
        names=named(".gitattributes"),
    ),
    Sign(
        code="submodule",
        level=RiskLevel.NOTICE,
        text="brings in another repository",
        pattern=r"^[ \t]*(?:url|path)[ \t]*=",
        names=named(".gitmodules"),
    ),
)  # fmt: skip
