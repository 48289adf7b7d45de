"""From the name of a device to the device itself, checked before any work."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

AUTO = "auto"


def resolve(name: str | None = None) -> torch.device:
    """Return the device of this name: "cpu", "cuda:1", "mps" ...; None or "auto" is the first GPU, else the CPU.

    >>> resolve("cpu").type
    'cpu'
    """
    import torch

    if name is not None and not isinstance(name, str):
        raise TypeError(f"device is {name!r:.60}, but it must be a name, such as 'cpu' or 'cuda'")
    if name is None or name == AUTO:
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
    except RuntimeError:
        raise ValueError(f"device is {name!r}, but PyTorch has no such device; give 'cpu', 'cuda' or 'auto'") from None
    if device.type == "cpu":
        return device
    module = getattr(torch, device.type, None)
    is_there = callable(getattr(module, "is_available", None)) and module.is_available()  # type: ignore[union-attr]
    there = int(module.device_count()) if is_there else 0  # type: ignore[union-attr]
    if not there or (device.index or 0) >= there:
        found = f"{there} of its kind" if there else "none of its kind"
        raise ValueError(
            f"device is {name!r}, but PyTorch {torch.__version__} finds {found} here; give device='cpu' or 'auto', or "
            "install a build of PyTorch for this device"
        )
    return device
