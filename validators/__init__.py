"""Pure rules that judge records, one rule per function, and the ledger of running caps.

Knows the records; opens no file, makes nothing and never imports `generators`.
"""
