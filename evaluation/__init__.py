"""Scoring: embedders, the metrics of section 5.1, tables and figures.

Reads published builds and knows nothing of how they, or a trained adapter, came about.
"""
