"""`agree` compares the programs of all processes of a job."""

from __future__ import annotations

import re
from dataclasses import replace
from hashlib import blake2b
from itertools import count
from time import time

import msgspec

from jaxviz.compare import compare
from jaxviz.display.wire import decode, encode
from jaxviz.program import Program, checked_program
from jaxviz.sentences import sentence
from jaxviz.tools.job.capture import Processes
from jaxviz.tools.job.record import ProcessProgram
from jaxviz.tools.job.report import Agreement, Difference, named_in
from jaxviz.tools.job.text import cause

LARGEST = 2_000_000
"""The largest program, in bytes, that is sent to the others for comparison. JAX's store refuses
messages of 4 MiB."""
MOST_COMPARED = 15
"""The most programs that are compared with the program of most processes."""
MOST_EQNS = 40_000
"""The most eqns that are compared in all, after the first comparison."""

_SET = re.compile(r"(?<=frozenset\(\{)[^{}]+(?=\}\))|(?<=\{V:\()[^()]+(?=\)\})")
"""JAX's text of a set: in a param, and of the axes along which a value varies."""

_calls = count()
"""Numbers the calls in this process. All processes must make the same calls of `agree`."""


class AgreementError(RuntimeError):
    """The processes of a job have different programs, or some reported nothing in time.

    Attributes
    ----------
    agreement : Agreement
        The report of each process, and the differences.

    Examples
    --------
    >>> import jaxviz
    >>> missing = jaxviz.Agreement((), missing=(0,), timeout=60.0)
    >>> jaxviz.AgreementError(missing).agreement.same
    False
    """

    def __init__(self, agreement: Agreement) -> None:
        super().__init__(str(agreement))
        self.agreement = agreement


def agree(program: Program, timeout: float = 60.0, *, check: bool = True) -> Agreement:
    """Compare this process's program with those of all other processes of the job.

    Call it in every process, after the function was captured and before it runs. Processes that
    compile different programs wait for one another without end, or give wrong numbers. The
    processes are those of `jax.distributed.initialize`. They exchange digests through JAX's own
    key-value store, and programs if these differ. The program is lowered for it, and not compiled.
    Arrays that the function closes over are compared by type, not by value. The call takes as long
    as the last process takes to arrive.

    Parameters
    ----------
    program : Program
        A result of `inspect`.
    timeout : float, optional
        The number of seconds to wait for the other processes.
    check : bool, optional
        True to raise if not all processes have the same program. Every process does then.

    Returns
    -------
    Agreement
        The reports of all processes: `same`, `processes`, `differences` and `missing`.

    Raises
    ------
    AgreementError
        If `check`, and programs differ, a process reported nothing in time, or others went on
        before this one arrived; its `agreement` is the record.
    TypeError
        If `program` is no `Program`.
    ValueError
        If `timeout` is not positive.

    Examples
    --------
    >>> import jax.numpy as jnp, jaxviz
    >>> program = jaxviz.inspect(jnp.sin)(1.0)
    >>> print(jaxviz.agree(program))
    There is 1 process, which has its program of sin alone.
    """
    found = _agreement(Processes(timeout), checked_program("program", program), timeout)
    if check and not found.same:
        raise AgreementError(found)
    return found


def _agreement(processes: Processes, program: Program, timeout: float) -> Agreement:
    came, call = time(), next(_calls)
    if processes.count == 1:
        return Agreement((_of_this_process(0, program, came),))
    gone_on = tuple(sorted(processes.so_far(f"{call}/gone_on")))
    processes.publish(f"{call}/came", b"")
    own = _of_this_process(processes.index, program, came)
    processes.publish(f"{call}/digest", msgspec.json.encode(own))
    received = processes.received(f"{call}/digest", brief=True)
    programs = [_read(text) for text in received.values()]
    missing = processes.missing(received)
    lowering = (*processes.received(f"{call}/came", missing, wait=False),)
    if missing:
        processes.publish(f"{call}/gone_on", b"")
    found = Agreement((*programs,), missing, lowering, (), timeout, processes.index, None, gone_on)
    groups = _groups(programs)
    if len(groups) == 1:
        return found
    records = _compared(groups, _records(processes, call, program, groups))
    differences = tuple(_difference(groups[0], group, records) for group in groups[1:])
    return replace(found, differences=differences, program=_program_of(groups[0], records))


