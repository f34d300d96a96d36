"""The one exception that a person is meant to read."""


class UserError(Exception):
    """Something is wrong with what was given. Its text is one clear line; the command exits with 2."""
