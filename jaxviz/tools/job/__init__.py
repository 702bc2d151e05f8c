"""One job of many processes: every process calls these functions, so that one output shows all.

`agree.py` compares the programs of all processes, `report.py` is the result, as one output of all
programs, `text.py` finds the cause of a difference, and `gather.py` brings the logs of all
processes to the first, where `merged_log.py` makes one of them.
"""
