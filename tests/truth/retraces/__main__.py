"""`python -m tests.truth.retraces`: see the package's own words."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from functools import partial
from pathlib import Path

from .cases import cases, lacking, part
from .program import Program
from .report import PARTS, score, total, write
from .runner import Result, result


def main() -> int:
    args = _arguments()
    if args.report:
        write(args.report)
        return 0
    chosen = [
        case
        for case in cases(args.library)
        if args.case in case.name and args.looking in case.looking and args.kind in case.kind
    ]
    chosen = part(chosen, args.part) if args.part else chosen
    if args.show:
        for case in chosen:
            print(f"# {case.name}\n{case.text}\n")
        return 0
    results = [*map(partial(_told, args.quiet), chosen)]
    _print_score(results)
    if args.save:
        made = {**score(results), "lacking": sorted(lacking())}
        Path(args.save).parent.mkdir(parents=True, exist_ok=True)
        Path(args.save).write_text(json.dumps(made, indent=1))
        return 0
    return 0 if all(one.right for one in results) else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.truth.retraces")
    parser.add_argument("--library", default="", help="letters of its name")
    parser.add_argument("--case", default="", help="letters of the program's name")
    parser.add_argument("--looking", default="", help="letters of the order of looking")
    parser.add_argument("--kind", default="", help="letters of the kind of change")
    parser.add_argument("--show", action="store_true", help="print the programs alone")
    parser.add_argument("--quiet", action="store_true", help="print the score alone")
    parser.add_argument("--part", type=int, help="draw this many of each library")
    parser.add_argument(
        "--save", metavar="FILE", help="keep the score, as JSON; what is wrong in it is no failure"
    )
    parser.add_argument(
        "--report", metavar="FILE", nargs="+", help="write docs/reliability.md of scores kept"
    )
    return parser.parse_args()


def _told(quiet: bool, case: Program) -> Result:
    found = result(case)
    if not (found.right or quiet):
        print(f"✗ {case.name}", *found.lines(), sep="\n    ", flush=True)
    return found


def _print_score(results: list[Result]) -> None:
    made = score(results)
    print(f"jax {made['jax']}, Python {made['python']}")
    for library, row in {**made["libraries"], "all": total(made)}.items():
        wrong = ", ".join(f"{row[part]} {part}" for part in PARTS)
        print(f"{library}: counts of {row['counted']} of {row['programs']} right; {wrong}")
    failing = Counter((r.program.library, r.program.kind) for r in results if not r.right)
    for (library, kind), times in failing.most_common():
        print(f"  {times} × {library}: {kind}")
    for library, why in lacking().items():
        print(f"{library} is not here: {why}")


if __name__ == "__main__":
    sys.exit(main())
