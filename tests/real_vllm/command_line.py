"""Parses a command line as vLLM's server does. Runs in vLLM's environment.

    python command_line.py OPTION…

prints the options as JSON; options that vLLM doesn't know end it with its own words.
"""

import json
import sys

from vllm.entrypoints.launchers.cli_args import make_arg_parser, validate_parsed_serve_args
from vllm.utils.argparse_utils import FlexibleArgumentParser


def main() -> None:
    """Parse, and check what belongs together."""
    parsed = make_arg_parser(FlexibleArgumentParser()).parse_args(sys.argv[1:])
    validate_parsed_serve_args(parsed)
    print(json.dumps(vars(parsed), default=str))


if __name__ == "__main__":
    main()
