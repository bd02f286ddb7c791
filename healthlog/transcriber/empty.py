"""The answer that there is no work: known by what it means, whatever was said about it on the way.

`claims.claim` is the only place that makes a `NoWork`. Whoever hands it on may add words, by
`remarked` or by `add_note`. An error that merely has it among its causes is an error.
"""

from __future__ import annotations


class NoWork(Exception):
    """No recording is fit for work now, at no stage."""


class Remarked(Exception):
    """The same answer with words of a layer that it passed through."""

    def __init__(self, words: str, about: NoWork | Remarked) -> None:
        super().__init__(words)
        self.about = about


def remarked(error: NoWork | Remarked, words: str) -> Remarked:
    """The answer with these words added, to be raised in its place."""
    return Remarked(words, error)


def is_empty(error: BaseException) -> bool:
    """Whether this is the answer that there is no work. Causes and contexts don't count: a step
    that fails over such an answer has failed."""
    while isinstance(error, Remarked):
        error = error.about
    return isinstance(error, NoWork)
