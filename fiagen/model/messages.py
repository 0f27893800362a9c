"""What the tool itself may say, by id.

In: validated YAML of specs/messages.yaml. Out: frozen values. Must never hold an operator's rule.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from fiagen.model.base import Spec, Text

MessageId = Annotated[str, Field(pattern=r"^[a-z]+\.[a-z][a-z0-9_]*$")]


class Message(Spec):
    """One kind of message: what was found, and the way out."""

    id: MessageId
    means: Text
    fix: Text


class MessagesSpec(Spec):
    kind: Literal["messages"]
    messages: tuple[Message, ...]
