"""The metrics of section 5.1, each a function of scores: accuracy, precision, containment."""
