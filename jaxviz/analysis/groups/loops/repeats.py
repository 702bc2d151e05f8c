"""Finds runs that repeat one another eqn for eqn, and joins a long row of them into one run:
`layers[0…11]`.

Two runs are alike if one becomes the other by renaming variables: they have the same primitives,
params and avals, and each operand is made by the same eqn of the run, or is the same input of it.
The start and end of slices are ignored, and so are integers that are indices.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import accumulate

from jaxviz import schema
from jaxviz.analysis.groups.facts.name_stacks import OPTIMIZER
from jaxviz.analysis.groups.loops.siblings import (
    ITERATION_NUMBER,
    NUMBER,
    Family,
    does_part,
    families,
    family_of,
    mark_odd_layers,
)
from jaxviz.analysis.groups.run_tree import STEP_PART, Run, preorder
from jaxviz.schema.graph import outside_in

SLICE_PLACES = frozenset({"start_indices", "limit_indices"})
"""The params with the start and end of a slice: iterations of a loop read successive elements."""
TAKES_INDEX = frozenset(
    (
        *("dynamic_slice", "dynamic_update_slice", "gather", "scatter", "scatter-add"),
        *("random_fold_in", "jit", "pjit"),
    )
)
"""The ops whose integer literals are indices: of a layer's arrays, or of its random key."""
INDEX_DTYPES = frozenset(("int32", "int64", "uint32", "bool"))
"""The dtypes of scalars from which JAX computes an index."""
MODULUS = (1 << 61) - 1
"""A Mersenne prime. Sums modulo it are polynomial hashes; few are equal by chance."""
FACTOR = 1_000_003
REPEAT = "repeat"
"""The kind and key of a row of runs that are alike."""
LONG_ROW = 8
"""The fewest equal neighbours that become one run, or siblings that become several."""
SHORT_ROW = 4
"""The fewest equal neighbours among many siblings that become a run."""

Form = tuple[Hashable, ...]


