"""A device that every machine has: tensors that report the device "meta", whose numbers are computed on the CPU.

As on a GPU, a tensor on the device and one on the CPU do not go into one operation, numpy reads only what was moved to
the CPU, and what is made without ``device=`` is on the CPU. So a test on it finds a wrong placement without a GPU, and
the numbers are those of the CPU.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any
from unittest.mock import patch

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_map

DEVICE = torch.device("meta")
_MOVES = {torch.ops.aten._to_copy.default, torch.ops.aten.copy_.default}
_PACKING = {  # lengths are on the CPU for every device
    torch.ops.aten._pack_padded_sequence.default,
    torch.ops.aten._pack_padded_sequence_backward.default,
    torch.ops.aten._pad_packed_sequence.default,
}
_INDEXING = {torch.ops.aten.index.Tensor, torch.ops.aten.index_put_.default, torch.ops.aten.index_put.default}


class OnDevice(torch.Tensor):
    """A tensor on the device, around one on the CPU."""

    inner: torch.Tensor

    @staticmethod
    def __new__(cls, inner: torch.Tensor) -> OnDevice:
        return torch.Tensor._make_wrapper_subclass(  # type: ignore[attr-defined]
            cls,
            inner.size(),
            strides=inner.stride(),
            storage_offset=inner.storage_offset(),
            dtype=inner.dtype,
            device=DEVICE,
        )

    def __init__(self, inner: torch.Tensor) -> None:
        self.inner = inner

    def __repr__(self, **_: Any) -> str:  # type: ignore[override]
        return f"OnDevice({self.inner!r})"

    def tolist(self) -> Any:
        """Return the numbers, as on any device."""
        return self.inner.tolist()

    def data_ptr(self) -> int:
        """Return the address of the numbers."""
        return self.inner.data_ptr()

    @classmethod
    def __torch_dispatch__(  # type: ignore[override]
        cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        return _computed(func, args, kwargs or {})


class _Mode(TorchDispatchMode):
    """Whatever is made on the device is an ``OnDevice``, also if no argument is a tensor."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return _computed(func, args, kwargs or {})


def _computed(func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    tensors = [leaf for leaf in tree_flatten((args, kwargs))[0] if isinstance(leaf, torch.Tensor)]
    device = kwargs.get("device")
    is_here = any(isinstance(tensor, OnDevice) for tensor in tensors)
    if not is_here and device != DEVICE:
        return func(*args, **kwargs)
    if func is torch.ops.aten._fused_sdp_choice.default:
        return 0  # the plain way: the fused ones are of real devices
    if func is torch.ops.aten._local_scalar_dense.default:
        return args[0].inner.item()
    if is_here and func not in _MOVES | _PACKING:
        _check(func, args, tensors)
    outer = {id(tensor.inner): tensor for tensor in tensors if isinstance(tensor, OnDevice)}
    plain_args, plain_kwargs = tree_map(lambda leaf: leaf.inner if isinstance(leaf, OnDevice) else leaf, (args, kwargs))
    if device == DEVICE:
        plain_kwargs["device"] = torch.device("cpu")
    result = func(*plain_args, **plain_kwargs)
    if device is not None and device != DEVICE:
        return result  # moved to the CPU
    if func is torch.ops.aten._pack_padded_sequence.default:
        return OnDevice(result[0]), result[1]
    if func is torch.ops.aten.copy_.default and not isinstance(args[0], OnDevice):
        return args[0]
    return tree_map(
        lambda leaf: outer.get(id(leaf), OnDevice(leaf)) if isinstance(leaf, torch.Tensor) else leaf, result
    )


def _check(func: Any, args: Any, tensors: list[torch.Tensor]) -> None:
    """Refuse what a GPU refuses: a tensor of the CPU beside one of the device, if it is no single number."""
    if func in _INDEXING and isinstance(args[0], OnDevice):
        tensors = [leaf for leaf in tree_flatten((args[0], args[2:]))[0] if isinstance(leaf, torch.Tensor)]
    if elsewhere := [tensor for tensor in tensors if not isinstance(tensor, OnDevice) and tensor.dim()]:
        shape = tuple(elsewhere[0].shape)
        raise RuntimeError(f"{func} got a tensor of shape {shape} on the CPU beside one on {DEVICE}")


@contextmanager
def pretend_device() -> Iterator[torch.device]:
    """Yield the device; inside the block it computes."""
    tensor = torch.tensor

    def on_device(data: Any, *, device: Any = None, **how: Any) -> torch.Tensor:
        built = tensor(data, **how)
        return built if device is None else built.to(device)

    # No autocast is made for this device, tensors around others cannot be those of inference mode, and ``torch.tensor``
    # fills its tensor where no mode sees it.
    with (
        _Mode(),
        patch.object(torch, "tensor", on_device),
        patch.object(torch, "autocast", lambda *args, **kwargs: nullcontext()),
        patch.object(torch, "inference_mode", torch.no_grad),
    ):
        yield DEVICE
