"""What holds for every test: nothing of the user's Prefect or settings, and temporary folders."""

import atexit
import os
import random
import shutil
import tempfile
from collections.abc import Iterator
from unittest import mock

import hypothesis
import pytest

# On a busy machine an example may take any time; that says nothing of the code.
hypothesis.settings.register_profile("project", deadline=None)
hypothesis.settings.load_profile("project")

# Before Prefect is imported: it reads these once.
for _name in [name for name in os.environ if name.startswith(("SABER_", "PREFECT_"))]:
    del os.environ[_name]
_home = tempfile.mkdtemp(prefix="saber-tests-")
atexit.register(shutil.rmtree, _home, ignore_errors=True)
os.environ["PREFECT_HOME"] = _home


@pytest.fixture(scope="session")
def prefect_server() -> Iterator[None]:
    """A Prefect server of the tests' own for flows that run in this process."""
    # First, since it says how Prefect is to be loaded.
    import flows.orchestration  # noqa: F401, I001
    from prefect.testing.utilities import prefect_test_harness
    from websockets.asyncio import connection

    # Its keepalive draws a number every 20 seconds, in a thread: from the numbers that all share,
    # Hypothesis would take it for a strategy's.
    with (
        mock.patch.object(connection, "random", random.Random()),
        prefect_test_harness(server_startup_timeout=120),
    ):
        yield
