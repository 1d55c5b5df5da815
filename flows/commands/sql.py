"""`saber sql`: DuckDB SQL over the views of a build."""

import sys
from enum import StrEnum
from typing import Annotated

import typer

from artifacts.errors import QueryError
from flows.commands.options import BuildOption, RootOption, SettingsOption, settings_of


class Format(StrEnum):
    """How rows are printed."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"


def sql(
    query: Annotated[
        str | None, typer.Argument(help="One SELECT statement.", show_default=False)
    ] = None,
    format_: Annotated[
        Format, typer.Option("--format", help="How to print the rows.")
    ] = Format.TABLE,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the views and their columns instead.")
    ] = False,
    root: RootOption = None,
    build: BuildOption = None,
    settings: SettingsOption = None,
) -> None:
    """Ask a build in SQL: questions, candidates, scenes, examples, triplets, rejections and more.

    The query reads the views and nothing else: no files, no network, no writing. JSON output is
    one array of objects; there is no limit on rows.
    """
    from artifacts.builds import find_build
    from artifacts.dictionary import data_dictionary
    from artifacts.query import query as run_query
    from artifacts.rendering import write_result

    if schema:
        print(data_dictionary(), end="")
        return
    if query is None:
        raise QueryError('expected a query, found none: saber sql "SELECT …", or --schema')
    chosen = settings_of(settings, root, build)
    rows = run_query(find_build(chosen.root, chosen.build), query)
    write_result(rows, format_.value, sys.stdout)
