"""The server of the browser tests: open to them alone, in a folder that goes with it."""

import os
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from jupyterlab.galata import configure_jupyter_server

c: Any = get_config()  # noqa: F821  # pyright: ignore[reportUndefinedVariable]
configure_jupyter_server(c)
c.ServerApp.ip = "127.0.0.1"
c.ServerApp.port = int(os.environ["JAXVIZ_PORT"])
c.ServerApp.allow_root = True
c.Application.log_level = "ERROR"
c.JupyterNotebookApp.expose_app_in_browser = True

# Settings are not those of a person, and nobody is asked about news.
settings = Path(mkdtemp(prefix="jaxviz-settings-"))
c.LabServerApp.user_settings_dir = str(settings)
notification = settings / "@jupyterlab/apputils-extension/notification.jupyterlab-settings"
notification.parent.mkdir(parents=True)
notification.write_text('{"fetchNews": "false"}')
