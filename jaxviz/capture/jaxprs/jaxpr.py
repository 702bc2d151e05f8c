"""Makes the stage `jaxpr`: the records of a closed jaxpr."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import repeat
from typing import Any, NamedTuple

from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn, Literal
from msgspec.structs import replace

from jaxviz.capture._jax import calls, choice_before_vmap, is_dropped, loop_or_choice
from jaxviz.capture.jaxprs.attributes import attributes_of, trips_of
from jaxviz.capture.jaxprs.avals import Avals
from jaxviz.capture.jaxprs.jaxpr_text import Text, letters, literal_name, text_of
from jaxviz.capture.jaxprs.params import Kinds, params_of
from jaxviz.capture.jaxprs.structure import has_unread_roles, roles_of
from jaxviz.capture.jaxprs.walk import Inner, Walk, walk
from jaxviz.capture.shown.source import NOWHERE, EqnPlace, Sources
from jaxviz.capture.shown.strings import name, without_values
from jaxviz.schema import Attributes, Body, Eqn, Frame, Graph, Param, Stage, Var, empty
from jaxviz.sentences import sentence

LiteralNames = dict[tuple[int, int], dict[int, str]]
"""The user's names of literals: by graph and eqn, then by operand."""
NO_NAMES: LiteralNames = {}


class LocatedJaxpr(NamedTuple):
    """A jaxpr with the user's line of each eqn, read at once since files and cells may change."""

    closed: ClosedJaxpr
    found: Walk
    frames: list[Frame]
    places: list[list[EqnPlace]]
    """For each jaxpr the source line of each eqn."""
    literals: LiteralNames = NO_NAMES


def located(closed: ClosedJaxpr, sources: Sources) -> LocatedJaxpr:
    """Finds the user's line of each eqn, and adds the frames to `sources`. Takes time linear in the
    number of distinct eqns, and does not recurse. The same is true of `stage_of`."""
    found = walk(closed.jaxpr)
    cached: dict[tuple[Any, EqnPlace], EqnPlace] = {}

    def place(eqn: JaxprEqn, enclosing: EqnPlace) -> EqnPlace:
        made_by, stack = calls(eqn)
        key = (made_by, enclosing)
        if key not in cached:
            cached[key] = sources.place(stack(), enclosing)
        return cached[key]

    places: list[list[EqnPlace]] = []
    for jaxpr, use in zip(found.jaxprs, found.first_uses, strict=True):
        enclosing = NOWHERE if use is None else places[use.graph][use.eqn]
        places.append([place(eqn, enclosing) for eqn in jaxpr.eqns])
    return LocatedJaxpr(closed, found, sources.records, places)


def stage_of(of: LocatedJaxpr, title: str, args: Iterable[str], results: Iterable[str]) -> Stage:
    """The stage, without `call`. `title` is the program's name. `args` and `results` are the user's
    paths of its inputs and outputs."""
    found = of.found
    with without_values():
        kinds = Kinds()
        builder = _Builder(of, text_of(of.closed, found, kinds), kinds)
        graphs = [builder.graph(number) for number in range(len(found.jaxprs))]
    graphs[0] = replace(graphs[0], name=title, args=tuple(args), results=tuple(results))
    is_unread = any(has_unread_roles(eqn) for jaxpr in found.jaxprs for eqn in jaxpr.eqns)
    return empty(
        Stage,
        kind="jaxpr",
        graphs=graphs,
        avals=builder.avals.records,
        frames=of.frames,
        scopes=list(builder.scopes),
        text=builder.text.text,
        notes=[*builder.text.notes, *([sentence("operands unread")] if is_unread else [])],
    )


_Params = tuple[tuple[Param, ...], Attributes | None]


