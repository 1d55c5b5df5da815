"""Pure functions that make records: scenes, questions, plans, drafts, examples.

Knows the records and the words; opens no file, judges nothing and never imports `validators`.
"""
