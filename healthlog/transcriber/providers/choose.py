"""The recognisers that are set up: the one place that knows which there are."""

from __future__ import annotations

from healthlog.base.clock import Clock
from healthlog.transcriber.ffmpeg import Ffmpeg
from healthlog.transcriber.places import Places
from healthlog.transcriber.providers import command, openai_settings, yandex_settings
from healthlog.transcriber.providers.base import Provider
from healthlog.transcriber.providers.command import CommandProvider
from healthlog.transcriber.providers.packed import Packer
from healthlog.transcriber.settings import Settings

PROVIDERS = (command.NAME, openai_settings.NAME, yandex_settings.NAME)
"""What `recordings_provider` may be."""

_PACK_S = 300.0
"""Four hours of speech take a minute or two, so this is for a slow machine; it is part of the time
that a claim lasts."""


def providers(settings: Settings, *, places: Places, clock: Clock) -> dict[str, Provider]:
    """By name; also those that aren't chosen, as long as they are set up: operations that were
    begun with one before are carried to their end."""
    language = settings.language or None
    packer = Packer(places, Ffmpeg(_PACK_S))
    made: list[Provider] = [
        CommandProvider(settings.command, places=places, language=language, clock=clock)
    ]
    if settings.openai.set_up or settings.provider == openai_settings.NAME:
        # What they need takes long to load, and not everybody has set them up.
        from healthlog.transcriber.providers.openai import OpenAiProvider  # noqa: PLC0415

        made.append(
            OpenAiProvider(
                settings.openai, places=places, packer=packer, language=language, clock=clock
            )
        )
    if settings.yandex.set_up or settings.provider == yandex_settings.NAME:
        from healthlog.transcriber.providers.yandex import YandexProvider  # noqa: PLC0415

        made.append(YandexProvider(settings.yandex, packer=packer, language=language, clock=clock))
    return {provider.name: provider for provider in made}
