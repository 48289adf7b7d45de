"""All hosts: no telemetry, no network, no files outside the folder of the test."""

import os
import socket
from pathlib import Path
from typing import Any

import pytest

SWITCHES = {
    "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
    "DEEPEVAL_NO_INSPECT_PROMPT": "1",
    "DO_NOT_TRACK": "true",
    "HAYSTACK_TELEMETRY_ENABLED": "false",
    "HF_DATASETS_OFFLINE": "1",
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "LANGFUSE_TRACING_ENABLED": "false",
    "LANGSMITH_TRACING": "false",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "RAGAS_DO_NOT_TRACK": "true",
    "WANDB_MODE": "disabled",
}
# Hosts read them when they are imported, which is before any fixture.
os.environ.update({name: value for name, value in SWITCHES.items() if name not in os.environ})


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Refuse connections to other machines, and work in the folder of the test."""
    connect = socket.socket.connect

    def local(self: socket.socket, address: Any) -> None:
        if self.family != getattr(socket, "AF_UNIX", None) and address[0] not in ("127.0.0.1", "::1", "localhost"):
            raise OSError(f"a host connects to {address} although the test is offline")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", local)
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session")
def mlflow_store(tmp_path_factory: pytest.TempPathFactory) -> None:
    """One store for all tests, because mlflow takes seconds to make one."""
    mlflow = pytest.importorskip("mlflow", reason="needs mlflow")
    folder = tmp_path_factory.mktemp("mlflow")
    mlflow.set_tracking_uri(f"sqlite:///{folder}/mlflow.db")
    mlflow.set_experiment(experiment_id=mlflow.create_experiment("hosts", artifact_location=folder.as_uri()))
