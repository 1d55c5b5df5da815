"""A dataset from a real model, from an interrupted build to a re-judged one.

What is asserted is the plumbing: nothing is lost, asked twice or unaccounted for. How good the
texts of so small a model are is not.
"""

import json

import pytest

from tests.real_vllm.serving import HERE, MODEL, Vllm
from tests.servers.project import Project

QUOTAS = {"attr_bundle": 4, "predicative": 20}
#: A run that is cut short by it has accepted little yet.
BUDGET_TOKENS = 15_000
UNSPENT = str(10**9)


class Story:
    """What two runs did: one that a budget ended, and one that went on."""

    def __init__(self, project: Project, vllm: Vllm) -> None:
        before = vllm.completed()
        self.words = project.saber("dataset", "--budget-tokens", str(BUDGET_TOKENS), code=1)
        # With a budget nothing is asked twice for being late.
        self.built = json.loads(project.saber("dataset", "--budget-tokens", UNSPENT, "--json"))
        #: By vLLM's count; each run has made one to see whether the server can be used.
        self.requests = vllm.completed() - before - 2


@pytest.fixture(scope="module")
def project(vllm: Vllm, tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("project")
    return Project(folder, HERE / "saber.toml", vllm.url)


@pytest.fixture(scope="module")
def story(project: Project, vllm: Vllm) -> Story:
    return Story(project, vllm)


def test_a_budget_ends_a_run_with_a_line(story: Story) -> None:
    assert f"the budget of {BUDGET_TOKENS:,} tokens is spent" in story.words


def test_every_quota_is_reached(project: Project, story: Story) -> None:
    project.require_quotas(QUOTAS)
    assert story.built["counts"]["accepted"] == sum(QUOTAS.values()) >= 20
    for row in story.built["constructions"]:
        print({name: row[name] for name in row if name != "tokens in"})


def test_every_attempt_is_accounted_for(project: Project, story: Story) -> None:
    project.require_account(QUOTAS)


def test_model_and_tokens_are_recorded(project: Project, story: Story) -> None:
    answered = project.rows("FROM attempts WHERE raw <> ''")
    assert {row["model"] for row in answered} == {MODEL}
    assert all(row["tokens_in"] > 0 and 0 < row["tokens_out"] <= 64 for row in answered)
    assert all(len(row["request"]) == 64 for row in answered)
    assert {row["model"] for row in project.rows("FROM examples")} == {MODEL}


def test_nothing_was_asked_twice(project: Project, story: Story) -> None:
    assert story.requests == project.count("attempts WHERE raw <> ''")
    told = {row["what"]: row["number"] for row in story.built["usage"]}
    assert 0 < told["replies"] < story.requests
    # Those that were out when a quota was full are given up, and listed.
    given_up = project.count("attempts WHERE raw = ''")
    assert 0 <= told["requests"] - told["replies"] <= given_up


def test_no_row_breaks_a_rule(project: Project, story: Story) -> None:
    project.require_valid()


def test_a_finished_build_asks_for_nothing(project: Project, story: Story, vllm: Vllm) -> None:
    before, rows = vllm.completed(), project.rows("FROM examples ORDER BY example_id")
    project.saber("dataset")
    project.saber("rejudge")
    project.saber("dataset")
    assert vllm.completed() == before
    assert project.rows("FROM examples ORDER BY example_id") == rows
