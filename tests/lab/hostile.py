#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""usage: hostile.py SOCKET KIND...

Clients of ptpmon's control socket that mean no good. Kinds:

  garbage      500 connections that send random octets
  half         200 connections that send half a request and stay
  long         a request that never ends
  connections  10 000 connections one after the other, a third of them with a request
  hoard        as many connections as there can be, for as long as the others take
  flood        8 clients that ask all the time, for 3 seconds
  deaf         20 that watch with all events and read nothing, until each is dropped

Each prints what it saw as KEY=VALUE; the exit status is 1 if the service let one of them stay.
"""
import random
import socket
import struct
import sys
import time

WATCH = b'{"method":"io.ptpmon.Watch","parameters":{"recent":192},"more":true}\0'
STATUS = b'{"method":"io.ptpmon.GetStatus"}\0'
PATIENCE_S = 60


def connect(path):
    """A connection, or None where the backlog stays full."""
    s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    # not settimeout(): then a full backlog would be an error at once
    s.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack('ll', PATIENCE_S, 0))
    try:
        s.connect(path)
    except OSError:
        s.close()
        return None
    return s


def send(s, octets):
    try:
        s.sendall(octets)
    except OSError:
        pass  # it was dropped meanwhile


def is_dropped(s, deadline):
    """Reads what is left; true if the service has hung up before the deadline."""
    while time.monotonic() < deadline:
        s.settimeout(max(0.01, deadline - time.monotonic()))
        try:
            if not s.recv(65536):
                return True
        except TimeoutError:
            break
        except OSError:
            return True
    return False


def garbage(path):
    chance = random.Random(1)
    dropped = 0
    for _ in range(500):
        s = connect(path)
        if s:
            send(s, chance.randbytes(chance.randrange(1, 4096)) + b'\0')
            dropped += is_dropped(s, time.monotonic() + PATIENCE_S)
            s.close()
    print(f'garbage={dropped}')
    return dropped == 500


def half(path):
    clients = [connect(path) for _ in range(200)]
    for s in clients:
        if s:
            send(s, STATUS[:12])
    time.sleep(0.5)
    asked = connect(path)
    send(asked, STATUS)
    answered = asked.recv(1) == b'{'
    print(f'half={answered}')
    return answered


def long(path):
    s = connect(path)
    send(s, b'{"method":"' + b'x' * (1 << 20))
    dropped = is_dropped(s, time.monotonic() + PATIENCE_S)
    print(f'long={dropped}')
    return dropped


def connections(path):
    made = 0
    for i in range(10000):
        s = connect(path)
        if s:
            made += 1
            if i % 3 == 0:
                send(s, STATUS)
            s.close()
    print(f'connections={made}')
    return made == 10000


def hoard(path):
    clients = [connect(path) for _ in range(300)]
    time.sleep(2)
    for s in clients:
        if s:
            s.close()
    print(f'hoard={len(clients)}')
    return True


def flood(path):
    clients = [connect(path) for _ in range(8)]
    end = time.monotonic() + 3
    for s in clients:
        s.setblocking(False)
    asked = 0
    while time.monotonic() < end:
        for s in clients:
            try:
                asked += s.send(STATUS) > 0
                s.recv(65536)
            except OSError:
                pass
        time.sleep(0.001)
    print(f'flood={asked}')
    return True


def deaf(path):
    clients = [connect(path) for _ in range(20)]
    for s in clients:
        send(s, WATCH)
    # behind from the moment that 16 KiB were not read; then for 5 s
    time.sleep(25)
    dropped = sum(is_dropped(s, time.monotonic() + 1) for s in clients)
    print(f'deaf={dropped}')
    return dropped == 20


KINDS = {f.__name__: f for f in (garbage, half, long, connections, hoard, flood, deaf)}


def main():
    if len(sys.argv) < 3 or any(kind not in KINDS for kind in sys.argv[2:]):
        print(__doc__, file=sys.stderr)
        return 2
    good = [KINDS[kind](sys.argv[1]) for kind in sys.argv[2:]]
    return 0 if all(good) else 1


sys.exit(main())
