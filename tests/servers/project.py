"""A folder with settings, and the command line in it, asking a real model's server.

Knows the commands and what they print; not which server answers.
"""

import json
import shutil
import subprocess
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.servers.running import SABER, clean_environment


class Project:
    """A folder with settings and builds, and the command line in it."""

    def __init__(self, folder: Path, settings: Path, url: str) -> None:
        self._folder = folder
        self._url = url
        shutil.copy(settings, folder)

    def saber(self, *arguments: str, code: int = 0) -> str:
        """Run a command; returns what it printed as a result, or, where it fails, its words."""
        env = clean_environment(self._folder / "home") | {
            "SABER_ROOT": str(self._folder / "builds"),
            "SABER_DATASET__LLM__BASE_URL": self._url,
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

    def count(self, source: str) -> int:
        return int(self.rows(f"SELECT count(*) AS n FROM {source}")[0]["n"])

    def require_quotas(self, quotas: Mapping[str, int]) -> None:
        """Every construction has as many examples as it was to have."""
        rows = self.rows("SELECT construction, count(*) AS n FROM examples GROUP BY ALL")
        assert {row["construction"]: row["n"] for row in rows} == quotas

    def require_account(self, quotas: Mapping[str, int]) -> None:
        """Every attempt has a verdict, every rejection a reason, and no number is left out."""
        rows = self.rows("SELECT construction, attempt, verdict FROM attempts ORDER BY ALL")
        verdicts = Counter(row["verdict"] for row in rows)
        assert verdicts.keys() <= {"accepted", "rejected", "pending", "surplus"}
        assert verdicts["accepted"] == sum(quotas.values())
        assert verdicts["rejected"] == self.count("rejections WHERE len(reasons) > 0")
        for construction in quotas:
            planned = [row["attempt"] for row in rows if row["construction"] == construction]
            assert planned == list(range(len(planned)))

    def require_valid(self) -> None:
        """No row breaks a rule."""
        rules = json.loads(self.saber("validate", "--json"))["rules"]
        assert any(rule["checked"] for rule in rules)
        assert not [rule["rule"] for rule in rules if rule["failed"]]
