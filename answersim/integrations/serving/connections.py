"""Connections of the service with a time limit, and a server that loses no request when it ends. It needs uvicorn."""

from __future__ import annotations

import asyncio
import ctypes
import socket
import struct
import sys
from collections.abc import Iterator
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

_LINGER = 2.0  # seconds in which the rest of a refused body is read and forgotten, so that its client gets the reason
_TAKE = 0.1  # seconds in which the connections that the kernel has accepted become connections of the server
_DRAIN = 0.5  # seconds after the signal in which a connection without a request may still send one
_ATTACH_FILTER = 26  # SO_ATTACH_FILTER of Linux
_LATE = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class Connection(H11Protocol):  # type: ignore[misc] # mypy skips uvicorn
    """A connection whose client has to send the head of each request in time. The application watches the body."""

    sending = 30.0  # seconds
    _clock: asyncio.TimerHandle | None = None
    _is_ending = False

    def connection_made(self, transport: Any) -> None:
        """Wait for the first request."""
        super().connection_made(transport)
        self._set_clock(self.sending, self._late)

    def data_received(self, data: bytes) -> None:
        """Read what the client sends. The clock runs until the head of a request is complete."""
        super().data_received(data)
        self._set_last()
        if self.conn.their_state is not h11.IDLE:
            if self.cycle is None or not self.cycle.response_complete:
                self._stop_clock()
        elif self._clock is None:
            self._set_clock(self.sending, self._late)

    def on_response_complete(self) -> None:
        """After a response, read the rest of a body that was refused for a short time only."""
        is_sending = self.conn.their_state is h11.SEND_BODY
        super().on_response_complete()
        self._set_last()
        if is_sending:
            self._set_clock(_LINGER, self._close)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._stop_clock()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        """Answer the request that is being read or scored, or that was sent before the signal; then close."""
        self._is_ending = True
        if self.cycle is None or self.cycle.response_complete:
            self.loop.call_later(_DRAIN, self._end)
        else:
            self.cycle.keep_alive = False

    def _set_last(self) -> None:
        """After the signal, close the connection when the present request is answered."""
        if self._is_ending and self.cycle is not None:
            self.cycle.keep_alive = False

    def _end(self) -> None:
        is_idle = self.cycle is None or self.cycle.response_complete
        if is_idle and self.conn.their_state is h11.IDLE and not self.conn.trailing_data[0]:
            self._close()

    def _late(self) -> None:
        if not self.transport.is_closing():
            self.transport.write(_LATE)
            self._close()

    def _close(self) -> None:
        self._clock = None
        if not self.transport.is_closing():
            self.transport.close()

    def _set_clock(self, seconds: float, ends: Any) -> None:
        self._stop_clock()
        self._clock = self.loop.call_later(seconds, ends)

    def _stop_clock(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None


class Server(uvicorn.Server):  # type: ignore[misc]
    """A server that, before it stops to listen, takes the connections that the kernel has accepted."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take these connections, answer their requests, and end."""
        loop = asyncio.get_running_loop()

        def connection() -> Any:
            kind: Any = self.config.http_protocol_class
            return kind(config=self.config, server_state=self.server_state, app_state=self.lifespan.state)

        for listening in sockets or []:
            _refuse_new(listening)
        await asyncio.sleep(_TAKE)  # asyncio may have taken some, which are no connections yet
        for listening in sockets or []:
            for accepted in _accepted(listening):
                await loop.connect_accepted_socket(connection, accepted)
        await super().shutdown(sockets)


def _accepted(listening: socket.socket) -> Iterator[socket.socket]:
    """Yield the connections that the kernel has accepted and nobody has taken."""
    while True:
        try:
            accepted, _ = listening.accept()
        except OSError:  # there is none, or the socket does not listen
            return
        accepted.setblocking(False)
        yield accepted


def _refuse_new(listening: socket.socket) -> None:
    """Let the kernel accept no connection after the last one that is taken: on Linux, a filter drops each packet."""
    if sys.platform != "linux":
        return
    drop = ctypes.create_string_buffer(struct.pack("HBBI", 0x06, 0, 0, 0))  # return 0 bytes of a packet
    try:
        listening.setsockopt(socket.SOL_SOCKET, _ATTACH_FILTER, struct.pack("HL", 1, ctypes.addressof(drop)))
    except OSError:
        return
