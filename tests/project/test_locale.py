"""Jupyter's server finds the translations of the page's texts in this distribution."""

from __future__ import annotations

import subprocess
import sys

from jupyterlab_server.translation_utils import get_installed_packages_locale


def test_the_server_finds_the_korean_texts() -> None:
    locales, message = get_installed_packages_locale("ko_KR")
    texts = locales["jupyterlab_jaxviz"]
    assert message == ""
    assert texts[""]["language"] == "ko-KR"
    assert texts["Show JAX Panel"] == ["JAX 패널 표시"]


def test_the_server_does_not_import_jax_for_them() -> None:
    code = (
        "import sys; from importlib.metadata import entry_points as of; "
        "[one.load() for one in of(group='jupyterlab.locale')]; "
        "print('jupyterlab_jaxviz' in sys.modules, 'jax' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "True False\n"
