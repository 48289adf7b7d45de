"""Texts as they are read: tokens, the language, the scripts, and markup."""

from typing import TYPE_CHECKING

from answersim._base.runtime.lazy import submodules

if TYPE_CHECKING:
    from answersim.answers.text import languages, markup, scripts, tokens

__all__ = ["languages", "markup", "scripts", "tokens"]

if not TYPE_CHECKING:
    __getattr__ = submodules(__name__, __all__)
