"""One job of many processes: what each of them calls, so that one sees them all.

`agree.py` asks whether all hold the same program, `agreement.py` is what follows, `reasons.py` says
why, and `gather.py` brings what all of them traced and compiled to the first.
"""
