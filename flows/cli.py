"""The `saber` command line: commands, exit codes, and errors as one line each.

Exit codes: 0 done, 1 a build or a check failed, 2 wrong usage, 130 interrupted, 143 terminated.
Prefect and other heavy packages are imported by the command that needs them, so that `saber sql`
starts at once.
"""

import os
import signal
import sys
from typing import Annotated, NoReturn

import typer

from artifacts.errors import QueryError, SaberError, SettingsError, VocabularyError
from flows.commands.audit import audit
from flows.commands.benchmark import benchmark
from flows.commands.dataset import dataset
from flows.commands.demo import demo
from flows.commands.evaluate import compare, evaluate
from flows.commands.repair import rejudge, rerun_failed
from flows.commands.run import run
from flows.commands.serve import serve
from flows.commands.sql import sql
from flows.commands.status import status
from flows.commands.train import train
from flows.commands.validate import validate
from flows.logs import show_log

_DEBUG = "--debug"
#: Exit codes after Ctrl-C and SIGTERM, as shells have them, with the words for it.
_STOPPED = {130: "interrupted", 143: "terminated"}
_USAGE_ERRORS = (SettingsError, VocabularyError, QueryError)

app = typer.Typer(
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)
_COMMANDS = (
    run,
    benchmark,
    dataset,
    validate,
    audit,
    train,
    evaluate,
    compare,
    demo,
    rejudge,
    rerun_failed,
    sql,
    status,
    serve,
)
for command in _COMMANDS:
    app.command()(command)


@app.callback()
def saber(
    debug: Annotated[bool, typer.Option(_DEBUG, help="Show the traceback of an error.")] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Print the build's log lines on stderr, too.")
    ] = False,
) -> None:
    """The data factory for attribute-object binding.

    Builds the SABER benchmark and the binding text dataset, checks them, and answers SQL over
    them. A build is a folder below ROOT; every command takes --build to name another one.

    Settings come from flags, then SABER_… variables (SABER_BENCHMARK__SEED=7), then saber.toml.

    Exit codes: 0 done, 1 a build or a check failed (or was stopped, and says where it goes on), 2
    wrong usage, 130 interrupted, 143 terminated.
    """
    del debug  # read where errors are caught, which is before and after this
    if verbose:
        show_log()


def main() -> NoReturn:
    """Run the command line."""
    signal.signal(signal.SIGTERM, _exit_as_terminated)
    try:
        code = app(sys.argv[1:] or ["--help"], standalone_mode=False)
    except SystemExit as ended:
        code = ended.code
    except SaberError as error:
        _fail(str(error), 2 if isinstance(error, _USAGE_ERRORS) else 1)
    except typer.TyperException as error:
        _fail(f"{error.format_message().rstrip('.')}; see --help", 2)
    except BrokenPipeError:
        # Whoever read our output has left; Python would complain again while it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        _fail(f"{place}{error.strerror or error}", 1)
    if code in _STOPPED:
        # Typer takes Ctrl-C for itself, and says nothing.
        told = f"saber: {_STOPPED[code]}; the same command goes on with what is there"
        print(told, file=sys.stderr)
    sys.exit(code)


def _exit_as_terminated(number: int, frame: object) -> NoReturn:
    """End as at Ctrl-C: whatever holds files or processes lets go of them."""
    sys.exit(128 + number)


def _fail(message: str, code: int) -> NoReturn:
    if _DEBUG in sys.argv:
        raise
    sys.stdout.flush()
    print(f"saber: {' '.join(message.split())}", file=sys.stderr)
    sys.exit(code)
