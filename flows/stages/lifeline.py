"""Worker processes end with the run that started them, however that one ended.

Light to import: worker modules do.
"""

import multiprocessing
import os
import threading


def die_with_parent() -> None:
    """Make this process end when the one that started it is gone: nobody else would end it.

    It would go on writing the files of a run that was killed while the next run writes them too.
    """
    threading.Thread(target=_wait_for_parent, daemon=True).start()


def _wait_for_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
    os._exit(1)
