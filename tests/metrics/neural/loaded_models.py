"""Pairs and the file of weights of an adapter."""

from answersim.types import Pair

PAIRS = [Pair("National Football League", "the NFL"), Pair("eleven", "11"), Pair("cortex", "Old John Merchant")]
WEIGHTS = "adapter_model.safetensors"
