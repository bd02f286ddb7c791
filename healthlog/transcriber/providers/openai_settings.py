"""What the owner says of a recogniser that speaks OpenAI's HTTP."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit

NAME = "openai"
THE_SERVICE = "https://api.openai.com"
USUAL_MODEL = "whisper-1"
AUTO = "auto"


@dataclass(frozen=True, slots=True)
class OpenAi:
    """`url` of the server, with or without a path; `form` in which audio is sent; `timeout_s` is
    the least time for an answer, three times the recording's length where that is more; so many
    calls in `parallel`."""

    url: str = THE_SERVICE
    key: str = field(default="", repr=False)
    model: str = USUAL_MODEL
    form: str = AUTO
    timeout_s: float = 600.0
    parallel: int = 1

    @property
    def is_the_service(self) -> bool:
        """Whether it is OpenAI's own."""
        return urlsplit(self.url).hostname == urlsplit(THE_SERVICE).hostname

    @property
    def set_up(self) -> bool:
        """Whether it can be called at all."""
        return bool(self.key) or not self.is_the_service
