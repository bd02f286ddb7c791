"""Marks for tests that need a program of the system."""

from __future__ import annotations

import shutil

import pytest


def needs(*programs: str) -> pytest.MarkDecorator:
    """Skip, saying why, where one of them is absent."""
    absent = [program for program in programs if shutil.which(program) is None]
    return pytest.mark.skipif(bool(absent), reason=f"not installed: {', '.join(absent)}")


needs_ffmpeg = needs("ffmpeg", "ffprobe")
needs_speech = needs("ffmpeg", "ffprobe", "flite", "pocketsphinx_continuous")
