"""The errors this package raises on purpose."""


class UserError(ValueError):
    """What was asked for is not possible; the message says why, in one line for a person."""


class UnknownEnvironment(UserError, LookupError):
    """No environment has that name."""


class GenerationError(RuntimeError):
    """A generator could not make a problem of the level it was asked for."""


class Unparseable(ValueError):
    """The text is not an answer of the required form."""
