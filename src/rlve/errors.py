"""The errors this package raises on purpose, beside ValueError and TypeError for bad arguments."""


class UnknownEnvironment(LookupError):
    """No environment has that name."""


class GenerationError(RuntimeError):
    """A generator could not make a problem of the level it was asked for."""


class Unparseable(ValueError):
    """The text is not an answer of the required form."""
