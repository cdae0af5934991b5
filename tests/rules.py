"""Rules for many objects: a single test names each object that breaks a rule."""

import functools


def for_all(things, name=str):
    """Decorator of a test of one thing: a test of all of them; a function that finds them is called by the test."""

    def decorate(test):
        @functools.wraps(test)
        def checked():
            broken = {}
            for thing in things() if callable(things) else things:
                try:
                    test(thing)
                except AssertionError as error:
                    broken[name(thing)] = str(error)
            assert not broken, "\n".join(f"{who}: {why}" for who, why in broken.items())

        del checked.__wrapped__  # or pytest asks for the thing
        return checked

    return decorate
