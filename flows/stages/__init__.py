"""The stages of the pipeline without Prefect: settings in, a published manifest out.

Each composes pure generators and validators with the store. Flows wrap them; the command line and
tests may call them directly.
"""
