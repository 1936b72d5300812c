"""Many HTTP connections from one thread, over epoll, on the loopback.

Knows requests and answers, and when they came; what they mean is the
caller's. It shares the cores with what it measures, so it does little.
"""
import select
import socket
import time

HEAD_END = b"\r\n\r\n"
ANSWER_MAX = 1 << 20


def request(method, path, key, body=None):
    """The bytes of a request."""
    head = (f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            f"X-API-Key: {key}\r\n")
    if body is not None:
        head += ("Content-Type: application/json\r\n"
                 f"Content-Length: {len(body.encode())}\r\n")
    return (head + "\r\n" + (body or "")).encode()


def unchunk(rest):
    """The body in chunks at the start of rest; None when it is not whole."""
    body = b""
    while True:
        line, found, rest = rest.partition(b"\r\n")
        if not found:
            return None
        size = int(line, 16)
        if len(rest) < size + 2:
            return None
        body, rest = body + rest[:size], rest[size + 2:]
        if size == 0:
            return body


def parse(got):
    """(status, body, closes) of a whole answer; None when more must come."""
    head, found, rest = got.partition(HEAD_END)
    if not found:
        return None
    status, lower = int(head[9:12]), head.lower()
    if status == 304:
        body = b""
    elif b"\r\ntransfer-encoding: chunked" in lower:
        body = unchunk(rest)
        if body is None:
            return None
    else:
        size = int(lower.partition(b"\r\ncontent-length: ")[2]
                   .partition(b"\r\n")[0])
        if len(rest) < size:
            return None
        body = rest
    return status, body, b"\r\nconnection: close" in lower


class Wire:
    """One connection: a request at a time."""
    __slots__ = ("socket", "got", "sent", "then", "own")

    def __init__(self):
        self.socket = None
        self.got = b""
        self.sent = 0.0  # when the last request left
        self.then = None  # called with (wire, status, body, now)
        self.own = None  # the caller's


class Crowd:
    def __init__(self, port):
        self.address = ("127.0.0.1", port)
        self.poll = select.epoll()
        self.wires = {}  # by descriptor

    def wire(self):
        w = Wire()
        self.connect(w)
        return w

    def connect(self, w):
        w.socket = socket.create_connection(self.address, timeout=5)
        w.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.wires[w.socket.fileno()] = w
        self.poll.register(w.socket, select.EPOLLIN)

    def drop(self, w):
        if w.socket is not None:
            self.poll.unregister(w.socket)
            del self.wires[w.socket.fileno()]
            w.socket.close()
            w.socket, w.got = None, b""

    def send(self, w, text, then):
        """A request that fits into the socket; then gets its answer."""
        if w.socket is None:
            self.connect(w)
        w.then, w.sent = then, time.monotonic()
        w.socket.sendall(text)

    def turn(self, seconds):
        """Waits so long at most and hands out what has come."""
        for fd, _ in self.poll.poll(max(seconds, 0)):
            if fd in self.wires:
                self.read(self.wires[fd], time.monotonic())

    def read(self, w, now):
        try:
            some = w.socket.recv(65536)
        except ConnectionError:
            some = b""
        w.got += some
        answer = parse(w.got) if some else (0, b"", True)
        if answer is None:
            if len(w.got) > ANSWER_MAX:
                raise SystemExit("bench: an answer is far too long")
            return
        status, body, closes = answer
        w.got = b""
        if closes:
            self.drop(w)
        then, w.then = w.then, None
        if then:
            then(w, status, body, now)

    def until(self, done, seconds):
        """Turns until done() or for so long. Was it done?"""
        end = time.monotonic() + seconds
        while not done():
            left = end - time.monotonic()
            if left <= 0:
                return False
            self.turn(min(left, 0.05))
        return True

    def each(self, texts, wires, on_answer):
        """Sends all of the texts, one after the other on each wire."""
        rest = iter(texts)

        def go(w):
            text = next(rest, None)
            if text is None:
                busy.discard(w)
            else:
                self.send(w, text, answered)

        def answered(w, status, body, now):
            on_answer(w, status, body, now)
            go(w)

        busy = set(wires)
        for w in wires:
            go(w)
        return self.until(lambda: not busy, 120)

    def close(self):
        for w in list(self.wires.values()):
            self.drop(w)
        self.poll.close()
