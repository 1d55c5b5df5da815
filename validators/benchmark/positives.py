"""The positives of every query in the gallery of all candidates, found from the bindings in SQL.

A gallery scene is a positive when it holds every binding of the query. Then it holds the first of
them, too: scenes are joined on that one, and the few that meet are compared as a whole. So the
work follows the matches, never the product of queries and scenes.
"""

from collections import defaultdict
from collections.abc import Mapping

import duckdb

# A binding is joined as one text, which DuckDB compares faster than a struct. The separator isn't
# printable, so no name holds it.
_POSITIVES = """
WITH said AS (
    SELECT scene_id, [pair.attribute || chr(31) || pair.object FOR pair IN bindings] AS pairs
    FROM scenes
), asked AS (
    SELECT question_id, pairs FROM questions JOIN said ON scene_id = query_scene_id
), held AS (
    SELECT scene_id, pairs, unnest(pairs) AS pair FROM candidates JOIN said USING (scene_id)
)
SELECT question_id, scene_id FROM asked JOIN held ON held.pair = asked.pairs[1]
WHERE list_has_all(held.pairs, asked.pairs)
"""


def find_positives(connection: duckdb.DuckDBPyConnection) -> Mapping[str, frozenset[str]]:
    """Return the scenes that hold each question's query; a question without any is left out."""
    positives: dict[str, set[str]] = defaultdict(set)
    for question_id, scene_id in connection.execute(_POSITIVES).fetchall():
        positives[question_id].add(scene_id)
    return {question_id: frozenset(scenes) for question_id, scenes in positives.items()}