class RunNumbers:
    """Numbers for the eqns, runs and graphs of one stage; those that are alike have equal
    numbers."""

    def __init__(self, stage: schema.Stage) -> None:
        self._numbers: dict[Hashable, int] = {}
        self._graphs = [0] * len(stage.graphs)
        self._heads: list[list[int]] = [[] for _ in stage.graphs]
        self._operands: list[list[Sequence[int]]] = [[] for _ in stage.graphs]
        self._params: dict[tuple[bool, int], int] = {}
        self._indices = {
            number
            for number, aval in enumerate(stage.avals)
            if aval.shape == [] and aval.dtype in INDEX_DTYPES
        }
        self.stage = stage
        sizes = Counter((len(graph.eqns), len(graph.invars)) for graph in stage.graphs)
        for index in reversed(outside_in(stage.graphs)):
            graph = stage.graphs[index]
            atoms = [(var.name, var.aval) if var.literal else var.aval for var in graph.vars]
            types = [var.aval for var in graph.vars]
            whole = [kind if kind in self._indices else atoms[n] for n, kind in enumerate(types)]
            self._heads[index] = [
                self._head(eqn, whole if self._takes_index(eqn, types) else atoms)
                for eqn in graph.eqns
            ]
            literals = {number for number, var in enumerate(graph.vars) if var.literal}
            self._operands[index] = [
                [var for var in eqn.invars if var not in literals] if literals else eqn.invars
                for eqn in graph.eqns
            ]
            size = eqns, inputs = len(graph.eqns), len(graph.invars)
            is_unique = sizes[size] == 1  # no other graph can be like it
            form = (None, index) if is_unique else (*self._form(index, 0, eqns), inputs)
            self._graphs[index] = self._number(form)

    def of(self, index: int, runs: Sequence[tuple[int, int]]) -> list[int]:
        """For each run (start, stop) of a graph's eqns, a number that runs like it share; -1 if no
        other is like it."""
        rough = self._hashes(index, runs)
        counts = Counter(rough)
        forms = [
            self._number(self._form(index, *run)) if counts[key] > 1 else -1
            for key, run in zip(rough, runs, strict=True)
        ]
        shared = Counter(forms)
        names: dict[int, int] = {}
        return [
            names.setdefault(form, len(names)) if form >= 0 and shared[form] > 1 else -1
            for form in forms
        ]

    def _form(self, index: int, start: int, stop: int) -> Form:
        """A run's eqns, and the source of each operand."""
        eqns, operands = self.stage.graphs[index].eqns[start:stop], self._operands[index]
        places: dict[int, int] = {}
        form: list[Hashable] = [*self._heads[index][start:stop]]
        for eqn, used in zip(eqns, operands[start:stop], strict=True):
            for var in used:
                form.append(places.setdefault(var, len(places)))
            for var in eqn.outvars:
                places[var] = len(places)
        return tuple(form)

    def _hashes(self, index: int, runs: Sequence[tuple[int, int]]) -> list[Hashable]:
        """A rolling hash of each run's eqns (Karp and Rabin 1987). Few runs that are not alike have
        equal hashes. Only runs with equal hashes are compared eqn by eqn."""
        heads = self._heads[index]
        sums = list(accumulate(heads, lambda s, h: (s * FACTOR + h + 1) % MODULUS, initial=0))
        powers = {length: pow(FACTOR, length, MODULUS) for length in {b - a for a, b in runs}}
        return [(b - a, (sums[b] - sums[a] * powers[b - a]) % MODULUS) for a, b in runs]

    def _head(self, eqn: schema.Eqn, atoms: Sequence[Hashable]) -> int:
        """The number of an eqn. `atoms` stand for the variables of its graph."""
        params, atom = self._params_of(eqn), atoms.__getitem__
        bodies = (
            [(body.label, self._graphs[body.graph]) for body in eqn.bodies] if eqn.bodies else ()
        )
        values = (*map(atom, eqn.invars), None, *map(atom, eqn.outvars))
        return self._number((eqn.op, eqn.name, eqn.roles, params, *bodies, *values))

    def _takes_index(self, eqn: schema.Eqn, types: Sequence[int]) -> bool:
        """True if the integers among an eqn's operands are indices, or an index is made of them."""
        return eqn.op in TAKES_INDEX or all(
            types[var] in self._indices for var in (*eqn.invars, *eqn.outvars)
        )

    def _params_of(self, eqn: schema.Eqn) -> int:
        """The number of an eqn's params. Most eqns with equal params share one list."""
        key = eqn.op == "slice", id(eqn.params)
        if key not in self._params:
            params = [p for p in eqn.params if not (key[0] and p.name in SLICE_PLACES)]
            self._params[key] = self._number(tuple((p.name, p.value, p.size) for p in params))
        return self._params[key]

    def _number(self, form: Hashable) -> int:
        return self._numbers.setdefault(form, len(self._numbers))


def gather_repeats(root: Run, run_numbers: RunNumbers, graph: int) -> None:
    """Joins every long row of equal neighbours into a run, in place. If the counterparts of all its
    members are in one row, this row is its counterpart."""
    runs = preorder(root)[1:]
    numbers = run_numbers.of(graph, [(run.start, run.stop) for run in runs])
    number = dict(zip(runs, numbers, strict=True))
    for outer in [root, *runs]:
        mark_odd_layers(outer.runs, number, run_numbers.stage, graph)
    rows: dict[Run, Run] = {}
    for outer in [root, *runs]:
        gathered: list[Run] = []
        least = fewest_members(outer.runs)
        for row in with_ends(rows_of(outer.runs, number, rows), run_numbers.stage, graph):
            if len(row) < least[family_of(row[0])]:
                gathered += row
                continue
            if outer is not root and outer.key != STEP_PART and sum(map(len, row)) == len(outer):
                outer.kind, outer.name = REPEAT, row_name(row)
                made = outer
                gathered += row
            else:
                first, last = row[0], row[-1]
                name = row_name(row)
                made = Run(first.start, last.stop, REPEAT, name, REPEAT, last.role, runs=row)
                gathered.append(made)
            rows.update(dict.fromkeys(row, made))
        outer.runs = gathered
    for made in dict.fromkeys(rows.values()):
        others = {
            None if run.counterpart is None else rows.get(run.counterpart) for run in made.runs
        }
        if len(others) == 1:
            (made.counterpart,) = others