class _Builder:
    """Makes the graphs of a stage, which share avals and scopes."""

    def __init__(self, of: LocatedJaxpr, text: Text, kinds: Kinds) -> None:
        self.found = of.found
        self.text = text
        self.avals = Avals()
        self.scopes: dict[str, int] = {}
        self._stacks: dict[Any, tuple[Any, int]] = {}
        self._places = of.places
        self._literals = of.literals
        self._kinds = kinds
        self._params: dict[int, _Params] = {}
        self._ops: dict[Any, str] = {}

    def graph(self, number: int) -> Graph:
        jaxpr = self.found.jaxprs[number]
        variables = _Vars(self.avals, self.text)
        bodies = self.found.inner[number]
        index = variables.index
        constvars = tuple(map(index, jaxpr.constvars))
        invars = tuple(map(index, jaxpr.invars))
        eqns = [
            self._eqn(eqn, variables, bodies.get(i, []), (number, i))
            for i, eqn in enumerate(jaxpr.eqns)
        ]
        args, results = debug_paths(jaxpr)
        return Graph(
            name=_function_name(jaxpr),
            vars=variables.records,
            constvars=constvars,
            invars=invars,
            outvars=tuple(map(index, jaxpr.outvars)),
            args=tuple("" if path.startswith(_EQUINOX) else path for path in args),
            results=tuple(results),
            eqns=eqns,
            groups=[],
            effects=_effects(jaxpr.effects, self.text),
        )

    def _eqn(self, eqn: JaxprEqn, variables: _Vars, inner: list[Inner], at: tuple[int, int]) -> Eqn:
        """The record of an eqn; `at` is its graph and its index."""
        place, named = self._places[at[0]][at[1]], self._literals.get(at)
        names = [named.get(i, "") for i in range(len(eqn.invars))] if named else repeat("")
        params, attributes = self._params_of(eqn, inner)
        return Eqn(
            op=self._op(eqn.primitive),
            name=self._called(eqn, inner),
            invars=tuple(map(variables.index, eqn.invars, names)),
            outvars=tuple(map(variables.index, eqn.outvars)),
            roles=roles_of(eqn),
            params=params,
            attributes=attributes,
            bodies=tuple(map(_body, inner)) if inner else (),
            effects=_effects(eqn.effects, self.text) if eqn.effects else (),
            frame=place.frame,
            call=place.call,
            inherited=place.inherited,
            scope=self._scope(eqn.source_info.name_stack),
            span=self.text.spans.get(id(eqn)),
            origin=(),
            guess=False,
            own="",
            trips=trips_of(eqn) if inner else None,
            cost=None,
        )

    def _op(self, primitive: Any) -> str:
        if primitive not in self._ops:
            self._ops[primitive] = name(primitive.name)
        return self._ops[primitive]

    def _called(self, eqn: JaxprEqn, inner: list[Inner]) -> str:
        """The eqn's param `name`; for a call without this param, the name of its function; for a
        loop or choice, JAX's function if it is not the primitive's own; for the select that vmap
        made of a choice, that function."""
        param = eqn.params.get("name")
        if isinstance(param, str):
            return name(param)
        if eqn.primitive.name in ("scan", "while", "cond"):
            called = loop_or_choice(eqn)
            return "" if called == eqn.primitive.name else called
        if eqn.primitive.name == "select_n":
            return choice_before_vmap(eqn)
        if eqn.primitive.name not in _NAMED_BY_BODY or not inner:
            return ""
        return _function_name(self.found.jaxprs[inner[0].graph])

    def _params_of(self, eqn: JaxprEqn, inner: list[Inner]) -> _Params:
        kind = self._kinds.of_params(eqn)
        if kind is None:
            return params_of(eqn, bodies=bool(inner)), attributes_of(eqn)
        if kind not in self._params:
            self._params[kind] = params_of(eqn, bodies=False), attributes_of(eqn)
        return self._params[kind]

    def _scope(self, stack: Any) -> int:
        cached = self._stacks.get(id(stack))
        if cached is None:
            text = name(stack_text(stack))
            cached = (stack, self.scopes.setdefault(text, len(self.scopes)))
            self._stacks[id(stack)] = cached
        return cached[1]


def stack_text(stack: Any) -> str:
    """The text of a name stack, with transformations that contain no scope: `transpose(jvp())`.
    JAX 0.6 prints a transformation only around a scope, so a scope without a name is added."""
    return str(stack.extend("")).removesuffix("/")


_EQUINOX = ("dynamic_nodonate[", "dynamic_donate[")
"""Prefixes of the inputs' names that `equinox.filter_jit` adds (0.11 to 0.13)."""

_NAMED_BY_BODY = (
    *("custom_jvp_call", "custom_vjp_call", "custom_vjp_call_jaxpr", "custom_vmap_call"),
    *("checkpoint", "remat", "remat2", "shard_map", "linear_call", "pallas_call"),
)


class _Vars:
    """The variables and literals of one graph."""

    def __init__(self, avals: Avals, text: Text) -> None:
        self.records: list[Var] = []
        self._avals = avals
        self._text = text
        self._index: dict[Any, int] = {}
        self._unprinted = letters()

    def index(self, atom: Any, named: str = "") -> int:
        """The variable's index in `records`. Equal scalar literals of one name share one index.
        Each dropped result has its own."""
        if isinstance(atom, Literal):
            aval = self._avals.index(atom.aval)
            text = name(literal_name(atom))
            array = id(atom.val) if text.startswith("[...]") else None
            record = Var(name=text, aval=aval, literal=True, named=named)
            return self._add((text, aval, array, named), record)
        cached = self._index.get(atom)
        if cached is not None:
            return cached
        printed = "_" if is_dropped(atom) else self._text.names.get(atom)
        if printed is None:
            printed = next(self._unprinted)
        return self._add(atom, Var(name=printed, aval=self._avals.index(atom.aval), literal=False))

    def _add(self, key: Any, record: Var) -> int:
        if key not in self._index:
            self._index[key] = len(self.records)
            self.records.append(record)
        return self._index[key]


def _body(inner: Inner) -> Body:
    label, graph, inputs, outputs = inner
    return Body(label=name(label), graph=graph, inputs=inputs, outputs=outputs)


def debug_paths(jaxpr: Jaxpr) -> tuple[list[str], list[str]]:
    """The user's paths of a jaxpr's inputs and outputs. A path that JAX does not know is empty."""
    debug = getattr(jaxpr, "debug_info", None)
    args = getattr(debug, "arg_names", None)
    results = getattr(debug, "result_paths", None)
    return _paths(args, len(jaxpr.invars)), _paths(results, len(jaxpr.outvars))


def _paths(found: Any, count: int) -> list[str]:
    if not isinstance(found, tuple | list) or len(found) != count:
        return [""] * count
    return [name(path) if isinstance(path, str) else "" for path in found]


def _function_name(jaxpr: Jaxpr) -> str:
    debug = getattr(jaxpr, "debug_info", None)
    return name(str(getattr(debug, "func_src_info", "")).partition(" at ")[0])


def _effects(effects: Any, text: Text) -> tuple[str, ...]:
    return tuple(sorted(_effect(effect, text) for effect in effects))


def _effect(effect: Any, text: Text) -> str:
    """`Debug`, or `Write<c>` for an effect on the ref `c`."""
    ref = getattr(effect, "input", getattr(effect, "input_index", None))
    printed = str(effect)
    if ref is None and not printed.startswith("<"):
        return name(printed)
    kind = type(effect).__name__.removesuffix("Effect")
    if ref is None:
        return kind
    return f"{kind}<{ref if isinstance(ref, int) else text.names.get(ref, '_')}>"