def _read(text: bytes) -> ProcessProgram:
    """The program of another process, without fields that a later version may have added."""
    fields = msgspec.json.decode(text)
    known = {name: fields[name] for name in ProcessProgram.__struct_fields__ if name in fields}
    return msgspec.convert(known, ProcessProgram)


def _compared(
    groups: list[list[ProcessProgram]], records: dict[int, Program]
) -> dict[int, Program]:
    """The programs without those that take too long to compare: the same in every process."""
    left, found = MOST_EQNS, dict[int, Program]()
    for at, group in enumerate(groups):
        first = group[0].process
        if first in records:
            graphs = records[first].record.stages[0].graphs
            left -= sum(len(graph.eqns) for graph in graphs) if at > 1 else 0
            if left >= 0:
                found[first] = records[first]
    return found


def _of_this_process(index: int, program: Program, came: float) -> ProcessProgram:
    record = program.record
    leaves = [
        [(one.path, _sorted(one.aval.text)) for one in of] for of in (record.args, record.results)
    ]
    compiled = next((one.took or 0 for one in record.stages if one.kind == "hlo"), 0)
    lowered = program.stage("stablehlo", on_progress=lambda *_: None)
    return ProcessProgram(
        process=index,
        function=record.name,
        jax=record.jax,
        jaxpr=_digest([_sorted(record.stages[0].text), leaves]),
        stablehlo=_digest([lowered.text, lowered.error]),
        came=came,
        lowered=time() - came,
        traced=program._stages.traced,
        compiled=compiled / 1000,
    )


def _sorted(text: str) -> str:
    """The text with the members of each set in order. JAX prints some in the order of their hashes
    (up to 0.6), which differ in each process."""
    return _SET.sub(lambda found: ", ".join(sorted(re.split(r",\s*", found[0]))), text)


def _digest(parts: list[object]) -> str:
    return blake2b(msgspec.json.encode(parts), digest_size=16).hexdigest()


def _groups(programs: list[ProcessProgram]) -> list[list[ProcessProgram]]:
    """The processes grouped by program, the largest group first. Among equal ones the group of the
    first process is first."""
    groups: dict[tuple[str, str], list[ProcessProgram]] = {}
    for one in programs:
        groups.setdefault((one.jaxpr, one.stablehlo), []).append(one)
    return sorted(groups.values(), key=len, reverse=True)


def _records(
    processes: Processes, call: int, program: Program, groups: list[list[ProcessProgram]]
) -> dict[int, Program]:
    """The program of the first process in each group that is compared."""
    first = [group[0].process for group in groups[: MOST_COMPARED + 1]]
    if processes.index in first:
        record = msgspec.structs.replace(program.record, stages=program.record.stages[:1])
        sent = encode(record)
        processes.publish(f"{call}/program", sent if len(sent) <= LARGEST else b"")
    received = processes.received(f"{call}/program", first)
    return {one: Program(decode(data)) for one, data in received.items() if data}


def _difference(
    most: list[ProcessProgram], odd: list[ProcessProgram], records: dict[int, Program]
) -> Difference:
    one, other = most[0], odd[0]
    comparison = None
    if one.jaxpr == other.jaxpr and one.function != other.function:
        why = sentence("other function", other=other.function, one=one.function)
    elif one.jaxpr == other.jaxpr:
        why = sentence("other lowering")
    else:
        before, after = (_program_of(group, records) for group in (most, odd))
        why = sentence("other jaxprs")
        if before is not None and after is not None:
            comparison = compare(before, after)
            why = cause(before.record, after.record, comparison.inputs)
    if one.jax != other.jax:
        why = sentence("other jax", why=why, other=other.jax, one=one.jax)
    return Difference(tuple(one.process for one in odd), comparison, why)


def _program_of(group: list[ProcessProgram], records: dict[int, Program]) -> Program | None:
    """The program of a group, with a name that lists its processes."""
    numbers = [one.process for one in group]
    if (program := records.get(numbers[0])) is None:
        return None
    name = f"{program.record.name} · {named_in(numbers)}"
    return Program(msgspec.structs.replace(program.record, name=name))
