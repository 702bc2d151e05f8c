"""Programs with their expected truth, written before the code that is tested with them.

- `errors/`: programs that fail, with the help page and the fix of each
- `findings/`: programs that have a finding, and near misses
- `libraries/`: programs of libraries, with the groups that their authors would name
- `links/`: functions whose ops and instructions are labelled with their eqns
- `retraces/`: cells, with each trace, its line and its reason
"""