def fewest_members(runs: list[Run]) -> dict[Family, int]:
    """For the siblings of each name, the fewest equal neighbours that become one run. Beside an odd
    layer two do, so that only this layer stands alone."""
    found: dict[Family, int] = {}
    for family in families(runs):
        least = 2 if any(run.unlike for run in family) else SHORT_ROW
        found[family_of(family[0])] = least if len(family) >= LONG_ROW else LONG_ROW
    return found


def rows_of(runs: list[Run], number: dict[Run, int], made: dict[Run, Run]) -> list[list[Run]]:
    """The runs as rows of equal neighbours, by their numbers. Neighbours with counterparts in one
    row `made` earlier also form a row, since the first layer's derivative often differs. In the
    backward pass, counterparts in two rows end a row."""
    rows: list[list[Run]] = []

    def are_members(a: Run, b: Run) -> bool:
        if a.unlike or b.unlike:
            return False
        row, other = (made.get(run.counterpart) if run.counterpart else None for run in (a, b))
        is_alike = number[a] == number[b] >= 0
        if a.role == OPTIMIZER or not (a.counterpart and b.counterpart):
            return is_alike or (row is not None and row is other)
        return row is other and (is_alike or row is not None)

    for run in runs:
        before = rows[-1][-1] if rows else None
        if before and before.stop == run.start and are_members(before, run):
            rows[-1].append(run)
        else:
            rows.append([run])
    return rows


def with_ends(rows: list[list[Run]], stage: schema.Stage, graph: int) -> list[list[Run]]:
    """The rows. If a single run beside a long row does part of the row's work, it is in the row."""
    joined: list[list[Run]] = []
    for row in rows:
        before = joined[-1] if joined else []
        if len(before) + len(row) >= LONG_ROW and 1 in (len(before), len(row)):
            last, first = before[-1], row[0]
            single, member = (last, first) if len(before) == 1 else (first, last)
            is_odd = bool(single.unlike or member.unlike) or last.stop != first.start
            if not is_odd and does_part(single, member, stage, graph):
                before += row
                continue
        joined.append(row)
    return joined


def row_name(row: list[Run]) -> str:
    """The common name of a row: `layers[0…11]` for `layers[0]` to `layers[11]`."""
    names = [run.name for run in row]
    if len({ITERATION_NUMBER.sub("", text) for text in names}) == 1 and len(set(names)) > 1:
        return iterations_name(names)
    parts = {tuple(NUMBER.split(text)) for text in names}
    if len(parts) > 1:
        return f"{names[0]}…{names[-1]}"
    (pieces,) = parts
    counts = [[int(digits) for digits in NUMBER.findall(text)] for text in names]
    text = pieces[0]
    for piece, values in zip(pieces[1:], zip(*counts, strict=True), strict=True):
        low, high = min(values), max(values)
        text += f"{low}{piece}" if low == high else f"{low}…{high}{piece}"
    return text


def iterations_name(names: list[str]) -> str:
    """`cell 2…9` for the iterations `cell 2/30` to `cell 9/30`."""
    places = [found.group() for found in map(ITERATION_NUMBER.search, names) if found]
    numbers = [int(NUMBER.findall(place)[0]) for place in places]
    return ITERATION_NUMBER.sub(f" {min(numbers)}…{max(numbers)}", names[0])
