"""Rules on the words of a scene, whatever the question. Knows nothing of captions."""

from itertools import combinations

from artifacts.reports import RuleReport, judge
from validators.benchmark.tables import Benchmark, Scene


def n_distinct_words_in_every_scene(benchmark: Benchmark) -> RuleReport:
    """Each scene has N bindings, of N distinct objects and N distinct attributes."""

    def check(slot: tuple[int, Scene]) -> str | None:
        n, scene = slot
        objects, attributes = len(set(scene.objects)), len(set(scene.attributes))
        if len(scene.bindings) == objects == attributes == n:
            return None
        return (
            f"{scene.scene_id}: expected {n} bindings, found {len(scene.bindings)} of {objects} "
            f"objects and {attributes} attributes"
        )

    slots = ((question.n, scene) for question in benchmark.questions for scene in question.scenes)
    return judge("n_distinct_words_in_every_scene", slots, check)


def no_confusable_objects_in_a_scene(benchmark: Benchmark) -> RuleReport:
    """No two objects of a scene look alike once recolored."""
    confusable = benchmark.expected.vocabulary.confusable
    look_alikes = {
        frozenset((name, other)) for name, others in confusable.items() for other in others
    }

    def check(scene: Scene) -> str | None:
        pairs = map(frozenset, combinations(scene.objects, 2))
        clash = next((pair for pair in pairs if pair in look_alikes), None)
        return f"{scene.scene_id}: {' and '.join(sorted(clash))}" if clash else None

    return judge("no_confusable_objects_in_a_scene", benchmark.scenes, check)


def words_come_from_the_vocabulary(benchmark: Benchmark) -> RuleReport:
    """Each object and each attribute is a word of the vocabulary."""
    vocabulary = benchmark.expected.vocabulary
    objects = set(vocabulary.objects)
    attributes = {attribute.name for attribute in vocabulary.attributes}

    def check(scene: Scene) -> str | None:
        unknown = [*(set(scene.attributes) - attributes), *(set(scene.objects) - objects)]
        return f"{scene.scene_id}: unknown {', '.join(sorted(unknown))}" if unknown else None

    return judge("words_come_from_the_vocabulary", benchmark.scenes, check)
