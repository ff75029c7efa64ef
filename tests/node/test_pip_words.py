"""What pip said, as recorded, in one sentence."""

import pytest

from remote.node import pip_words

ABSENT = [
    "Looking in indexes: http://10.0.0.1/simple/",
    "ERROR: Could not find a version that satisfies the requirement tensorflow==2.99 "
    "(from versions: 2.20.0rc0, 2.20.0, 2.21.0)",
    "ERROR: No matching distribution found for tensorflow==2.99",
]
NEEDED = [
    "ERROR: Could not find a version that satisfies the requirement libclang>=13.0.0 "
    "(from tensorflow) (from versions: none)",
    "ERROR: No matching distribution found for libclang>=13.0.0",
]
SILENT = [
    "WARNING: Retrying (Retry(total=0, connect=None, read=None, redirect=None, status=None)) after "
    "connection broken by 'NewConnectionError('<pip._vendor.urllib3.connection.HTTPSConnection "
    "object at 0x7f>: Failed to establish a new connection: [Errno -3] Temporary failure in name "
    "resolution')': /simple/tensorflow/",
    "ERROR: Could not find a version that satisfies the requirement tensorflow (from versions: "
    "none)",
]
BROKEN = [
    "  Downloading tensorflow-2.21.0-cp311-cp311-manylinux_2_27_x86_64.whl (620.4 MB)",
    "pip._vendor.urllib3.exceptions.ReadTimeoutError: HTTPSConnectionPool(host='files', "
    "port=443): Read timed out.",
]
CONFLICT = [
    "ERROR: Cannot install keras==2.0 and tensorflow==2.21.0 because these package versions have "
    "conflicting dependencies.",
    "ERROR: ResolutionImpossible: for help visit https://pip.pypa.io/",
]
FULL = ["ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device"]
UNTRUSTED = [
    "WARNING: The repository located at 10.0.0.1 is not a trusted or secure host and is being "
    "ignored. If this repository is available via HTTPS we recommend you use HTTPS instead.",
    ABSENT[1],
]


@pytest.mark.parametrize(
    ("lines", "what", "remedy", "network"),
    [
        (ABSENT, "no version of tensorflow==2.99 fits Python 3.11.2; there are 2.20.0rc0, 2.20.0, "
         "2.21.0", "environment.packages", False),
        (NEEDED, "there is no package for libclang>=13.0.0 (which tensorflow needs) that fits "
         "Python 3.11.2 and this platform", "environment.packages", False),
        (SILENT, "the package index does not answer (Temporary failure in name resolution)",
         "environment.wheels to desktop", True),
        (BROKEN, "the package index does not answer (timed out)", "PIP_INDEX_URL", True),
        (CONFLICT, "these packages exclude each other: keras==2.0 and tensorflow==2.21.0 because "
         "these package versions have conflicting dependencies", "environment.packages", False),
        (FULL, "no space left on gpu1:/r (quota or disk) for the environment", "storage.root",
         False),
        (UNTRUSTED, "pip ignores the package index at 10.0.0.1, which has no https",
         "PIP_TRUSTED_HOST", False),
        (["ERROR: Something.", "[notice] A new release"], "pip failed: Something",
         "environment.packages", False),
        ([], "pip failed: it said nothing", "environment.packages", False),
    ],
)  # fmt: skip
def test_that_each_failure_is_one_sentence(
    lines: list[str], what: str, remedy: str, network: bool
) -> None:
    found = pip_words.explain(lines, "3.11.2", "gpu1:/r")
    assert found.what == what
    assert remedy in found.remedy
    assert found.network is network
