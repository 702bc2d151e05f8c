"""What findings say: all sentences in one table, in which `{}` stands for what varies.

The page translates them (`js/src/words/finding-words.ts`). Code stands between backticks.
"""

from __future__ import annotations

from collections.abc import Mapping

SENTENCES: Mapping[str, str] = {
    "upcast, number": "`{}` turns {} into {}, because {} is an {} of NumPy's or JAX's",
    "upcast, line": "`{}` turns {} into {}, because it meets an {} from line {}",
    "upcast, name": "`{}` turns {} into {}, because `{}` is {}",
    "upcast cost": "{} in place of {}, and what follows is {} too",
    "upcast mend, number": "write a Python number, which takes the dtype of what it meets: `float(…)`",
    "upcast mend, line": "make that one as {}, or write the cast where it is meant",
    "upcast mend, name": "give `{}` the dtype {}, or write the cast where it is meant",
}
"""Where two sentences begin alike, the one that says more comes first: the page takes the first
that fits."""


def say(key: str, *parts: object) -> str:
    return SENTENCES[key].format(*parts)
