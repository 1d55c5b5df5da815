"""A dataset from a real model behind llama.cpp, begun, cut short and finished.

What is asserted is the plumbing: nothing is lost, asked twice or unaccounted for. How good the
texts of so small a model are is not.
"""

import json

import pytest

from tests.real_llama_cpp.serving import HERE, MODEL, LlamaCpp
from tests.servers.project import Project

QUOTAS = {"predicative": 5}
#: A run that is cut short by it has accepted little yet.
BUDGET_TOKENS = 3_000
UNSPENT = str(10**9)


class Story:
    """What two runs did: one that a budget ended, and one that went on."""

    def __init__(self, project: Project, llama: LlamaCpp) -> None:
        before = llama.completed()
        self.words = project.saber("dataset", "--budget-tokens", str(BUDGET_TOKENS), code=1)
        # With a budget nothing is asked twice for being late.
        self.built = json.loads(project.saber("dataset", "--budget-tokens", UNSPENT, "--json"))
        #: Each run has made one to see whether the server can be used.
        self.requests = llama.completed() - before - 2


@pytest.fixture(scope="module")
def project(llama: LlamaCpp, tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("project")
    return Project(folder, HERE / "saber.toml", llama.url)


@pytest.fixture(scope="module")
def story(project: Project, llama: LlamaCpp) -> Story:
    return Story(project, llama)


def test_a_budget_ends_a_run_with_a_line(story: Story) -> None:
    assert f"the budget of {BUDGET_TOKENS:,} tokens is spent" in story.words


def test_every_quota_is_reached(project: Project, story: Story) -> None:
    project.require_quotas(QUOTAS)
    assert story.built["counts"]["accepted"] == sum(QUOTAS.values()) >= 5
    for row in story.built["constructions"]:
        print({name: row[name] for name in row if name != "tokens in"})


def test_every_attempt_is_accounted_for(project: Project, story: Story) -> None:
    project.require_account(QUOTAS)


def test_the_schema_was_kept_to_in_every_whole_reply(project: Project, story: Story) -> None:
    replies = project.rows("FROM attempts WHERE raw <> ''")
    assert {row["model"] for row in replies} == {MODEL}
    assert all(row["tokens_in"] > 0 and 0 < row["tokens_out"] <= 64 for row in replies)
    whole = [json.loads(row["raw"]) for row in replies if row["tokens_out"] < 64]
    assert whole
    assert all(reply.keys() == {"positive"} for reply in whole)


def test_nothing_was_asked_twice(project: Project, story: Story) -> None:
    answered = project.count("attempts WHERE raw <> ''")
    given_up = project.count("attempts WHERE raw = ''")
    assert answered <= story.requests <= answered + given_up


def test_no_row_breaks_a_rule(project: Project, story: Story) -> None:
    project.require_valid()


def test_a_finished_build_asks_for_nothing(project: Project, story: Story, llama: LlamaCpp) -> None:
    before = llama.completed()
    project.saber("dataset")
    assert llama.completed() == before
