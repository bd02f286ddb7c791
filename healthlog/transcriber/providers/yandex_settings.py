"""What the owner says of Yandex SpeechKit."""

from __future__ import annotations

from dataclasses import dataclass, field

NAME = "yandex"
RECOGNISER = "https://stt.api.cloud.yandex.net"
OPERATIONS = "https://operation.api.cloud.yandex.net"
USUAL_MODEL = "general"
DEFERRED = "deferred-"
"""Models of this beginning are cheaper, and take up to a day."""


@dataclass(frozen=True, slots=True)
class Yandex:
    """`key` of a service account with the role `ai.speechkit-stt.user`; `folder` where the account
    may use several."""

    key: str = field(default="", repr=False)
    folder: str = ""
    model: str = USUAL_MODEL
    url: str = RECOGNISER
    operations_url: str = OPERATIONS

    @property
    def set_up(self) -> bool:
        """Whether it can be called at all."""
        return bool(self.key)
