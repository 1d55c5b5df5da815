"""Settings from flags, environment and file: which one wins, and how a mistake is told."""

import tomllib
from pathlib import Path

import pytest

from artifacts.errors import SettingsError
from artifacts.settings import BenchmarkSettings
from flows.commands.options import build_of, settings_of
from flows.settings import Settings, load_settings
from flows.settings_file import settings_toml

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(text: str, name: str = "saber.toml") -> Path:
    path = Path(name)
    path.write_text(text)
    return path


def refusal(file: Path | None = None, flags: dict[str, object] | None = None) -> str:
    with pytest.raises(SettingsError) as caught:
        load_settings(file, flags)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_without_anything_the_defaults_hold() -> None:
    settings = load_settings()
    assert settings.root == Path("artifacts/data")
    assert settings.build == "main"
    assert settings.benchmark == BenchmarkSettings()


@pytest.mark.parametrize("root", ["s3://bucket/builds", Path("s3://bucket/builds"), "file:///x"])
def test_an_address_is_no_folder(root: str | Path) -> None:
    assert "expected a folder of this machine, found the address" in refusal(flags={"root": root})


@pytest.mark.parametrize("root", ["builds", "/data/s3:builds", "c:x/y", "../a:b"])
def test_a_folder_may_have_a_colon_in_its_name(root: str) -> None:
    assert load_settings(flags={"root": root}).root == Path(root)


def test_flags_win_over_environment_over_file_over_defaults(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write("[benchmark]\nseed = 1\nn_max = 9\nchains = 3\n")
    monkeypatch.setenv("SABER_BENCHMARK__SEED", "2")
    monkeypatch.setenv("SABER_BENCHMARK__N_MAX", "8")
    settings = load_settings(flags={"benchmark": {"seed": 3}})
    assert settings.benchmark == BenchmarkSettings(seed=3, n_max=8, chains=3)


def test_top_level_keys_are_layered_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    write('root = "file"\nbuild = "file"\n')
    monkeypatch.setenv("SABER_BUILD", "environment")
    assert (load_settings().root, load_settings().build) == (Path("file"), "environment")
    assert load_settings(flags={"root": Path("flag")}).root == Path("flag")


def test_a_whole_table_may_be_given_as_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SABER_BENCHMARK", '{"seed": 4, "chains": 5}')
    monkeypatch.setenv("SABER_BENCHMARK__CHAINS", "6")
    assert load_settings().benchmark == BenchmarkSettings(seed=4, chains=6)


def test_variables_may_be_written_in_lower_case(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("saber_benchmark__seed", "5")
    assert load_settings().benchmark.seed == 5


def test_a_file_is_named_by_flag_before_variable_before_working_folder(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write('build = "here"\n')
    assert load_settings().build == "here"
    monkeypatch.setenv("SABER_SETTINGS", str(write('build = "variable"\n', "variable.toml")))
    assert load_settings().build == "variable"
    assert load_settings(write('build = "flag"\n', "flag.toml")).build == "flag"


def test_an_empty_settings_variable_names_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SABER_SETTINGS", "")
    assert load_settings().model_dump() == Settings().model_dump()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[benchmark]\nseed = "x"', "saber.toml: benchmark.seed: input should be a valid integer"),
        ("[benchmark]\nseed = -1", "saber.toml: benchmark.seed: input should be greater than or"),
        (
            "[benchmark]\nsed = 1",
            "saber.toml: benchmark.sed: unknown setting (did you mean 'seed'?); see saber.toml",
        ),
        ("[benchmark]\nxyz = 1", "saber.toml: benchmark.xyz: unknown setting; see saber.toml"),
        (
            "[dataset.llm]\nstile = 1",
            "saber.toml: dataset.llm.stile: unknown setting (did you mean 'style'?); see",
        ),
        ('[pipeline]\nskip = ["foo"]', "saber.toml: pipeline.skip: input should be 'benchmark', "),
        (
            "[dataset]\nquotas = {pairswap = 3}",
            "saber.toml: dataset.quotas.pairswap: expected a construction out of pair_swap, ",
        ),
        ("[benchmark]\nn_min = 11", "saber.toml: benchmark: n_max must be at least n_min, found"),
        ("[benchmark]\nvocabulary = 3", "saber.toml: benchmark.vocabulary: input"),
        ("[bench]\nseed = 1", "saber.toml: bench: unknown setting (did you mean 'benchmark'?)"),
        ("benchmark = 3", "saber.toml: benchmark: expected a table, found 3"),
        ("root = 3", "saber.toml: root: input"),
        ("build = 3", "saber.toml: build: input should be a valid string, found 3"),
        ("seed 3", "saber.toml: expected TOML, found "),
        ("[benchmark]\nseed = 1\nseed = 2", "saber.toml: expected TOML, found "),
    ],
)
def test_a_mistake_in_the_file_names_file_and_key(text: str, said: str) -> None:
    write(text)
    assert refusal().startswith(said)


def test_every_mistake_is_told_at_once() -> None:
    write('build = 3\n[benchmark]\nseed = "x"\n')
    assert "saber.toml: build: " in refusal()
    assert "; saber.toml: benchmark.seed: " in refusal()


def test_a_file_in_another_encoding_is_told() -> None:
    Path("saber.toml").write_bytes("build = 'é'".encode("latin-1"))
    assert refusal().startswith("saber.toml: expected TOML, found 'utf-8' codec can't decode")


@pytest.mark.parametrize("name", ["nowhere.toml", "."])
def test_a_named_file_has_to_be_there(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = f"{name}: expected a settings file, found none; check the path"
    assert refusal(Path(name)) == expected
    monkeypatch.setenv("SABER_SETTINGS", name)
    assert refusal() == expected


def test_a_file_that_cannot_be_read_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> str:
        raise PermissionError(13, "Permission denied")

    write("")
    monkeypatch.setattr(Path, "read_text", refuse)
    assert refusal() == "saber.toml: cannot be read: Permission denied"


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        (
            "SABER_BENCHMARK__SEED",
            "x",
            "environment variable SABER_BENCHMARK__SEED: benchmark.seed",
        ),
        (
            "SABER_BENCHMARK",
            '{"seed": "x"}',
            "environment variable SABER_BENCHMARK: benchmark.seed",
        ),
        ("SABER_BENCHMARK", "3", "environment variable SABER_BENCHMARK: benchmark: input should"),
        ("SABER_BENCHMARK", '{"seed"', "environment variables SABER_…: error parsing value"),
        ("SABER_BENCHMARK__SED", "1", "environment variable SABER_BENCHMARK__SED: benchmark.sed: "),
        ("SABER_BENCHMARK__N_MIN", "11", "benchmark: n_max must be at least n_min, found n_max=10"),
        ("SABER_BENCH", "1", "environment variable SABER_BENCH: expected one of SABER_BENCHMARK, "),
        ("SABER_SEED", "1", "environment variable SABER_SEED: expected one of "),
        (
            "SABER_PIPELINE__SKIP",
            '["audit", "foo"]',
            "environment variable SABER_PIPELINE__SKIP: pipeline.skip: input should be ",
        ),
        (
            "SABER_DATASET__QUOTAS",
            '{"pairswap": 3}',
            "environment variable SABER_DATASET__QUOTAS: dataset.quotas.pairswap: expected a con",
        ),
    ],
)
def test_a_mistake_in_the_environment_names_the_variable(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, said: str
) -> None:
    monkeypatch.setenv(name, value)
    assert refusal().startswith(said)


