"""Where and how networks run, as one value."""

from __future__ import annotations

from dataclasses import dataclass

from answersim._base import arguments
from answersim._base.errors import unknown

NAMES = ("auto", "cpu", "cuda", "mps", "xpu")
PRECISIONS = ("fp32", "bf16", "fp16")
_BATCH_TOKENS = 8192


@dataclass(frozen=True)
class Device:
    """Where a network runs, in which precision, and how much of it at a time.

    Attributes:
        name: "auto" (a GPU if there is one), "cpu", "cuda", "mps" or "xpu"; "cuda:1" is the second one. It is not
            signed.
        precision: "fp32", "bf16" or "fp16". It changes digits, so it is signed.
        batch_tokens: The maximum number of tokens that go through the network at a time. On a CPU, it is lowered if
            the widest layer would not fit in the cache (2,115 for all-MiniLM-L6-v2 in fp32). It is not signed.

    Raises:
        LookupError: If no device or precision has this name.
        TypeError, ValueError: If the number of tokens is not a whole number from 1.

    >>> str(Device("cuda", "bf16"))
    'cuda,bf16'
    """

    name: str = "auto"
    precision: str = "fp32"
    batch_tokens: int = _BATCH_TOKENS

    def __post_init__(self) -> None:
        """Check the three values. Whether this machine has the device is checked where a network is built."""
        if arguments.text("device", self.name, "cpu").partition(":")[0] not in NAMES:
            raise LookupError(
                f"no device is called {self.name!r}; choose one of: {', '.join(NAMES)} (auto is a GPU if there is "
                f"one); a precision is one of: {', '.join(PRECISIONS)}"
            )
        if arguments.text("precision", self.precision, "fp32") not in PRECISIONS:
            raise unknown("precision", self.precision, PRECISIONS)
        object.__setattr__(self, "batch_tokens", arguments.whole("batch_tokens", self.batch_tokens, 1))

    @classmethod
    def of(cls, value: str | Device) -> Device:
        """Return the device that this text means: a name, a precision and a number of tokens, each optional.

        Raise ValueError if one of them is there twice, and what the class raises.

        >>> Device.of("cuda,bf16,4096")
        Device(name='cuda', precision='bf16', batch_tokens=4096)
        >>> Device.of("bf16").name
        'auto'
        """
        if isinstance(value, Device):
            return value
        words = [word.strip() for word in arguments.text("device", value, "cpu").split(",")]
        settings: dict[str, str] = {}
        for word in words:
            kind = "batch_tokens" if word.isdecimal() else "precision" if word in PRECISIONS else "name"
            if kind in settings:
                raise ValueError(
                    f"device is {value!r}, but it has one name ({', '.join(NAMES)}), one precision "
                    f"({', '.join(PRECISIONS)}) and one number of tokens per batch, such as 'cuda,bf16,8192'"
                )
            settings[kind] = word
        tokens = int(settings.pop("batch_tokens", _BATCH_TOKENS))
        return cls(**settings, batch_tokens=tokens)

    def __str__(self) -> str:
        """Return the text that ``of`` reads, without what has its default."""
        words = [self.name] if self.name != "auto" or self == Device() else []
        words += [self.precision] if self.precision != "fp32" else []
        words += [str(self.batch_tokens)] if self.batch_tokens != _BATCH_TOKENS else []
        return ",".join(words)
