"""A dataset from a real model, from an interrupted build to a re-judged one.

What is asserted is the plumbing: nothing is lost, asked twice or unaccounted for. How good the
texts of so small a model are is not.
"""

import json
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.real_vllm.serving import HERE, MODEL, Vllm
from tests.servers.running import SABER, clean_environment

QUOTAS = {"attr_bundle": 4, "predicative": 20}
#: A run that is cut short by it has accepted little yet.
BUDGET_TOKENS = 15_000


class Project:
    """A folder with settings and builds, and the command line in it."""

    def __init__(self, folder: Path, vllm: Vllm) -> None:
        self._folder = folder
        self._vllm = vllm
        shutil.copy(HERE / "saber.toml", folder)

    def saber(self, *arguments: str, code: int = 0) -> str:
        """Run a command; returns what it printed as a result, or, where it fails, its words."""
        env = clean_environment(self._folder / "home") | {
            "SABER_ROOT": str(self._folder / "builds"),
            "SABER_DATASET__LLM__BASE_URL": self._vllm.url,
        }
        done = subprocess.run(
            (*SABER, *arguments),
            cwd=self._folder,
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stderr
        assert "Traceback" not in done.stderr
        return done.stderr.splitlines()[-1] if code else done.stdout

    def rows(self, query: str) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = json.loads(self.saber("sql", "--format", "json", query))
        return rows


class Story:
    """What two runs did: one that a budget ended, and one that went on."""

    def __init__(self, project: Project, vllm: Vllm) -> None:
        before = vllm.completed()
        self.words = project.saber("dataset", "--budget-tokens", str(BUDGET_TOKENS), code=1)
        self.built = json.loads(project.saber("dataset", "--json"))
        #: By vLLM's count; each run has made one to see whether the server can be used.
        self.requests = vllm.completed() - before - 2


@pytest.fixture(scope="module")
def project(vllm: Vllm, tmp_path_factory: pytest.TempPathFactory) -> Project:
    return Project(tmp_path_factory.mktemp("project"), vllm)


@pytest.fixture(scope="module")
def story(project: Project, vllm: Vllm) -> Story:
    return Story(project, vllm)


def test_a_budget_ends_a_run_with_a_line(story: Story) -> None:
    assert f"the budget of {BUDGET_TOKENS:,} tokens is spent" in story.words


def test_every_quota_is_reached(project: Project, story: Story) -> None:
    rows = project.rows("SELECT construction, count(*) AS n FROM examples GROUP BY ALL")
    assert {row["construction"]: row["n"] for row in rows} == QUOTAS
    assert story.built["counts"]["accepted"] == sum(QUOTAS.values()) >= 20
    for row in story.built["constructions"]:
        print({name: row[name] for name in row if name != "tokens in"})


def test_every_attempt_is_accounted_for(project: Project, story: Story) -> None:
    rows = project.rows("SELECT construction, attempt, verdict FROM attempts ORDER BY ALL")
    verdicts = Counter(row["verdict"] for row in rows)
    assert verdicts.keys() <= {"accepted", "rejected", "pending", "surplus"}
    assert verdicts["accepted"] == sum(QUOTAS.values())
    rejected = project.rows("SELECT count(*) AS n FROM rejections WHERE len(reasons) > 0")
    assert verdicts["rejected"] == rejected[0]["n"]
    for construction in QUOTAS:
        planned = [row["attempt"] for row in rows if row["construction"] == construction]
        assert planned == list(range(len(planned)))


def test_model_and_tokens_are_recorded(project: Project, story: Story) -> None:
    answered = project.rows("FROM attempts WHERE raw <> ''")
    assert {row["model"] for row in answered} == {MODEL}
    assert all(row["tokens_in"] > 0 and 0 < row["tokens_out"] <= 64 for row in answered)
    assert all(len(row["request"]) == 64 for row in answered)
    assert {row["model"] for row in project.rows("FROM examples")} == {MODEL}


def test_nothing_was_asked_twice(project: Project, story: Story) -> None:
    answered = project.rows("SELECT count(*) AS n FROM attempts WHERE raw <> ''")
    assert story.requests == answered[0]["n"]
    told = {row["what"]: row["number"] for row in story.built["usage"]}
    assert 0 < told["replies"] < story.requests
    # Those that were out when a quota was full are given up, and listed.
    given_up = project.rows("SELECT count(*) AS n FROM attempts WHERE raw = ''")
    assert 0 <= told["requests"] - told["replies"] <= given_up[0]["n"]


def test_no_row_breaks_a_rule(project: Project, story: Story) -> None:
    rules = json.loads(project.saber("validate", "--json"))["rules"]
    assert any(rule["checked"] for rule in rules)
    assert not [rule["rule"] for rule in rules if rule["failed"]]


def test_a_finished_build_asks_for_nothing(project: Project, story: Story, vllm: Vllm) -> None:
    before, rows = vllm.completed(), project.rows("FROM examples ORDER BY example_id")
    project.saber("dataset")
    project.saber("rejudge")
    project.saber("dataset")
    assert vllm.completed() == before
    assert project.rows("FROM examples ORDER BY example_id") == rows
