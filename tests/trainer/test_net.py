"""Addresses and ports."""

from __future__ import annotations

import socket

import pytest

from tests.support.ports import free_port
from trainer.failures import BadSpec, Unavailable
from trainer.net import check_port_free, is_listening, split_address


@pytest.mark.parametrize(
    ("address", "parts"),
    [
        ("gpu001-ib0:2222", ("gpu001-ib0", 2222)),
        ("127.0.0.1:1", ("127.0.0.1", 1)),
        ("[::1]:2222", ("::1", 2222)),
    ],
)
def test_that_an_address_is_a_host_and_a_port(address: str, parts: tuple[str, int]) -> None:
    assert split_address(address) == parts


@pytest.mark.parametrize("address", ["", "host", "host:", ":22", "h:0", "h:65536", "h:2²", "h:-1"])
def test_that_anything_else_is_refused(address: str) -> None:
    with pytest.raises(BadSpec, match="host:port"):
        split_address(address)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.9", "0.0.0.0"])
def test_that_a_port_in_use_on_any_interface_is_named(host: str) -> None:
    with socket.create_server((host, 0)) as holder:
        port = holder.getsockname()[1]
        with pytest.raises(Unavailable, match=f"port {port} is in use"):
            check_port_free(port)
        assert is_listening(f"{host}:{port}")


def test_that_a_free_port_is_free_again_after_the_look() -> None:
    port = free_port()
    check_port_free(port)
    check_port_free(port)
    assert not is_listening(f"127.0.0.1:{port}")
