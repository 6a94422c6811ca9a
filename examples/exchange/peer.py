#!/usr/bin/env python3
"""A controller for Plant.mo in another process. Start it, then, in another terminal:

    ferrica run Plant.mo --solver rt-bdf2 --step 0.01 --realtime --listen 127.0.0.1:9000 --send-to 127.0.0.1:9001

A record is little-endian: b"FRT1", u32 number of values, u64 number of the step, f64 time, then the values as f64."""
import socket
import struct
import sys

HEADER = struct.Struct("<4sIQd")
# The ports of the plant and of this process may be given.
plant_port, own_port = map(int, sys.argv[1:3]) if len(sys.argv) > 2 else (9000, 9001)
plant = ("127.0.0.1", plant_port)
wire = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
wire.bind(("127.0.0.1", own_port))
wire.settimeout(20)
print(f"listening on port {own_port}", flush=True)
while True:
    try:
        packet = wire.recv(65536)
    except socket.timeout:
        break
    magic, count, step, time = HEADER.unpack_from(packet)
    assert magic == b"FRT1" and len(packet) == HEADER.size + 8 * count
    (temperature,) = struct.unpack_from("<1d", packet, HEADER.size)
    power = max(0.0, min(500.0, 100.0 * (60.0 - temperature)))
    wire.sendto(HEADER.pack(b"FRT1", 1, step, time) + struct.pack("<1d", power), plant)
    if step % 100 == 0:
        print(f"{time:6.2f} s: {temperature:.3f} degC, {power:.1f} W", flush=True)
