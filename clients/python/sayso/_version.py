"""The version of the package, which `User-Agent` names to the server."""

__version__ = "0.2.0"
