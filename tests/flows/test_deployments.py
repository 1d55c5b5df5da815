"""The table of deployments: what `saber serve` and prefect.yaml make of it, and what is refused."""

import json
from pathlib import Path

import pytest
import yaml

from artifacts.errors import SettingsError
from artifacts.settings import ScheduleSettings, ServeSettings
from flows.cli import main
from flows.deployments import deployments, prefect_yaml, served
from flows.settings import load_settings

PROJECT = Path(__file__).parents[2]
NAMES = [
    "benchmark",
    "dataset",
    "pipeline",
    "training",
    "evaluation",
    "repair",
    "rejudge",
    "nightly",
]


def test_prefect_yaml_is_what_the_table_says() -> None:
    assert (PROJECT / "prefect.yaml").read_text() == prefect_yaml(ServeSettings()), (
        "prefect.yaml drifted: run `python -m flows.deployments > prefect.yaml`"
    )


def test_both_ways_offer_the_same() -> None:
    """What `prefect deploy` reads from the file is what `saber serve` registers."""
    rows = yaml.safe_load(prefect_yaml(ServeSettings()))["deployments"]
    ready = [served(row) for row in deployments(ServeSettings())]
    assert [row["name"] for row in rows] == [each.name for each in ready] == NAMES
    for row, each in zip(rows, ready, strict=True):
        assert row["entrypoint"] == each.entrypoint
        assert row["description"] == each.description
        assert row["parameters"] == each.parameters
        assert row["tags"] == each.tags
        (mine,), (theirs,) = row["schedules"], each.schedules or []
        assert theirs.schedule is not None
        assert mine["cron"] == theirs.schedule.cron  # type: ignore[union-attr]
        assert mine["timezone"] == theirs.schedule.timezone  # type: ignore[union-attr]
        assert mine["active"] == theirs.active
        assert mine["parameters"] == theirs.parameters


def test_every_flow_has_one_and_only_the_nightly_runs_by_itself() -> None:
    rows = deployments(ServeSettings())
    assert [row.name for row in rows] == [row.flow.name for row in rows] == NAMES
    assert [row.name for row in rows if row.when.active] == ["nightly"]
    assert set(ServeSettings.model_fields) - {"runs_at_once"} == set(NAMES)


@pytest.mark.parametrize("row", deployments(ServeSettings()), ids=NAMES)
def test_every_parameter_is_typed_described_and_optional(row: object) -> None:
    schema = served(row)._parameter_openapi_schema  # type: ignore[arg-type]
    assert schema.required == []
    for name, form in schema.properties.items():
        assert form["description"], name
        assert "type" in form or "anyOf" in form, name
    assert len(json.dumps(schema.model_dump())) < 10_000


def test_an_entrypoint_leads_to_its_flow() -> None:
    from prefect.flows import load_flow_from_entrypoint

    for row in deployments(ServeSettings()):
        assert load_flow_from_entrypoint(row.entrypoint) is row.flow


def test_settings_set_the_schedule(tmp_path: Path) -> None:
    file = tmp_path / "saber.toml"
    file.write_text(
        '[serve.nightly]\ncron = "30 2 * * *"\n'
        '[serve.pipeline]\nactive = true\ntimezone = "Europe/Berlin"\nparameters = {quota = 5}\n'
    )
    rows = {row.name: row for row in deployments(load_settings(file).serve)}
    assert (rows["nightly"].when.cron, rows["nightly"].when.active) == ("30 2 * * *", True)
    ready = served(rows["pipeline"])
    (schedule,) = ready.schedules or []
    assert (schedule.active, schedule.parameters) == (True, {"quota": 5})


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"cron": "when it rains"}, "serve.nightly.cron: expected a cron expression such as"),
        ({"parameters": {"bild": "main"}}, "serve.nightly.parameters: expected some of build, "),
    ],
)
def test_a_schedule_that_is_none_is_refused(changes: dict[str, object], said: str) -> None:
    when = ScheduleSettings(active=True).model_copy(update=changes)
    (row,) = (
        row
        for row in deployments(ServeSettings().model_copy(update={"nightly": when}))
        if row.name == "nightly"
    )
    with pytest.raises(SettingsError) as caught:
        served(row)
    assert str(caught.value).startswith(said)


def test_an_unknown_time_zone_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "saber.toml"
    file.write_text('[serve.nightly]\ntimezone = "Berlin"\n')
    with pytest.raises(SettingsError, match="expected a time zone such as Europe/Berlin"):
        load_settings(file)


def call(patch: pytest.MonkeyPatch, *arguments: str) -> int:
    patch.setattr("sys.argv", ["saber", "serve", *arguments])
    with pytest.raises(SystemExit) as caught:
        main()
    return int(caught.value.code or 0)


def test_serve_lists_what_it_would_serve(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(monkeypatch, "--list", "--json", "--build", "b") == 0
    rows = json.loads(capsys.readouterr().out)["deployments"]
    assert [row["deployment"] for row in rows] == [f"{name}/{name}" for name in NAMES]
    assert rows[-1]["runs"] == "0 3 * * * UTC"
    assert rows[0]["parameters"] == "build=b"


def test_serve_without_a_server_says_the_two_commands(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call(monkeypatch) == 2
    said = capsys.readouterr().err
    assert "`prefect server start`" in said
    assert "export PREFECT_API_URL=" in said
    assert said.count("\n") == 1


def test_a_deployed_flow_reads_the_settings_where_it_runs(
    prefect_server: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from flows.deployed import benchmark

    monkeypatch.chdir(tmp_path)
    Path("saber.toml").write_text(
        'root = "here"\n[benchmark]\nn_max = 3\nindependent_per_n = 2\nchains = 2\n'
    )
    benchmark(build="a")
    assert (tmp_path / "here/a/benchmark/manifest.json").is_file()
