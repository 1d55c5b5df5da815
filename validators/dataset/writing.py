"""Rules on the captions as texts: articles, full stops, spaces, and where they come from.

A rule returns what is wrong with an example, or None.
"""

import re

from artifacts.articles import indefinite
from artifacts.words import words_of
from validators.dataset.case import Case, draft_text, one_article
from validators.dataset.layout import Layout, article_of

#: The end of a sentence, perhaps of a quoted one, perhaps with hashtags after it.
_STOP = re.compile(r"[.!?…][\"'”’»)\]*]*(?: #\w+)*\Z")
#: The writer whose every text is our own doing. Of a model's drafts the paper asks neither for a
#: full stop nor for single spaces (section B.4), and what it doesn't ask for rejects none.
_OWN_WRITER = "embedded"


def articles_fit_core_words(case: Case) -> str | None:
    """An "a" or "an" right before a core word fits its sound, in every caption."""
    wrong = [error for caption in case.captions for error in _article_errors(caption)]
    return ", ".join(wrong) or None


def captions_end_with_a_stop(case: Case) -> str | None:
    """The embedded writer's captions end as sentences do."""
    for caption in case.captions if case.row.writer == _OWN_WRITER else ():
        if not _STOP.search(caption.text):
            return f"{caption.name} ends in {caption.text[-20:]!r}"
    return None


def captions_have_single_spaces(case: Case) -> str | None:
    """The embedded writer's captions have no double space and none at their ends."""
    for caption in case.captions if case.row.writer == _OWN_WRITER else ():
        if " ".join(caption.text.split()) != caption.text:
            return f"{caption.name} has stray space: {caption.text!r}"
    return None


def captions_come_from_their_draft(case: Case) -> str | None:
    """The positive has the words of its attempt's draft; in their order if not counterbalanced."""
    if case.row.raw is None:
        return None
    text = draft_text(case.row)
    if text is None:
        return "its draft is no JSON object with a positive"
    drafted = one_article([word.casefold() for word in words_of(text)])
    stored = one_article(case.positive.words)
    if not case.row.counterbalanced and drafted != stored:
        return f"the positive isn't the draft {text!r}"
    return None if sorted(drafted) == sorted(stored) else f"other words than the draft {text!r}"


def _article_errors(caption: Layout) -> list[str]:
    # In a caption all in capitals, capitals don't make an initialism of a word.
    shouted = caption.text.isupper()
    errors = []
    for place in caption.places:
        article = article_of(caption, place)
        if article is None:
            continue
        found = caption.text[slice(*article)]
        following = caption.text[slice(*caption.spans[place.first])]
        if found.casefold() != indefinite(following.lower() if shouted else following):
            errors.append(f"{found} {following} in {caption.name}")
    return errors
