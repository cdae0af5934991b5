"""Select a function by type: the tables of `dem.kernels.compiler.jit.select`, without numba."""

from typing import NamedTuple


class Argument(NamedTuple):
    """Table entry that stands for a function that returns one of its arguments."""

    name: str
    place: int = -1  # among the arguments; found by the name if it is not given

    def __call__(self, *arguments):
        """Return the argument."""
        return arguments[self.place]


def placed(entry, names):
    """Table entry for functions with these argument names; an `Argument` gets its position."""
    if isinstance(entry, Argument) and entry.place < 0:
        return entry._replace(place=names.index(entry.name))
    return entry


def is_function(entry):
    """Whether an entry of a table is a function."""
    return callable(entry) and not isinstance(entry, Argument)


def ancestors(kind):
    """A type, all types that it extends, and `object`."""
    found = {kind, object}
    for one in getattr(kind, "extends", ()):
        found |= ancestors(one)
    return found


def function_for(kind, functions):
    """Function for a type in a table {type: function}: the most specific of the types that it extends.

    A NamedTuple extends the types in its attribute `extends`; `object` stands for all types.

    Raises
    ------
    TypeError
        If the table has no function for the type, or several of which none is more special than the others.

    Examples
    --------
    >>> class Cell:
    ...     pass
    >>> class Sheared:
    ...     extends = (Cell,)
    >>> function_for(Sheared, {object: min, Cell: max}) is max
    True
    """
    known = ancestors(kind)
    found = [one for one in functions if one in known]
    for one in found:
        if ancestors(one).issuperset(found):
            return functions[one]
    names = ", ".join(getattr(one, "__name__", str(one)) for one in functions)
    message = f"no function for {kind.__name__}: there are some for {names}"
    raise TypeError(message)


def parameters_of(function):
    """Names of the arguments of a function, compiled or not."""
    if hasattr(function, "parameters"):
        return function.parameters
    code = getattr(function, "py_func", function).__code__
    return code.co_varnames[: code.co_argcount]


def position_in(functions, argument):
    """Position of an argument among those of all functions of a table; raises ValueError if it differs."""
    every = [parameters_of(one) for one in functions.values() if is_function(one)] or [(argument,)]
    places = {names.index(argument) if argument in names else -1 for names in every}
    if len(places) > 1 or -1 in places or len({len(names) for names in every}) > 1:
        message = f"{argument} is not at one place of the same number of arguments: {every}"
        raise ValueError(message)
    return places.pop()
