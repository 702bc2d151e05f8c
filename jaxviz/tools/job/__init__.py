"""One job of many processes: what each of them calls, so that one sees them all.

`agree.py` asks whether all hold the same program, `report.py` is what follows, `text.py` says why,
`held.py` makes one output of the programs, and `gather.py` brings what all of them traced and
compiled to the first.
"""
