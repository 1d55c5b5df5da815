"""docker-compose.yml: valid by the specification, pinned, healthy in order, and without secrets.

No Docker engine is needed: what a service runs is run from its package, here or in tests/servers.
"""

import json
import re
import subprocess
import sys
import tomllib
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest
import yaml

from flows.deployments import WORK_POOL
from tests.compose import PROJECT, compose_text, services, variables
from tests.servers.running import (
    RECORDER,
    Postgres,
    clean_environment,
    folder_of_postgres,
    postgres_program,
    why_no_postgres,
)

PASSWORD = {"POSTGRES_PASSWORD": "not-a-secret"}
SERVICES = services(**PASSWORD)
LASTING = sorted(set(SERVICES) - {"deploy"})

#: Imports all that a worker may; says what of ours comes from elsewhere than the folder given.
_IMPORT_FLOWS = """
import importlib, pkgutil, sys
from pathlib import Path
import flows
for module in pkgutil.walk_packages(flows.__path__, "flows."):
    importlib.import_module(module.name)
image, *ours = map(Path, sys.argv[1:])
for name, module in sorted(sys.modules.items()):
    place = getattr(module, "__file__", None)
    if place and any(Path(place).is_relative_to(folder) for folder in ours):
        print(f"{name} isn't copied")
"""


def test_the_file_is_valid_by_the_compose_specification() -> None:
    schemas = files("check_jsonschema") / "builtin_schemas" / "vendor"
    schema = json.loads((schemas / "compose-spec.json").read_text(encoding="utf-8"))
    jsonschema.validate(yaml.safe_load(compose_text()), schema)
    jsonschema.validate({"services": SERVICES}, schema)


@pytest.mark.parametrize("name", SERVICES)
def test_every_image_is_pinned(name: str) -> None:
    tag = SERVICES[name]["image"].rpartition(":")[2]
    assert re.search(r"\d+\.\d+", tag), tag


def test_the_worker_s_image_is_made_from_a_pinned_one() -> None:
    (base,) = re.findall(r"^FROM (\S+)$", (PROJECT / "Dockerfile").read_text(), re.MULTILINE)
    assert re.fullmatch(r"python:3\.\d+\.\d+-slim-\w+", base)


@pytest.mark.parametrize("name", LASTING)
def test_what_lasts_is_restarted_and_asked_for_its_health(name: str) -> None:
    service = SERVICES[name]
    assert service["restart"] == "unless-stopped"
    assert service["healthcheck"].keys() >= {"test", "interval", "timeout", "start_period"}


def test_services_start_in_order() -> None:
    order = {
        name: {other: how["condition"] for other, how in service.get("depends_on", {}).items()}
        for name, service in SERVICES.items()
    }
    assert order == {
        "postgres": {},
        "prefect-server": {"postgres": "service_healthy"},
        "deploy": {"prefect-server": "service_healthy"},
        "worker": {
            "prefect-server": "service_healthy",
            "deploy": "service_completed_successfully",
        },
        "vllm": {},
    }


def test_only_the_model_needs_a_gpu() -> None:
    assert {n: s["profiles"] for n, s in SERVICES.items() if "profiles" in s} == {"vllm": ["gpu"]}


def test_every_volume_is_declared_and_used() -> None:
    used = {
        volume.split(":")[0]
        for service in SERVICES.values()
        for volume in service.get("volumes", ())
    }
    assert used == set(yaml.safe_load(compose_text())["volumes"])


def test_ports_are_open_to_this_machine_alone() -> None:
    for service in SERVICES.values():
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ()))


def test_no_secret_is_in_the_file() -> None:
    secret = re.compile(r"(PASSWORD|TOKEN|KEY)\b")
    for name, default in variables().items():
        if secret.search(name):
            assert not default, name
    for service in SERVICES.values():
        for name, value in service.get("environment", {}).items():
            if secret.search(name):
                assert value in ("", *PASSWORD.values()), name


def test_every_variable_is_in_the_example_with_its_default() -> None:
    text = (PROJECT / ".env.example").read_text(encoding="utf-8")
    told = dict(re.findall(r"^(?:# )?([A-Z_]+)=(.*)$", text, re.MULTILINE))
    assert told == {name: default or "" for name, default in variables().items()}


def test_git_ignores_what_is_filled_in() -> None:
    ignored = (PROJECT / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert ".env" in ignored


def test_the_server_records_task_runs_in_batches() -> None:
    assert SERVICES["prefect-server"]["environment"].items() >= RECORDER.items()


def test_the_server_is_started_as_tests_start_it() -> None:
    """tests/servers run just this against SQLite and PostgreSQL."""
    *program, _, _, port = SERVICES["prefect-server"]["command"]
    assert program == ["prefect", "server", "start", "--host"]
    assert SERVICES["prefect-server"]["ports"] == [f"127.0.0.1:{port}:{port}"]


def test_the_worker_works_for_the_pool_of_the_deployments() -> None:
    assert f"--pool {WORK_POOL} " in " ".join(SERVICES["worker"]["command"])


@pytest.mark.skipif(bool(why_no_postgres()), reason=why_no_postgres())
def test_postgres_takes_its_command_line_and_is_asked_for_its_health() -> None:
    program, *options = SERVICES["postgres"]["command"]
    assert program == "postgres"
    _, question, *who = SERVICES["postgres"]["healthcheck"]["test"]
    with folder_of_postgres() as folder:
        postgres = Postgres(folder)
        where = ("--host", "127.0.0.1", "--port", str(postgres.port))
        asked = [postgres_program(question) or question, *who, *where]
        postgres.start(" ".join(options))
        try:
            assert subprocess.run(asked, check=False).returncode == 0
        finally:
            postgres.stop()
        assert subprocess.run(asked, check=False).returncode == 2


def test_the_model_and_its_size_come_from_the_environment() -> None:
    chosen = services(**PASSWORD, VLLM_MODEL="some/model", VLLM_TENSOR_PARALLEL_SIZE="4")
    command = chosen["vllm"]["command"]
    assert "--model=some/model" in command
    assert "--served-model-name=some/model" in command
    assert "--tensor-parallel-size=4" in command
    assert chosen["worker"]["environment"]["SABER_DATASET__LLM__MODEL"] == "some/model"
    (devices,) = chosen["vllm"]["deploy"]["resources"]["reservations"]["devices"]
    assert devices["count"] == 4


def test_the_image_of_the_worker_has_what_it_copies() -> None:
    text = (PROJECT / "Dockerfile").read_text(encoding="utf-8")
    ignored = (PROJECT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    for line in re.findall(r"^COPY (.+) \S+$", text, re.MULTILINE):
        for name in line.split():
            assert (PROJECT / name).exists(), name
            assert f"!{name}" in ignored, name


def test_the_image_of_the_worker_runs_every_flow_with_what_it_copies(tmp_path: Path) -> None:
    text = (PROJECT / "Dockerfile").read_text(encoding="utf-8")
    image = tmp_path / "image"
    image.mkdir()
    for name in re.findall(r"^COPY (\w+) \1$", text, re.MULTILINE):
        (image / name).symlink_to(PROJECT / name)
    packaged = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = packaged["tool"]["setuptools"]["packages"]["find"]["include"]
    ours = [str(PROJECT / pattern.rstrip("*")) for pattern in patterns]
    done = subprocess.run(
        [sys.executable, "-c", _IMPORT_FLOWS, str(image), *ours],
        env=clean_environment(tmp_path / "home") | {"PYTHONPATH": str(image)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.returncode) == ("", 0), done.stderr
