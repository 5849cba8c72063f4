"""Connections: to this machine they are made, to others only if downloads are wanted; uploads never."""

import ipaddress
import os
import socket

from .refusal import Unreachable

READING_POSTS = ("/paths-info",)
"""Parts of addresses at which data is asked for by POST: the hub's question for the facts of some files."""
REACHING = ("socket.connect", "socket.sendto", "socket.sendmsg")
ASKING = ("socket.getaddrinfo", "socket.gethostbyname")
EVENTS = REACHING + ASKING
WRITING_METHODS = {"POST", "PUT", "PATCH", "DELETE"}


class Network:
    """`closed`: no other machine is reached at all."""

    def __init__(self, closed, say):
        self._closed = closed
        self._say = say

    def event(self, event, *arguments):
        """What the interpreter tells of a socket before it acts."""
        if not self._closed:
            return
        if event in REACHING:
            address = arguments[1]
            if isinstance(address, tuple) and address and not is_local(address[0]):
                raise Unreachable(address[0])
        elif event in ASKING and arguments[0] is not None and not is_local(arguments[0]):
            raise Unresolved(arguments[0])

    def request(self, method, host, path):
        """What an HTTP client is about to ask. Raises where that would be an upload."""
        if is_local(host):
            return
        if self._closed:
            raise Unreachable(host)
        method = str(method).upper()
        if method in WRITING_METHODS and not any(part in str(path) for part in READING_POSTS):
            self._say("upload", "{} {}{}".format(method, host, str(path).split("?")[0]))
            raise Unreachable(host)


class Unresolved(socket.gaierror):
    """The program asked for the address of another machine."""

    def __init__(self, host):
        if isinstance(host, bytes):
            host = host.decode("ascii", "replace")
        text = "tflint-hf confirm: {} is not looked up in this run".format(host)
        super().__init__(socket.EAI_AGAIN, text)


def is_local(host):
    """Whether a name or an address is that of this machine."""
    if isinstance(host, (bytes, bytearray)):
        host = bytes(host).decode("ascii", "replace")
    if not isinstance(host, str) or host in ("", "localhost", "localhost.localdomain", "ip6-localhost"):
        return True
    try:
        address = ipaddress.ip_address(host.strip("[]").partition("%")[0])
    except ValueError:
        return host.lower() in _own_names()
    return address.is_loopback or address.is_unspecified


def _own_names():
    name = socket.gethostname().lower()
    return (name, name.partition(".")[0])


def install(context, network):
    """Have the HTTP clients in Python ask before each request, and the hub's libraries not even try."""
    closed = context.job["stand_ins"] != "never"
    if closed:
        for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_DATASETS_OFFLINE", "HF_EVALUATE_OFFLINE"):
            os.environ[name] = "1"
    # These download in native code, past the merged view.
    os.environ.update(HF_HUB_DISABLE_XET="1", HF_HUB_ENABLE_HF_TRANSFER="0")
    os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
    os.environ["DO_NOT_TRACK"] = "1"
    context.after_import.call("http.client", lambda module: _http_client(module, network))
    context.after_import.call("httpx", lambda module: _httpx(module, network))
    context.after_import.call("aiohttp.client", lambda module: _aiohttp(module, network))


def _http_client(module, network):
    original = module.HTTPConnection.putrequest

    def putrequest(self, method, url, *args, **named):
        network.request(method, self._tunnel_host or self.host, url)
        return original(self, method, url, *args, **named)

    module.HTTPConnection.putrequest = putrequest


def _httpx(module, network):
    def sync(original):
        def send(self, request, *args, **named):
            network.request(request.method, request.url.host, request.url.path)
            return original(self, request, *args, **named)

        return send

    module.Client.send = sync(module.Client.send)
    # The refusal comes before the coroutine is made, which is as good for the caller that awaits it.
    module.AsyncClient.send = sync(module.AsyncClient.send)


def _aiohttp(module, network):
    original = module.ClientSession._request

    async def _request(self, method, url, *args, **named):
        from urllib.parse import urlsplit

        parts = urlsplit(str(url))
        network.request(method, parts.hostname or "", parts.path)
        return await original(self, method, url, *args, **named)

    module.ClientSession._request = _request
