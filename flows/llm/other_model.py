"""Whether the server's model is still the one that wrote what a build holds.

A server may load other weights under the same name. The build goes on then, since what is accepted
was judged by rules and not by who wrote it; but nobody should have to find out by chance. Knows
what manifests record of a server; asks none.
"""

from collections.abc import Sequence

from artifacts.manifest import read_manifest
from flows.logs import log_event
from flows.progress import Progress
from flows.stages.shard_files import SERVED
from flows.stages.stream_run import StreamJob


def tell_other_model(
    jobs: Sequence[StreamJob], served: str, progress: Progress
) -> tuple[str, str] | None:
    """Return what the server said of the model before and says now; None where that is the same.

    Shows it, and logs how many constructions it concerns.
    """
    before = {job.construction: _served_before(job) for job in jobs if job.quota}
    others = {name: told for name, told in before.items() if told not in (None, served)}
    if not others:
        return None
    told = " and ".join(sorted({told or "nothing" for told in others.values()}))
    now = served or "nothing"
    log_event("the server's model has changed", jobs[0].build.name, constructions=len(others))
    progress.step(
        f"the server's model has changed: it said {told} of it, and says {now} now. Examples stay "
        "as they are; drafts without a verdict are asked for again"
    )
    return told, now


def _served_before(job: StreamJob) -> str | None:
    path = job.build.stream(job.construction)
    return read_manifest(path).versions.get(SERVED) if path.exists() else None
