"""Stages, Prefect flows and the `saber` command line: what composes the other packages.

The only package that imports Prefect, and only in the modules that define flows.
"""
