"""The parameters of a program: the inputs and results that are parameters, and their paths.

If the program differentiates, the dataflow shows them. A parameter is an input that the forward
pass reads, and for which the program returns its gradient or its new value: a result of the same
type, at the same place of its pytree, computed from the backward pass. Running means are returned
too, but not computed from the backward pass. An optimizer's state is not read in the forward pass.
An argument that is an array itself, as in `step(w, b, x)`, has no place in a pytree. It is paired
with the result that is this array changed by a gradient, element by element.

If the program does not differentiate, the parameters are the argument whose leaf paths occur most
often in other arguments: `state[0].mu['up']` of an optimizer's state contains the path of
`params['up']`.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from jaxviz import schema
from jaxviz.analysis.groups.facts.name_stacks import BACKWARD, FORMULA, FORWARD, Names, NameStack
from jaxviz.schema.graph import outside_in

Path = tuple[str, ...]
"""Keys below the argument's own name: `("layers", "[0]", "kernel")`."""

PATH_PART = re.compile(r"\[(?:'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"|([^\]]*))\]|\.([^.\[]+)")
BOX_ATTRIBUTES = frozenset({"value", "raw_value", "data_array"})
"""Attributes in which a library's variable stores its array; they are omitted from paths."""
NAME_OF_ARRAY = re.compile(r"^(?:weights?|bias|kernel|scale|[wbWB])_?")
"""In the name of an array that is an argument itself, the part before the name of the layer."""
ARRAYS_OF_A_LAYER = frozenset(
    {"kernel", "bias", "scale", "embedding", "weight", "w", "b", "W", "B", "gamma", "beta"}
    | {"g", "offset", "gain", "weights", "embeddings"}
)
"""Libraries' names for the arrays of a layer. A run that works on one of them stands for the
layer."""
RNGS = "rngs"
ARRAYS = "weights"
"""The key of an array that has no name in its layer."""


class Parameters(NamedTuple):
    """The parameters of a program."""

    owner: str
    """The argument, or the part of one, that contains them; empty if several do, or none."""
    paths: frozenset[Path]
    """The paths of the parameters below the owner."""
    trained: dict[int, int]
    """The differentiated inputs, each with the result that replaces it; empty if the parameters
    were not found by gradients."""
    of_vars: dict[int, Path]
    """The paths of the first graph's inputs and outputs that are parameters, or state of one."""


def of_program(
    stage: schema.Stage, roles: list[list[str]], parsed: list[NameStack], made: set[int]
) -> Parameters:
    """The parameters of a program. `made` has the variables of its first graph that depend on the
    backward pass."""
    root = stage.graphs[0]

    layer_scopes = [tuple(n for n in stack.names if FORMULA not in n) for stack in parsed]

    def reads(by: str) -> Reads:
        return reads_of(stage, roles, lambda eqn: layer_scopes[eqn.scope], by)

    forward = reads(FORWARD) if made else {}
    pairs = differentiated(root, forward, made)
    arrays = [] if pairs else [at for at in forward if not keys(root.args[at])[1]]
    if arrays:
        pairs = pair_array_arguments(root, arrays, changed_inputs(stage, roles)[0])
    nameless = all(is_position(keys(root.args[at])[1]) for at in pairs)
    if nameless and not multiplies_data(stage, roles, pairs):
        pairs = {}
    if pairs:
        owner, paths, of_vars = by_gradients(root, forward, pairs)
    else:
        owner, paths = parameters(root.args, root.results)
        unnamed = not made and any(map(is_position, paths))
        of_vars = by_scopes(root, reads("")) if unnamed else {}
    first_keys = {path[0] for path in paths} if pairs else set[str]()
    for var, name in [*zip(root.outvars, root.results), *zip(root.invars, root.args)]:  # noqa: B905
        found = parameter(name, owner, paths) or parameter_with_keys_between(
            name, paths, first_keys
        )
        if found is not None:
            of_vars.setdefault(var, found)
    of_vars = shortened({var: as_layer(path) for var, path in of_vars.items()})
    return Parameters(owner, paths, pairs, of_vars)


def as_layer(path: Path) -> Path:
    """The path with a name for an array that has only a position, as in a list of `(w, b)`, and for
    a layer's own random numbers (Flax NNX's `dropout.rngs.count`)."""
    if RNGS in path[1:]:
        return (*path[: path.index(RNGS)], ARRAYS)
    return (*path[:-1], ARRAYS) if len(path) > 1 and is_position(path[-2:]) else path


def shortened(of_vars: dict[int, Path]) -> dict[int, Path]:
    """The paths without the name of a layer that is all of another layer: `lstm` for
    `lstm.linear`."""
    below: dict[Path, set[str]] = {}
    for path in of_vars.values():
        for depth in range(len(path)):
            below.setdefault(path[:depth], set()).add(path[depth])

    def without_wrapped(path: Path) -> Path:
        if len(path) < 3 or not path[-2].isidentifier() or len(below[path[:-2]]) > 1:
            return path
        return path[:-2] + path[-1:]

    return {var: without_wrapped(path) for var, path in of_vars.items()}


def by_scopes(root: schema.Graph, reads: Reads) -> dict[int, Path]:
    """The paths of inputs that have only positions, such as Keras' lists of weights: the names of
    the scopes that read them."""
    return {
        root.invars[at]: (*scope, ARRAYS)
        for at, scope in reads.items()
        if scope and is_position(keys(root.args[at])[1] or ("",))
    }


def differentiated(root: schema.Graph, reads: Reads, made: set[int]) -> dict[int, int]:
    """The inputs that the program differentiates, each with the result that replaces it."""
    args = list(reads)
    results = [at for at, var in enumerate(root.outvars) if var in made]

    def place(name: str, var: int) -> Place:
        return (*keys(name), root.vars[var].aval)

    pairs = pair_results(
        [place(root.args[at], root.invars[at]) for at in args],
        [place(root.results[at], root.outvars[at]) for at in results],
    )
    return {args[arg]: results[result] for arg, result in pairs.items()}


def by_gradients(
    root: schema.Graph, reads: Reads, pairs: dict[int, int]
) -> tuple[str, frozenset[Path], dict[int, Path]]:
    """The owner of the parameters, their paths, and the paths of inputs and outputs that are
    parameters. `pairs` maps the differentiated inputs to their results."""
    full = [(name, *below) for name, below in map(keys, root.args)]
    start = owner_path([full[at] for at in pairs], full)
    of_args = {at: full[at][len(start) :] for at in sorted(pairs)}
    for at, path in of_args.items():
        if is_position(path) and reads[at]:
            of_args[at] = (*reads[at], ARRAYS)
    of_args |= named_together({at: path[0] for at, path in of_args.items() if len(path) == 1})
    layers = {path[:-1] for path in of_args.values()} - {()}
    beside = {
        full[at][:k]: k
        for at in reads
        if at not in pairs
        for k in range(1, len(full[at]))
        if full[at][k:-1] in layers
    }
    for at in reads:
        for k in range(1, len(full[at])):
            if full[at][:k] in beside:
                of_args.setdefault(at, full[at][k:])
        if start and full[at][: len(start)] == start != full[at]:
            of_args.setdefault(at, full[at][len(start) :])
    of_vars = {root.outvars[result]: of_args[at] for at, result in pairs.items()}
    of_vars |= {root.invars[at]: path for at, path in of_args.items()}
    return owner_name(start), frozenset(of_args.values()), of_vars


def named_together(names: dict[int, str]) -> dict[int, Path]:
    """The paths of arrays with the same ending, such as `w1` and `b1`, as those of one layer `w1,
    b1`."""
    layers: dict[str, list[str]] = {}
    for name in names.values():
        layers.setdefault(NAME_OF_ARRAY.sub("", name), []).append(name)
    ends = {name: of for end, of in layers.items() if end and len(of) > 1 for name in of}
    return {at: (", ".join(ends[name]), ARRAYS) for at, name in names.items() if name in ends}


def owner_name(path: Path) -> str:
    """The last name in a path, with the positions after it: `optim_state[1]`."""
    named = max((at for at, key in enumerate(path) if not key.startswith("[")), default=0)
    return "".join(path[named:])


def owner_path(trained: list[Path], full: list[Path]) -> Path:
    """The path to the structure that contains the parameters `trained` and no other arguments of
    `full`; empty if several arguments contain them."""
    shared = trained[0][:-1]
    for path in trained:
        shared = tuple(a for n, a in enumerate(shared) if path[: n + 1] == shared[: n + 1])
    depth = min(1, len(shared))
    for k in range(1, len(shared)):
        others = {path[k] for path in full if path[:k] == shared[:k] and len(path) > k}
        if len(others) > 1 or shared[k] == "params":
            depth = k + 1
    return shared[:depth]


@lru_cache(maxsize=1024)
def keys(path: str) -> tuple[str, Path]:
    """An argument's name and the keys below it. The result is cached.

    Positions keep their brackets. A key with slashes or dots is several keys: Haiku's
    `mlp/~/linear_0`, and `layers.0.weight`.
    """
    root = re.match(r"[^.\[]*", path)
    start = root.end() if root else 0
    found: list[str] = []
    for part in PATH_PART.finditer(path, start):
        single, double, position, attribute = part.groups()
        name = single if single is not None else double if double is not None else attribute
        if name is None:
            found.append(f"[{position}]")
        else:
            found += [key for key in name.split("/") if key not in ("", "~")] or [name]
            layer, _, array = found[-1].rpartition(".")
            if layer and array in ARRAYS_OF_A_LAYER:
                found[-1:] = [layer, array]
    while len(found) > 1 and found[-1] in BOX_ATTRIBUTES:
        found.pop()
    return path[:start], tuple(found)


def parameters(args: Iterable[str], results: Iterable[str]) -> tuple[str, frozenset[Path]]:
    """The argument, or its part `params`, that contains the parameters, and their paths below it.

    It is the argument whose leaf paths occur most often in another argument (an optimizer's state),
    or else among the results. An argument with other leaves of the same layers, such as running
    means, belongs to it.
    """
    full = [(root, *below) for root, below in map(keys, args) if below]
    if not full:
        return "", frozenset()
    returned = {tail for root, below in map(keys, results) for tail in suffixes((root, *below))}
    counts = Counter(tail for path in full for tail in suffixes(path))
    in_state: Counter[str] = Counter(path[0] for path in full if counts[path[1:]] > 1)
    in_results: Counter[str] = Counter(path[0] for path in full if path[1:] in returned)
    (owner, _), *_ = (in_state or in_results or Counter(path[0] for path in full)).most_common(1)
    within = any(path[:2] == (owner, "params") for path in full)
    start = (owner, "params") if within else (owner,)
    own = {path[len(start) :] for path in full if path[: len(start)] == start} - {()}
    layers = {path[:-1] for path in own} - {()}
    for root in dict.fromkeys(path[0] for path in full if path[0] != owner):
        more = {path[1:] for path in full if path[0] == root}
        if more.isdisjoint(own) and not layers.isdisjoint(path[:-1] for path in more):
            own |= more
    return start[-1], frozenset(own)


def suffixes(path: Path) -> list[Path]:
    """The ends of a path that can identify a parameter. A position cannot: `params['layers'][0]` is
    not `batch[0]` below another name."""
    ends = [path[k:] for k in range(1, len(path))]
    return [end for end in ends if not is_position(end)]


def parameter(path: str, owner: str, paths: frozenset[Path]) -> Path | None:
    """The parameter that is the end of an argument's or result's path. A path of positions counts
    only for the owner."""
    root, tail = keys(path)
    ends = [tail[k:] for k in range(len(tail)) if tail[k:] in paths]
    return next((end for end in ends if root == owner or not is_position(end)), None)


def parameter_with_keys_between(
    path: str, paths: frozenset[Path], first_keys: set[str]
) -> Path | None:
    """The parameter whose path is that of an argument or result without some keys in the middle:
    `net['w']` for `states['net'][0].mu['w']`."""
    _, tail = keys(path)
    for start, key in enumerate(tail):
        if key not in first_keys:
            continue
        for stop in range(start + 1, len(tail)):
            for after in range(stop + 1, len(tail)):
                found = (*tail[start:stop], *tail[after:])
                if found in paths and not is_position(found):
                    return found
    return None


Reads = dict[int, Names]
"""For each input that is read, by index, the names of the first scope that reads it."""
Place = tuple[str, Names, int]
"""An argument's name, the keys below it, and its aval."""
Changed = dict[int, tuple[frozenset[int], bool]]
"""For each value, the inputs that it is an elementwise change of, and True if a gradient changed
them."""
CASTS = frozenset({"convert_element_type", "reshape", "copy", "squeeze"})
"""Ops whose result counts as their operand. An eqn that reads a cast of a parameter reads the
parameter."""
MULTIPLIES = frozenset({"dot_general", "conv_general_dilated"})


def reads_of(
    stage: schema.Stage, roles: list[list[str]], scopes: Callable[[schema.Eqn], Names], by: str
) -> Reads:
    """The program's inputs that eqns with the role `by` read, also in bodies."""
    inputs: list[dict[int, int]] = [{} for _ in stage.graphs]
    inputs[0] = {var: index for index, var in enumerate(stage.graphs[0].invars)}
    reads: Reads = {}
    for index in outside_in(stage.graphs):
        here = inputs[index]
        if not here:
            continue
        for eqn, role in zip(stage.graphs[index].eqns, roles[index], strict=True):
            found = [here[var] for var in eqn.invars if var in here]
            if not found:
                continue
            if eqn.op in CASTS:
                here[eqn.outvars[0]] = found[0]
            elif role == by:
                for leaf in found:
                    reads[leaf] = reads.get(leaf) or scopes(eqn)
            for body in eqn.bodies:
                inputs_of_body = zip(stage.graphs[body.graph].invars, body.inputs, strict=True)
                for var, at in inputs_of_body:
                    if at >= 0 and eqn.invars[at] in here:
                        inputs[body.graph].setdefault(var, here[eqn.invars[at]])
    return reads


def made_backward(stage: schema.Stage, roles: list[list[str]]) -> list[set[int]]:
    """For each graph, the variables that depend on the backward pass."""
    made: list[set[int]] = [set() for _ in stage.graphs]
    for index in reversed(outside_in(stage.graphs)):
        here = made[index]
        for eqn, role in zip(stage.graphs[index].eqns, roles[index], strict=True):
            if role == BACKWARD or (here and not here.isdisjoint(eqn.invars)):
                here.update(eqn.outvars)
            for body in eqn.bodies:
                inner = made[body.graph]
                if inner:
                    outputs = zip(stage.graphs[body.graph].outvars, body.outputs, strict=True)
                    here.update(eqn.outvars[at] for var, at in outputs if at >= 0 and var in inner)
    return made


def pair_results(args: Sequence[Place], results: Sequence[Place]) -> dict[int, int]:
    """For each of `args` that has a replacement among `results`, this result: the first one of its
    type whose path ends in the same keys and that replaces no other. A result below a name that the
    argument lacks (`mu`) comes last. An update that is mapped over parameters and moments returns
    tuples: a position at the end of a path counts if nothing else has a replacement."""
    mapped = [(name, path[:-1] if is_position(path[-1:]) else path, t) for name, path, t in results]
    return pairs_by_path(args, results) or pairs_by_path(args, mapped)


def pairs_by_path(args: Sequence[Place], results: Sequence[Place]) -> dict[int, int]:
    """The pairs of `pair_results`, by whole ends of paths."""
    ends: dict[tuple[Names, int], list[int]] = {}
    for at, (_, path, aval) in enumerate(results):
        for start in range(len(path) + 1):
            ends.setdefault((path[start:], aval), []).append(at)
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for named in (False, True):
        for index, (name, path, aval) in enumerate(args):
            for start in range(len(path)):
                end = path[start:]
                if index in pairs or (start > 0 and is_position(end)):
                    break
                for at in ends.get((end, aval), ()):
                    above = results[at][1][: len(results[at][1]) - len(end)]
                    if at not in taken and (named or is_position(above, name)):
                        pairs[index] = at
                        taken.add(at)
                        break
        if pairs:
            break
    return pairs


def pair_array_arguments(
    root: schema.Graph, args: Sequence[int], changed: Changed
) -> dict[int, int]:
    """For each of some inputs that has a replacement, this result. A position that a velocity moves
    is no parameter, although a gradient may have changed the velocity.

    Gradients are returned in the order of the inputs. They are paired if there is one for each
    input of their type.
    """
    pairs: dict[int, int] = {}
    gradients: dict[int, list[int]] = defaultdict(list)
    others = {var for var, name in zip(root.invars, root.args) if name.isidentifier()}  # noqa: B905
    others -= {root.invars[at] for at in args}
    for result, var in enumerate(root.outvars):
        inputs, by_gradient = changed.get(var, (frozenset[int](), False))
        aval = root.vars[var].aval
        old = [at for at in args if root.invars[at] in inputs]
        if by_gradient and len(old) == 1 and root.vars[root.invars[old[0]]].aval == aval:
            if others.isdisjoint(inputs):
                pairs.setdefault(old[0], result)
        elif by_gradient and not inputs:
            gradients[aval].append(result)
    for aval, results in gradients.items():
        left = [at for at in args if at not in pairs and root.vars[root.invars[at]].aval == aval]
        if len(left) == len(results):
            pairs |= dict(zip(left, results, strict=True))
    return pairs


def multiplies_data(stage: schema.Stage, roles: list[list[str]], args: Collection[int]) -> bool:
    """True if the forward pass multiplies some inputs with data, as a layer does. A program that
    differentiates an energy to get a force need not."""
    root = stage.graphs[0]
    of_args = [set[int]() for _ in stage.graphs]
    data = [set[int]() for _ in stage.graphs]
    of_args[0] = {root.invars[at] for at in args}
    arrays = {var for var in root.invars if stage.avals[root.vars[var].aval].shape}
    data[0] = arrays - of_args[0] | set(root.constvars)
    for index in outside_in(stage.graphs):
        mine, other = of_args[index], data[index]
        for eqn, role in zip(stage.graphs[index].eqns, roles[index], strict=True):
            is_own, is_data = not mine.isdisjoint(eqn.invars), not other.isdisjoint(eqn.invars)
            if is_own and is_data and role == FORWARD and eqn.op in MULTIPLIES:
                return True
            if is_own and eqn.op in CASTS:
                mine.update(eqn.outvars)
            elif is_data:
                other.update(eqn.outvars)
            for body in eqn.bodies:
                pairs = zip(stage.graphs[body.graph].invars, body.inputs, strict=True)
                passed = [(var, eqn.invars[at]) for var, at in pairs if at >= 0]
                of_args[body.graph].update(var for var, operand in passed if operand in mine)
                data[body.graph].update(var for var, operand in passed if operand in other)
    return False


def changed_inputs(stage: schema.Stage, roles: list[list[str]]) -> list[Changed]:
    """For each graph and value, the inputs that it is an elementwise change of, and True if a
    gradient changed them. Only values outside the passes of a derivative count."""
    of_graphs: list[Changed] = [{} for _ in stage.graphs]
    for index in reversed(outside_in(stage.graphs)):
        graph, here = stage.graphs[index], of_graphs[index]
        shapes = [stage.avals[var.aval].shape for var in graph.vars]
        here.update((var, (frozenset({var}), False)) for var in graph.invars)
        for eqn, role in zip(graph.eqns, roles[index], strict=True):
            for body in eqn.bodies:
                places = dict(zip(stage.graphs[body.graph].invars, body.inputs, strict=True))
                outputs = zip(stage.graphs[body.graph].outvars, body.outputs, strict=True)
                for var, at in outputs:
                    inputs, by_gradient = of_graphs[body.graph].get(var, (frozenset[int](), False))
                    passed = [eqn.invars[places[one]] for one in inputs if places[one] >= 0]
                    if at >= 0:
                        merge(here, eqn.outvars[at], passed, by_gradient)
            for var in eqn.outvars if not eqn.bodies and role in ("", BACKWARD) else ():
                alike = [one for one in eqn.invars if shapes[one] == shapes[var]]
                operands = [] if role or eqn.op in MULTIPLIES else alike
                merge(here, var, operands, role == BACKWARD)
    return of_graphs


def merge(here: Changed, var: int, operands: Sequence[int], by_gradient: bool) -> None:
    """Records that a value is a change of its operands' inputs."""
    changes = [here[one] for one in (var, *operands) if one in here]
    inputs = frozenset[int]().union(*(inputs for inputs, _ in changes))
    here[var] = inputs, by_gradient or any(of_gradient for _, of_gradient in changes)


def is_position(path: Names, but: str = "") -> bool:
    """True if a path consists of positions, except for one name."""
    return all(key.startswith("[") or key == but for key in path)
