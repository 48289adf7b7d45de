"""Locks between processes, and the safe opening of files in a folder that others can write to."""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from answersim._base.errors import warn_user

# Windows lacks these. O_NONBLOCK keeps a planted pipe from blocking the call.
SAFE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP}


def open_own(path: Path, *, create: bool) -> int:
    """Open a regular file of this user, which only this user can read if it is new, and follow no link."""
    flags = os.O_RDWR | SAFE | (os.O_CREAT if create else 0)
    try:
        handle = os.open(path, flags, 0o600)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EMLINK) or path.is_symlink():
            raise _foreign(path, "it is a link") from error
        if error.errno in (errno.ENXIO, errno.EISDIR):
            raise _foreign(path, "it is not a regular file") from error
        raise
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise _foreign(path, "it is not a regular file")
        if hasattr(os, "geteuid") and status.st_uid != os.geteuid():
            raise _foreign(path, "it belongs to another user")
        if status.st_nlink > 1:
            raise _foreign(path, "it has a second name (a hard link)")
    except OSError:
        os.close(handle)
        raise
    return handle


def _foreign(path: Path, why: str) -> PermissionError:
    return PermissionError(errno.EPERM, f"{why}, so it is not used; delete it, or choose another folder", str(path))


@contextmanager
def locked(path: Path, busy: str) -> Iterator[None]:
    """Hold a lock file for this process alone. The system releases the lock when the process ends, also by a kill.

    The file is removed at the end. ``busy``: the error message if another process or call holds the lock.
    """
    handle = _acquired(path, busy)
    try:
        yield
    finally:
        with suppress(OSError):  # while it is locked, so that no process removes the file of another one
            if _is_at(handle, path):  # its folder may have been renamed meanwhile
                path.unlink()
        os.close(handle)
        if os.name == "nt":  # an open file cannot be removed there
            with suppress(OSError):
                path.unlink()


def _acquired(path: Path, busy: str) -> int:
    while True:
        handle = open_own(path, create=True)
        try:
            if not _try_lock(handle):
                why = f"the file system of {path.parent} has no locks"
                warn_user(UserWarning(f"{why}; make sure that no other run writes the same output"))
            if _is_at(handle, path):
                return handle
        except BlockingIOError:
            os.close(handle)
            raise BlockingIOError(errno.EWOULDBLOCK, busy) from None
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)  # the process before removed the file between our two calls


def _is_at(handle: int, path: Path) -> bool:
    """Return whether the file at this path is the open one."""
    return os.path.lexists(path) and os.path.samestat(os.fstat(handle), path.lstat())


def _try_lock(handle: int) -> bool:
    """Lock an open file. Return False if its file system has no locks. Raise BlockingIOError if the lock is held."""
    try:
        import fcntl
    except ImportError:
        import msvcrt

        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined] # Windows alone has it
        except OSError:
            raise BlockingIOError from None
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
        return False
    return True


def wait_for_lock(handle: int, seconds: float) -> None:
    """Lock an open file until it is closed. Wait if the lock is held; lock nothing on a file system without locks."""
    until = time.monotonic() + seconds
    while True:
        try:
            _try_lock(handle)
            return
        except BlockingIOError:
            if time.monotonic() > until:
                raise TimeoutError(errno.ETIMEDOUT, f"another process has locked it for {seconds:g} s") from None
        time.sleep(0.002)
