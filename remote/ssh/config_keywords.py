"""What the keywords of ssh_config mean to Clew: used, without effect here, or not applied.

The names and their meaning are ssh_config(5)'s.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from remote.ssh.patterns import matches

ADDS_UP = frozenset({"identityfile", "certificatefile"})
"""Keywords whose values are collected; of all others the first counts."""
WHOLE_LINE = frozenset({"userknownhostsfile", "globalknownhostsfile"})
EXCLUDE = {"proxyjump": "proxycommand", "proxycommand": "proxyjump"}

NOT_APPLIED: Mapping[str, frozenset[str]] = {
    "bindaddress": frozenset(),
    "bindinterface": frozenset(),
    "canonicaldomains": frozenset(),
    "canonicalizehostname": frozenset({"no", "false"}),
    "ciphers": frozenset(),
    "hostbasedauthentication": frozenset({"no", "false"}),
    "hostkeyalgorithms": frozenset(),
    "casignaturealgorithms": frozenset(),
    "kexalgorithms": frozenset(),
    "knownhostscommand": frozenset({"none"}),
    "macs": frozenset(),
    "pkcs11provider": frozenset({"none"}),
    "preferredauthentications": frozenset(),
    "proxyusefdpass": frozenset({"no", "false"}),
    "pubkeyacceptedalgorithms": frozenset(),
    "pubkeyacceptedkeytypes": frozenset(),
    "securitykeyprovider": frozenset({"internal"}),
    "stricthostkeychecking": frozenset({"ask", "accept-new"}),
    "tag": frozenset(),
    "verifyhostkeydns": frozenset({"no", "false", "ask"}),
}
"""What bears on how a host is reached and is not applied, with the values that are no loss."""

TOLD_WITH_OPENSSH = frozenset(
    {"bindaddress", "bindinterface", "knownhostscommand", "pkcs11provider"}
)
"""Of these, what ``ssh -G`` prints only where a file says it."""

_WITHOUT_EFFECT = frozenset(
    word
    for line in """
    addkeystoagent batchmode canonicalizefallbacklocal canonicalizemaxdots
    canonicalizepermittedcnames challengeresponseauthentication channeltimeout checkhostip
    clearallforwardings compression compressionlevel connectionattempts controlmaster controlpath
    controlpersist dynamicforward enableescapecommandline enablesshkeysign escapechar
    exitonforwardfailure fingerprinthash forkafterauthentication forwardagent forwardx11
    forwardx11timeout forwardx11trusted gatewayports gssapiauthentication gssapiclientidentity
    gssapidelegatecredentials gssapikexalgorithms gssapikeyexchange gssapirenewalforcesrekey
    gssapiserveridentity gssapitrustdns hashknownhosts hostbasedacceptedalgorithms
    hostbasedkeytypes ignoreunknown ipqos kbdinteractiveauthentication kbdinteractivedevices
    localcommand localforward loglevel logverbose nohostauthenticationforlocalhost
    numberofpasswordprompts obscurekeystroketiming passwordauthentication permitlocalcommand
    permitremoteopen pubkeyauthentication rekeylimit remotecommand remoteforward requesttty
    requiredrsasize sendenv serveralivecountmax serveraliveinterval sessiontype setenv stdinnull
    streamlocalbindmask streamlocalbindunlink syslogfacility tcpkeepalive tunnel tunneldevice
    updatehostkeys usekeychain useprivilegedport visualhostkey xauthlocation
    """.splitlines()
    for word in line.split()
)


def wrong(keyword: str, value: str) -> str:
    """What is wrong with ``value``, or that the keyword is not applied; empty: nothing."""
    check = _CHECKS.get(keyword)
    if check is not None:
        return check(value)
    return not_applied(keyword, value)


def not_applied(keyword: str, value: str) -> str:
    """Why a keyword that is not used here matters; empty: it does not."""
    if keyword in _WITHOUT_EFFECT:
        return ""
    if keyword in NOT_APPLIED:
        return "" if value.lower() in NOT_APPLIED[keyword] else f"{keyword} is not applied by Clew"
    return f"{keyword[:40]!r} is not a keyword that Clew knows; it is not applied"


def is_used(keyword: str) -> bool:
    """Whether a value of ``keyword`` has an effect here."""
    return keyword in _CHECKS


def has_no_effect(keyword: str) -> bool:
    """Whether no value of ``keyword`` matters here."""
    return keyword in _WITHOUT_EFFECT


def needs_value(keyword: str) -> bool:
    """Whether a line without a value is worth a word."""
    return keyword in _CHECKS or keyword in NOT_APPLIED


def _port(value: str) -> str:
    good = value.isascii() and value.isdigit() and 0 < int(value) < 65536
    return "" if good else f"{value!r} is not a port"


def _yes_no(value: str) -> str:
    good = value.lower() in ("yes", "no", "true", "false")
    return "" if good else f"{value!r} is neither yes nor no"


def _timeout(value: str) -> str:
    good = value == "none" or (value.isascii() and value.isdigit())
    return "" if good else f"{value!r} is not a number of seconds"


def _family(value: str) -> str:
    known = any(matches(value, name) for name in ("any", "inet", "inet6"))
    return "" if known else f"{value!r} is not an address family"


def _anything(value: str) -> str:
    return ""


_CHECKS: dict[str, Callable[[str], str]] = {
    "hostname": _anything,
    "user": _anything,
    "port": _port,
    "identityfile": _anything,
    "certificatefile": _anything,
    "identitiesonly": _yes_no,
    "identityagent": _anything,
    "proxyjump": _anything,
    "proxycommand": _anything,
    "hostkeyalias": _anything,
    "revokedhostkeys": _anything,
    "connecttimeout": _timeout,
    "addressfamily": _family,
    "userknownhostsfile": _anything,
    "globalknownhostsfile": _anything,
}
