"""Pictures in a real kernel: after a fork, from threads, within its event loop, interrupted.

They keep to their limits, and touch nothing that is the user's.
"""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest
from golden_jax import part
from notebook import Kernel, kernel_fixture

SETUP = """
%load_ext jaxviz
import asyncio, gc, os, random, signal, sys, threading
import jax, jax.numpy as jnp, numpy, jaxviz
from jaxviz.picture import draw as picture
from jaxviz.picture.draw import NotDrawn
def f(x): return jnp.sin(x) * 2
program = jaxviz.inspect(f)(1.0)
expected = picture.picture(program.record)
def same(): return picture.picture(program.record) == expected

def in_thread(call):
    \"\"\"What it gives in a thread with the stack that a thread has on macOS.\"\"\"
    found = []
    before = threading.stack_size(512 * 1024)
    thread = threading.Thread(target=lambda: found.append(call()))
    thread.start()
    threading.stack_size(before)
    thread.join()
    return found[0]
"""
kernel = kernel_fixture(SETUP)


def printed(kernel: Kernel, code: str) -> list[str]:
    """The lines that a cell prints."""
    outputs = kernel.run("cell", code)
    assert all(output.get("name") == "stdout" for output in outputs), outputs
    return "".join(str(output["text"]) for output in outputs).splitlines()


def test_after_a_fork(kernel: Kernel) -> None:
    code = """
import warnings
warnings.simplefilter("ignore")  # JAX says that it has threads
child = os.fork()
if child == 0:
    os._exit(0 if same() else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), same())
"""
    assert printed(kernel, code) == ["0 True"]


def test_from_threads_at_once(kernel: Kernel) -> None:
    code = """
found = []
threads = [threading.Thread(target=lambda: found.append(same())) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(found == [True] * 8, in_thread(same))
"""
    assert printed(kernel, code) == ["True True"]


def test_within_a_running_loop(kernel: Kernel) -> None:
    code = """
async def other(): return [same(), await asyncio.to_thread(same)]
print(asyncio.get_running_loop().is_running(), await asyncio.gather(other(), other()))
"""
    assert printed(kernel, code) == ["True [[True, True], [True, True]]"]


def test_time_that_other_threads_took_is_not_its_own(kernel: Kernel) -> None:
    """The engine counts the processor time of all: a limit that they used up is tried again."""
    code = """
before, picture.TRIES = picture.TRIES, (0.0001, 8)
print(same())
picture.TRIES = before
"""
    assert printed(kernel, code) == ["True"]


def drawing(tmp_path: Path, code: str, cell: str) -> str:
    """A cell that runs while pictures are drawn by this code."""
    path = tmp_path / "picture.js"
    path.write_text(code)
    return f"""
from pathlib import Path
before, picture.CODE = picture.CODE, Path({str(path)!r})
picture.code.cache_clear()
try:
{indent(cell, "    ")}
finally:
    picture.CODE = before
    picture.code.cache_clear()
"""


SHOWN = """
import re
for shown in (program._repr_mimebundle_(), in_thread(program._repr_mimebundle_)):
    html = shown["text/html"]
    print("<pre>f(x) " in html, *re.findall("No picture: ([^<]*)", html))
"""
ENDS = {
    "for (;;);": "drawing it took more than 5 s.",
    "for (const all = [];;) all.push([all.length]);": "drawing it failed: out of memory.",
    "(function again() { return again() + 1; })();": (
        "drawing it failed: RangeError: Maximum call stack size exceeded."
    ),
    "JSON.parse('['.repeat(1e6));": (
        "drawing it failed: RangeError: Maximum call stack size exceeded."
    ),
    "throw new Error('<b>');": "drawing it failed: Error: &lt;b&gt;.",
    "not JavaScript": "drawing it failed: SyntaxError: expecting &#x27;;&#x27;.",
}


@pytest.mark.parametrize("code", part(ENDS, of=2))
def test_what_fails_is_a_summary_and_one_sentence(
    kernel: Kernel, tmp_path: Path, code: str
) -> None:
    picture = f"globalThis.picture = () => {{ {code} }}" if code != "not JavaScript" else code
    line = f"True {ENDS[code]}"
    assert printed(kernel, drawing(tmp_path, picture, SHOWN)) == [line, line]
    assert printed(kernel, "print(same())") == ["True"]


def test_a_bundle_that_is_not_there_is_reported(kernel: Kernel, tmp_path: Path) -> None:
    path = tmp_path / "picture.js"
    code = drawing(tmp_path, "", f"os.unlink({str(path)!r})\n{SHOWN}")
    for line in printed(kernel, code):
        assert line.startswith("True drawing it failed: [Errno 2] No such file")


MISSING = """
sys.modules["_quickjs"], before = None, sys.modules["_quickjs"]
try:
    log = jaxviz.watch()
    with log as found: jax.jit(f)(numpy.ones(7))
    for shown in (program._repr_mimebundle_(), found._repr_mimebundle_()):
        print(*re.findall("No picture: ([^<]*)", shown["text/html"]), sep="\\n")
    try: program.save("never.svg")
    except ValueError as error: print(error)
finally:
    sys.modules["_quickjs"] = before
print(same())
"""


def test_without_the_engine_all_else_is_there(kernel: Kernel) -> None:
    mend = (
        "the package quickjs-ng, which draws pictures, is not installed: "
        "run `pip install quickjs-ng`."
    )
    assert printed(kernel, f"import re\n{MISSING}") == [mend, "", mend, "True"]


def test_it_can_be_interrupted(kernel: Kernel, tmp_path: Path) -> None:
    cell = """
print("drawing", flush=True)
try: same()
except NotDrawn: signal.pause()
"""
    request = kernel.begin(
        "slow", drawing(tmp_path, "globalThis.picture = () => { for (;;); }", cell)
    )
    errors: list[str] = []
    for message in kernel.until_idle(request):
        if message["content"].get("text", "").startswith("drawing"):
            kernel.manager.interrupt_kernel()
        errors += [message["content"]["ename"]] if message["msg_type"] == "error" else []
    assert errors == ["KeyboardInterrupt"]
    assert printed(kernel, "print(same())") == ["True"]


def test_nothing_of_the_user_s_run_is_touched(kernel: Kernel) -> None:
    code = """
def state():
    return {
        "recursion": sys.getrecursionlimit(),
        "signals": [signal.getsignal(one) for one in signal.valid_signals()],
        "gc": (gc.isenabled(), gc.get_threshold(), gc.get_freeze_count(), [*gc.callbacks]),
        "threads": {*threading.enumerate()},
        "stack": threading.stack_size(),
        "hooks": (sys.excepthook, sys.unraisablehook, threading.excepthook),
        "switching": sys.getswitchinterval(),
        "tracing": (sys.gettrace(), sys.getprofile()),
        "random": (random.getstate(), str(numpy.random.get_state())),
        "environment": {**os.environ},
        "folder": os.getcwd(),
        "jax": {name: jax.config._read(name) for name in jax.config.values},
        "module": "quickjs" in sys.modules,
        "exception": sys.exc_info(),
    }
before = state()
same(), program._repr_mimebundle_()
after = state()
print([name for name in before if before[name] != after[name]])
"""
    assert printed(kernel, code) == ["[]"]
