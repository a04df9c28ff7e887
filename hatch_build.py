"""Put the hook's common path into the wheel as one module, which installers compile as any other.

A checkout has none, so that nothing but its sources ever answers there.
"""

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "src/penstock"


class CustomBuildHook(BuildHookInterface):
    """Called by hatchling before and after it builds a wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the module in a place of its own, and have it put into the wheel."""
        if version == "editable":
            return
        package = Path(self.root, PACKAGE)
        sys.path.insert(0, str(package.parent))
        from penstock.startup.amalgamate import NAME, amalgamate

        def read(path: str) -> str:
            return (package / path).read_text("utf-8")

        self._place = tempfile.mkdtemp()
        made = Path(self._place, NAME)
        made.write_text(amalgamate(read, version=self.metadata.version), "utf-8")
        build_data["force_include"][str(made)] = f"penstock/startup/{NAME}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was made."""
        del build_data, artifact_path
        if version != "editable":
            shutil.rmtree(self._place)
