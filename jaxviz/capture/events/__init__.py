"""Describes each trace, lowering and compilation as it happens, in strings and numbers.

`Listener` listens to JAX's events, and `Hits` counts the calls that JAX's caches answer. Both
report `jaxviz.schema.signature.Trace`, and keep no object of the user alive.

From JAX's event to a trace
---------------------------
1. `listener.py` makes a `Trace` of the event: kind, label, times, and `Objects`, which refers to
   objects of JAX and of the user.
2. `reader.py` reads the function and the call from the stack (`_events.py`). `describe.py` makes
   the signature. `functions.py` names the function and its owner.
3. `programs.py` numbers the program, and finds out if it is new.
4. `reader.py` adds traces that JAX did not announce, and drops `Objects`.
5. `user_lines.py` adds the user's line, or the op if the function is JAX's own.

How jaxviz finds a trace
------------------------
JAX announces too little, so a trace is found in eight ways. "Needed until" names the change of JAX
that would make a way unnecessary. `docs/request-to-jax.md` proposes the API.

1. *Announced* (`reader.py`; JAX 0.6.2 to 0.12): the end of a trace is an event of `jax.monitoring`
   with a name and a duration. Up to 0.9 that is each trace, from 0.10 on only the outermost. From
   0.9 on JAX announces a trace, too, if its cache had the jaxpr. Then no function was traced during
   the event (`Objects.bodies`). Needed until the event has the function, the arguments' types and
   the cache's answer.
2. *Not announced* (`trace_cache.py`, `nested.py`; from 0.10 on): a trace within another one, or
   under an eager grad or vmap, is a new key of JAX's cache of traces. The jaxpr of the enclosing
   function shows the order. Needed until JAX announces nested traces.
3. *Gone with its function* (`Nested._of_local_functions`; from 0.10 on): a function that is defined
   in a traced function leaves no key, only a jaxpr. Needed until JAX announces nested traces.
4. *In a loop or branch outside jit* (`Nested.by_loop`; 0.6.2 to 0.12): JAX announces its own
   `scan`, `while` or `cond`. The user's function and its jaxpr are local variables of JAX's
   frames. Needed until these traces are announced with the user's function.
5. *Traced by jaxviz* (`jaxviz_traces.py`; 0.6.2 to 0.12): a program that jaxviz captured is in
   JAX's cache, so the user's call does not trace it. It is reported at that call. Needed as long as
   capture and call share a cache.
6. *First seen at its lowering* (`Reader._traced_before`, `Reader._of_lowering`; 0.6.2 to 0.12):
   grad or vmap derived the jaxpr from another one, or a nested trace was not expected. Needed until
   a lowering names the trace of its jaxpr.
7. *Answered by a cache* (`hits.py`): no trace, and no event. A hook counts calls of the C++ cache
   (`post_hook`, 0.6.2 to 0.12), another one calls of the caches in Python (`util.test_event`, after
   0.6). Needed until JAX calls a listener for cache hits.
8. *Made necessary by a clearing* (`trace_cache.Clears`; 0.6.2 to 0.12): JAX does not announce
   `jax.clear_caches()` or `f.clear_cache()`. Then an object of jaxviz in such a cache is gone, or
   the count of lookups is smaller. Needed until JAX announces clearings.

If a private name is missing, reasons or nested traces are missing, but never an announced trace.
"""

import jax

from jaxviz.capture.events.hits import CallCount, Hits
from jaxviz.capture.events.listener import Listener
from jaxviz.capture.events.programs import PRINTING_IS_PER_THREAD

JAX = jax.__version__
"""The version of JAX that is installed."""

__all__ = ["JAX", "PRINTING_IS_PER_THREAD", "CallCount", "Hits", "Listener"]
