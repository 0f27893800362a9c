"""Loads what the tool itself may say.

In: specs/messages.yaml. Out: messages by id. Must never word one itself.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from fiagen import paths
from fiagen.load.validate import validate
from fiagen.load.yaml_loader import load_yaml
from fiagen.model.messages import Message, MessagesSpec


@lru_cache(maxsize=4)
def load_messages(specs: Path = paths.SPECS) -> dict[str, Message]:
    """Every message by id."""
    return {message.id: message for message in validate(load_yaml(specs / "messages.yaml"), MessagesSpec).messages}
