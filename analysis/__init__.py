"""What is made from Tally's results files: regression gate, paper figures, report, exports, merges.

Everything starts in `load`, which checks a file against `results.schema.json` and turns it into one
table. `python -m analysis --help` lists the commands.
"""
