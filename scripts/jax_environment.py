"""The environments of the oldest and of the newest JAX, each from its constraints file.

    python scripts/jax_environment.py oldest    makes .venv-oldest of tests/constraints/oldest.txt
    python scripts/jax_environment.py newest    the same of the newest
    python scripts/jax_environment.py renew     writes newest.txt: the newest that pip gives today

The newest environment uses the newest Python, on PATH or in pyenv, for which its JAX has a wheel.
The oldest one uses the Python of .venv, or another one.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
LIBRARIES = ("flax", "equinox", "dm-haiku", "optax", "keras")
PINNED = (
    "jax",
    "jaxlib",
    *LIBRARIES,
    "jaxtyping",
    "ml_dtypes",
    "numpy",
    "orbax-checkpoint",
    "quickjs-ng",
    "scipy",
)
PROBE = (
    "import ensurepip, sys, venv; v = sys.version_info; "
    "print(*v[:3], sep='.') if v >= (3, 11) and v.releaselevel == 'final' else sys.exit(1)"
)
NOT_TO_BE_HAD = ("No matching distribution", "ResolutionImpossible", "conflicting dependencies")
"""Messages of pip if the requested versions do not exist together for a Python."""


class DoesNotExist(Exception):
    """No combination of what was asked for exists for this Python."""


def main(task: str) -> None:
    if task == "renew":
        renew()
    else:
        print(make(task))


def make(name: str) -> str:
    """Makes the environment, and says which JAX it has on which Python."""
    environment, constraints = ROOT / f".venv-{name}", constraints_of(name)
    pythons = pythons_here() if name == "newest" else [sys.executable, *pythons_here()]
    for python in pythons:
        new_environment(python, environment)
        try:
            pip(environment, "--dry-run", "--constraint", str(constraints), "jax")
        except DoesNotExist:
            continue
        install(environment, "--constraint", str(constraints))
        return jax_of(environment)
    if name != "newest":
        raise SystemExit(f"The JAX of {constraints} exists for none of the Pythons here.")
    new_environment(pythons[0], environment)
    install(environment)
    needs = constraints.read_text().partition("needs ")[2].partition(".\n")[0]
    return f"The newest JAX needs {needs}, which is not here: tested {jax_of(environment)}"


def renew() -> None:
    """Writes newest.txt. What does not exist together with the newest JAX is said there, and left
    out."""
    for python in pythons_here():
        with tempfile.TemporaryDirectory() as folder:
            new_environment(python, Path(folder))
            try:
                written = newest(Path(folder))
            except DoesNotExist:
                print(f"No JAX for {python}.")
                continue
        constraints_of("newest").write_text(written)
        print(written, end="")
        return


def newest(environment: Path) -> str:
    """The lines of the file: the newest JAX, and of each library what pip combines with it."""
    jax = resolved(environment, ["jax"])["jax"]
    wanted, missing = [f"jax=={jax['version']}"], []
    for library in LIBRARIES:
        try:
            resolved(environment, [*wanted, library])
        except DoesNotExist:
            missing.append(f"# No {library} exists that fits it.\n")
        else:
            wanted.append(library)
    found = resolved(environment, wanted)
    versions = {normal(name): one["version"] for name, one in found.items()}
    pinned = [f"{name}=={versions[normal(name)]}\n" for name in PINNED if normal(name) in versions]
    needs = jax["requires_python"].replace(">=", "Python ≥ ")
    head = f"# The newest JAX, which needs {needs}.\n# `make newest` writes this file.\n"
    return "".join([head, *missing, *pinned])


def resolved(environment: Path, wanted: list[str]) -> dict[str, dict[str, str]]:
    """The packages that pip would install, by name."""
    said = pip(environment, "--dry-run", "--ignore-installed", "--report", "-", *wanted)
    return {one["metadata"]["name"]: one["metadata"] for one in json.loads(said)["install"]}


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def constraints_of(name: str) -> Path:
    return ROOT / "tests" / "constraints" / f"{name}.txt"


def pythons_here() -> list[str]:
    """Pythons that can make an environment and are new enough, the newest first."""
    found: dict[tuple[int, ...], str] = {}
    for path in [*named_pythons(), Path(sys.executable)]:
        ran = subprocess.run([path, "-c", PROBE], capture_output=True, text=True)
        if ran.returncode == 0:
            found.setdefault(tuple(map(int, ran.stdout.split("."))), str(path))
    return [found[version] for version in sorted(found, reverse=True)]


def named_pythons() -> Iterator[Path]:
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for folder in [*map(Path, os.environ.get("PATH", "").split(os.pathsep)), *pyenv.glob("*/bin")]:
        yield from (path for path in folder.glob("python3.*") if path.name[8:].isdigit())


def new_environment(python: str, at: Path) -> None:
    subprocess.run([python, "-m", "venv", "--clear", at], check=True)
    pip(at, "--upgrade", "pip>=25.1")  # which knows the groups in pyproject.toml


def install(environment: Path, *options: str) -> None:
    group = f"{ROOT / 'pyproject.toml'}:test"
    pip(environment, *options, "--editable", str(ROOT), "--group", group)


def pip(environment: Path, *arguments: str) -> str:
    ran = subprocess.run(
        [environment / "bin" / "pip", "install", "--quiet", *arguments],
        capture_output=True, text=True, env={**os.environ, "SKIP_JUPYTER_BUILDER": "1"},
    )  # fmt: skip
    if ran.returncode:
        if any(words in ran.stderr for words in NOT_TO_BE_HAD):
            raise DoesNotExist(ran.stderr)
        raise SystemExit(ran.stderr)
    return ran.stdout


def jax_of(environment: Path) -> str:
    python = environment / "bin" / "python"
    code = "import jax, platform; print(jax.__version__, 'on Python', platform.python_version())"
    said = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)
    return f"JAX {said.stdout.strip()}"


if __name__ == "__main__":
    main(*sys.argv[1:])
