"""Makes the stage `jaxpr`: the records of a closed jaxpr."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn, Literal
from msgspec.structs import replace

from jaxviz.capture._jax import calls, is_dropped
from jaxviz.capture.jaxprs.attributes import attributes_of, trips_of
from jaxviz.capture.jaxprs.avals import Avals
from jaxviz.capture.jaxprs.jaxpr_text import Text, letters, literal_name, text_of
from jaxviz.capture.jaxprs.params import Kinds, params_of
from jaxviz.capture.jaxprs.structure import roles_of, unread
from jaxviz.capture.jaxprs.walk import Inner, Walk, walk
from jaxviz.capture.shown.source import NOWHERE, EqnPlace, Sources
from jaxviz.capture.shown.strings import name, without_values
from jaxviz.schema import Attributes, Body, Eqn, Frame, Graph, Param, Sentence, Stage, Var, empty
from jaxviz.sentences import sentence


class Placed(NamedTuple):
    """A jaxpr, of which only the user's lines were read so far: files and cells may change."""

    closed: ClosedJaxpr
    found: Walk
    frames: list[Frame]
    places: list[list[EqnPlace]]
    """Where each eqn of each jaxpr comes from."""


def placed(closed: ClosedJaxpr, sources: Sources) -> Placed:
    """What a stage is made from. Its frames are added to `sources`. Takes time linear in the number
    of distinct eqns, and does not recurse; so does `stage_of`."""
    found = walk(closed.jaxpr)
    known: dict[tuple[Any, EqnPlace], EqnPlace] = {}

    def place(eqn: JaxprEqn, enclosing: EqnPlace) -> EqnPlace:
        made_by, stack = calls(eqn)
        key = (made_by, enclosing)
        if key not in known:
            known[key] = sources.place(stack(), enclosing)
        return known[key]

    places: list[list[EqnPlace]] = []
    for jaxpr, met in zip(found.jaxprs, found.met, strict=True):
        enclosing = NOWHERE if met is None else places[met.graph][met.eqn]
        places.append([place(eqn, enclosing) for eqn in jaxpr.eqns])
    return Placed(closed, found, sources.records, places)


def stage_of(of: Placed, title: str, args: Iterable[str], results: Iterable[str]) -> Stage:
    """The whole stage, without its call. `title` is the program's name, `args` and `results` are
    the user's paths of its inputs and outputs."""
    found = of.found
    with without_values():
        kinds = Kinds()
        builder = _Builder(of, text_of(of.closed, found, kinds), kinds)
        graphs = [builder.graph(number) for number in range(len(found.jaxprs))]
    paths = tuple(args), tuple(results)
    graphs[0] = replace(graphs[0], name=title, args=paths[0], results=paths[1])
    return empty(
        Stage,
        kind="jaxpr",
        graphs=graphs,
        avals=builder.avals.records,
        frames=of.frames,
        scopes=list(builder.scopes),
        text=builder.text.text,
        notes=[*builder.text.notes, *_unread(found)],
    )


def _unread(found: Walk) -> list[Sentence]:
    is_unread = any(unread(eqn) for jaxpr in found.jaxprs for eqn in jaxpr.eqns)
    return [sentence("operands unread")] if is_unread else []


_Params = tuple[tuple[Param, ...], Attributes | None]


class _Builder:
    """Makes the graphs of a stage, and holds what they share."""

    def __init__(self, of: Placed, text: Text, kinds: Kinds) -> None:
        self.found = of.found
        self.text = text
        self.avals = Avals()
        self.scopes: dict[str, int] = {}
        self._stacks: dict[Any, tuple[Any, int]] = {}
        self._places = of.places
        self._kinds = kinds
        self._params: dict[int, _Params] = {}
        self._ops: dict[Any, str] = {}

    def graph(self, number: int) -> Graph:
        jaxpr = self.found.jaxprs[number]
        places = self._places[number]
        variables = _Vars(self.avals, self.text)
        bodies = self.found.inner[number]
        index = variables.index
        constvars = tuple(map(index, jaxpr.constvars))
        invars = tuple(map(index, jaxpr.invars))
        eqns = [
            self._eqn(eqn, variables, bodies.get(i, []), places[i])
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

    def _eqn(self, eqn: JaxprEqn, variables: _Vars, inner: list[Inner], place: EqnPlace) -> Eqn:
        params, attributes = self._params_of(eqn, inner)
        return Eqn(
            op=self._op(eqn.primitive),
            name=self._called(eqn, inner),
            invars=tuple(map(variables.index, eqn.invars)),
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
        """The eqn's param `name`; for a call without one, the name of its function."""
        given = eqn.params.get("name")
        if isinstance(given, str):
            return name(given)
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
        known = self._stacks.get(id(stack))
        if known is None:
            text = name(stack_text(stack))
            known = (stack, self.scopes.setdefault(text, len(self.scopes)))
            self._stacks[id(stack)] = known
        return known[1]


def stack_text(stack: Any) -> str:
    """A name stack, with the transformations below which nothing has a name: `transpose(jvp())`.
    JAX 0.6 prints these only around a scope, so there is one, without a name."""
    return str(stack.extend("")).removesuffix("/")


_EQUINOX = ("dynamic_nodonate[", "dynamic_donate[")
"""How names of inputs begin where `equinox.filter_jit` has wrapped them (0.11 to 0.13)."""

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

    def index(self, atom: Any) -> int:
        """The variable's index in `records`. Equal scalar literals share one, while each dropped
        result has its own."""
        if isinstance(atom, Literal):
            aval = self._avals.index(atom.aval)
            text = name(literal_name(atom))
            array = id(atom.val) if text.startswith("[...]") else None
            return self._add((text, aval, array), Var(name=text, aval=aval, literal=True))
        known = self._index.get(atom)
        if known is not None:
            return known
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
    """The user's paths of a jaxpr's inputs and outputs, empty where JAX does not say."""
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
    """`Debug`, or `Write<c>` where the effect is on the ref `c`."""
    ref = getattr(effect, "input", getattr(effect, "input_index", None))
    printed = str(effect)
    if ref is None and not printed.startswith("<"):
        return name(printed)
    kind = type(effect).__name__.removesuffix("Effect")
    if ref is None:
        return kind
    return f"{kind}<{ref if isinstance(ref, int) else text.names.get(ref, '_')}>"