def test_a_mistake_among_the_flags_is_not_blamed_on_the_file() -> None:
    write("[benchmark]\nseed = 1\n")
    said = refusal(flags={"benchmark": {"seed": -1}})
    assert said.startswith("command line: benchmark.seed: ")


def test_a_mistake_in_a_list_names_the_list_and_what_was_found() -> None:
    said = refusal(flags={"pipeline": {"skip": ["benchmark", "foo"]}})
    assert said.startswith("command line: pipeline.skip: input should be 'benchmark', ")
    assert said.endswith(", found 'foo'")


def test_a_misspelt_construction_is_told_with_what_was_meant() -> None:
    write("[dataset]\nquotas = {pair_swap = 1, predicativ = 3}\n")
    assert refusal().endswith("found 'predicativ' (did you mean 'predicative'?); correct the name")


def test_a_flag_is_not_blamed_for_what_the_file_contradicts() -> None:
    write("[benchmark]\nn_min = 11\n")
    assert refusal(flags={"benchmark": {"seed": 1}}).startswith("saber.toml: benchmark: n_max must")


def test_a_flag_does_not_hide_that_the_table_is_none() -> None:
    write("benchmark = 3\n")
    said = refusal(flags={"benchmark": {"seed": 1}})
    assert said == "saber.toml: benchmark: expected a table, found 3"


def test_flags_that_were_not_given_change_nothing() -> None:
    write('build = "here"\n[benchmark]\nseed = 1\n')
    settings = settings_of(None, None, None, benchmark={"seed": None})
    assert (settings.build, settings.benchmark.seed) == ("here", 1)
    assert build_of(settings).path == Path("artifacts/data/here")


def test_flags_that_were_given_are_layered_on_top() -> None:
    settings = settings_of(None, Path("r"), "b", benchmark={"seed": 2})
    assert (settings.root, settings.build, settings.benchmark.seed) == (Path("r"), "b", 2)


def test_the_documented_file_is_generated_from_the_settings() -> None:
    assert (REPOSITORY / "saber.toml").read_text() == settings_toml()


def test_the_documented_file_says_the_defaults_and_nothing_else() -> None:
    documented = load_settings(write(settings_toml(), "documented.toml"))
    assert documented.model_dump() == Settings().model_dump()


def test_the_documented_file_describes_every_setting() -> None:
    text, parsed = settings_toml(), tomllib.loads(settings_toml())
    for name, field in BenchmarkSettings.model_fields.items():
        assert f"# {field.description}\n" in text
        assert name in parsed["benchmark"] or f"# {name} = " in text


@pytest.mark.parametrize("name", ["SABER_LLM_KEY", "SABER_EMBEDDING_KEY"])
def test_a_key_is_no_setting_and_no_misspelt_one(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "secret")
    assert "secret" not in load_settings().model_dump_json()
