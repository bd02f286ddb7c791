"""How long tests wait for what is sure to come."""

from __future__ import annotations

PATIENCE_S = 120.0
"""Nothing is told by it: it only ends a test that would wait for ever, on the slowest machine."""
