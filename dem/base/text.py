"""Format counts, values and errors for messages."""

from __future__ import annotations

import reprlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import TextIO


def counted(count: float, thing: str, shown: str = "") -> str:
    """Number and noun, such as "3 particles"; `shown` replaces the number in the text.

    Examples
    --------
    >>> counted(1, "step"), counted(12, "step"), counted(0, "pair of materials", "no")
    ('1 step', '12 steps', 'no pairs of materials')
    """
    noun, of, rest = thing.partition(" of ")
    return f"{shown or count} {noun}{'' if count == 1 else 's'}{of}{rest}"


def with_article(noun: str) -> str:
    """Noun with its article.

    Examples
    --------
    >>> with_article("length"), with_article("Ellipsoid")
    ('a length', 'an Ellipsoid')
    """
    return f"{'an' if noun[0] in 'aeiouAEIO' else 'a'} {noun}"


SHOWN = reprlib.Repr()
SHOWN.maxstring = SHOWN.maxother = SHOWN.maxlong = 60


def shown(value: object) -> str:
    """Value as it is quoted in messages: in one line and of limited length.

    Examples
    --------
    >>> shown("steel"), shown("x" * 1000), shown([[0, 0], [1, 1]])
    ("'steel'", "'xxxxxxxxxxxxxxxxxxxxxxxxxxx...xxxxxxxxxxxxxxxxxxxxxxxxxxxx'", '[[0, 0], [1, 1]]')
    """
    return " ".join(SHOWN.repr(value).split())


def cut(text: str, most: int = 60) -> str:
    """Name as it is quoted in messages, shortened in the middle if it is very long.

    Examples
    --------
    >>> cut("steel"), cut("x" * 1000, 20)
    ('steel', 'xxxxxxxx...xxxxxxxx')
    """
    half = (most - 3) // 2
    return text if len(text) <= most else f"{text[:half]}...{text[-half:]}"


def error_in_words(error: BaseException) -> str:
    """Text of an error; for errors of files that of the system.

    Examples
    --------
    >>> error_in_words(FileNotFoundError(2, "No such file or directory", "run.h5")), error_in_words(ValueError("odd"))
    ('run.h5: no such file or directory', 'odd')
    """
    if isinstance(error, OSError) and error.strerror:
        where = f"{cut(str(error.filename), 300)}: " if error.filename else ""
        return f"{where}{error.strerror.lower()}"
    return str(error)


def write_log(stream: TextIO, text: str) -> None:
    """Write a message of a run, which goes on if that fails, for example because the disk of its log is full."""
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        raise  # the reader has ended, and the command ends too
    except OSError:
        pass


def printable(text: str) -> str:
    r"""A text that UTF-8 has: of a file name in another encoding, the bytes are written as escapes.

    Examples
    --------
    >>> printable("r\udcf6hre.h5")
    'r\\udcf6hre.h5'
    """
    return text.encode("utf-8", "backslashreplace").decode()
