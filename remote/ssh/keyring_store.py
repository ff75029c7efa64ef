"""The system's keyring, for secrets that the user asked to remember."""

from __future__ import annotations

from collections.abc import Callable

SERVICE = "clew"


class KeyringStore:
    """Keeps secrets under the service ``clew``. A keyring that fails is a notice, not an error.

    Args:
        notice: called with one sentence, at most once for reading and once for writing.
    """

    def __init__(self, notice: Callable[[str], None]) -> None:
        self._notice = notice
        self._told: set[str] = set()

    def why_not(self) -> str:
        """Why nothing can be kept on this computer, in a sentence; empty: it can."""
        try:
            import keyring
            from keyring.backends import fail

            missing = isinstance(keyring.get_keyring(), fail.Keyring)
        except Exception as error:  # as in get()
            return f"The system's keyring cannot be used ({type(error).__name__})."
        return "This computer has no keyring that secrets could be kept in." if missing else ""

    def get(self, name: str) -> str | None:
        try:
            import keyring
            from keyring.errors import NoKeyringError
        except Exception as error:
            self._tell("read", "reading", error)
            return None
        try:
            return keyring.get_password(SERVICE, name)
        except NoKeyringError:
            return None  # nothing can have been kept here: no news to anybody
        # Backends raise what they like: D-Bus errors, RuntimeError, their own. The text of such
        # an error could quote a secret, so only its class is told.
        except Exception as error:
            self._tell("read", "reading", error)
            return None

    def set(self, name: str, value: str) -> None:
        try:
            import keyring

            keyring.set_password(SERVICE, name, value)
        except Exception as error:  # as above
            self._tell("write", "writing", error)

    def forget(self, name: str) -> None:
        """Remove what is kept under ``name``, if there is anything."""
        try:
            import keyring
            from keyring.errors import PasswordDeleteError
        except Exception as error:  # as above
            self._tell("write", "removing", error)
            return
        try:
            keyring.delete_password(SERVICE, name)
        except PasswordDeleteError:
            return
        except Exception as error:  # as above
            self._tell("write", "removing", error)

    def _tell(self, what: str, doing: str, error: Exception) -> None:
        if what not in self._told:
            self._told.add(what)
            kind = type(error).__name__
            self._notice(f"The system's keyring failed on {doing} ({kind}); nothing is remembered.")
