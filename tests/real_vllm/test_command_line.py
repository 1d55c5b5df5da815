"""The command line of docker-compose.yml, put to vLLM's own parser."""

import json
import subprocess

from tests.compose import services
from tests.real_vllm.serving import HERE, PYTHON

COMMAND: list[str] = services(POSTGRES_PASSWORD="not-a-secret")["vllm"]["command"]


def parse(*options: str) -> subprocess.CompletedProcess[str]:
    command = [str(PYTHON), str(HERE / "command_line.py"), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_vllm_takes_the_whole_command_line() -> None:
    parsed = parse(*COMMAND)
    assert parsed.returncode == 0, parsed.stderr
    options = json.loads(parsed.stdout.splitlines()[-1])
    assert options["model"] == "google/gemma-4-31b-it"
    assert options["served_model_name"] == ["google/gemma-4-31b-it"]
    assert (options["tensor_parallel_size"], options["max_model_len"]) == (1, 4_096)
    assert options["language_model_only"]
    assert options["enable_prefix_caching"]
    assert "disable_any_whitespace=True" in options["structured_outputs_config"]


def test_an_option_that_vllm_lacks_would_be_noticed() -> None:
    parsed = parse(*COMMAND, "--no-such-option=1")
    assert parsed.returncode != 0
    assert "--no-such-option" in parsed.stderr
