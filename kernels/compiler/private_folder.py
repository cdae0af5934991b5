"""Private folders for cached code: folders that only the user, or root, can have written to.

Cached kernels are machine code, and numba describes them by pickles. Whoever can write to their folder, or can put
another folder in its place, runs code as the user who reads it. No checksum helps against that, so the folder itself
is checked: its owner, its mode, and those of the folders above it.
"""

import atexit
import os
import shutil
import stat
import tempfile
from functools import cache
from pathlib import Path

import platformdirs

NAME = "pcdm-dem"


def user_cache():
    """Cache folder of the user, such as ~/.cache/pcdm-dem; raises OSError if the user has none."""
    try:
        folder = platformdirs.user_cache_path(NAME, appauthor=False)
    except RuntimeError:  # of some versions; others return a relative path
        folder = Path()
    if not folder.is_absolute():
        message = "the user has no home folder: set HOME or XDG_CACHE_HOME to an absolute path"
        raise OSError(message)
    return folder


def open_to_others(folder):
    """Reason why another user may have written to a folder; None if only this user and root can have.

    The folders above it count as well, for their owners may put another folder in its place, save where the sticky bit
    forbids it. A group counts as others, unless it is the user's private one, whose number is that of the user.
    """
    if not hasattr(os, "geteuid"):
        return None  # Windows keeps the user's cache folder private by its access lists
    folder = Path(folder)
    if folder.is_symlink():
        return f"{folder} is a symbolic link"
    for one in (folder, *Path(os.path.realpath(folder)).parents):
        found = one.lstat()
        if found.st_uid not in {0, os.geteuid()} or (one is folder and found.st_uid != os.geteuid()):
            return f"{one} belongs to user {found.st_uid}"
        if found.st_mode & stat.S_ISVTX and one is not folder:
            continue
        private = found.st_gid in {0, found.st_uid}
        if found.st_mode & stat.S_IWOTH or (found.st_mode & stat.S_IWGRP and not private):
            return f"other users may write to {one}"
    return None


def make_private(folder):
    """Make a private folder if necessary; returns the reason if it cannot be used, else None.

    Returns
    -------
    str or None
        Why it cannot be used; None if it can.
    """
    try:
        _make(folder)
        reason = open_to_others(folder)
        if reason:
            return reason
        with tempfile.TemporaryFile(dir=folder):
            pass
        for one in folder.iterdir():  # numba's, one for each folder of sources
            if one.is_symlink() or (one.is_dir() and not os.access(one, os.R_OK | os.W_OK | os.X_OK)):
                return f"{one} cannot be written to"
    except OSError as error:
        return f"{folder} cannot be written to ({(error.strerror or str(error)).lower()})"
    return None


def _make(folder):
    """Make a folder, and those above it, with access for the user alone."""
    if not folder.parent.is_dir():
        _make(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)


@cache
def temporary():
    """Temporary folder of this process, removed at its end; raises OSError if none can be made."""
    folder, process = Path(tempfile.mkdtemp(prefix=f"{NAME}-")), os.getpid()
    atexit.register(lambda: os.getpid() == process and shutil.rmtree(folder, ignore_errors=True))
    return folder
