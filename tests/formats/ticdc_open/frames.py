"""The golden records of the topic `framed`, whose keys and values are frames; `python -m` writes them anew."""

import base64
import json
from pathlib import Path
from struct import pack

MESSAGES = Path(__file__).with_name("messages.jsonl")
VERSION = pack(">q", 1)
LZ4 = bytes.fromhex("04224d18") + b"\x60\x40\x82" + pack("<i", 9) + b'\x90{"u":{}}\x00\x00\x00'
SNAPPY = b"\x2e\xb4" + b'{"u":{"id":{"t":3,"h":true,"f":11,"v":1}}}\x00\x00\x00\x00'
ID = {"t": 3, "h": True, "f": 11, "v": 1}


def compact(document):
    """Bytes of JSON as Go writes it."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()


def frames(*entries):
    """Each entry behind its length."""
    return b"".join(pack(">q", len(entry)) + entry for entry in entries)


def address(commit=447349421563248641, kind=1, table="orders", **more):
    """What the key says of one row."""
    named = {"ts": commit, "scm": "shop", "tbl": table} if table else {"ts": commit}
    return compact(named | more | {"t": kind})


def row(**columns):
    """The value of a written row."""
    return compact({"u": {"id": ID} | columns})


def written(number, **more):
    """The value of a row with that id."""
    return row(id=ID | {"v": number}, **more)


def twins(records):
    """The samples, each alone in its frames, and all in one record."""
    samples = [record for record in records if record["case"].startswith("ticdc_open line ")]
    for record in samples:
        label, note = record["case"].split(":", 1)
        key, value = (record[name].encode() for name in ("key", "value"))
        yield f"{label} framed:{note}", VERSION + frames(key), frames(value), record["expect"]
    keys = [record["key"].encode() for record in samples]
    values = [record["value"].encode() for record in samples]
    yield "all samples in one record", VERSION + frames(*keys), frames(*values), None


def cases():
    """(case, key, value) of what frames can be."""
    one, two = address(), address(447349421563248642, rid=7)
    resolved = address(447349421563250000, kind=3, table=None)
    yield "a resolved event: a frame of length 0", VERSION + frames(resolved), frames(b"")
    yield "a resolved event with a value", VERSION + frames(resolved), frames(row())
    yield (
        "rows and a resolved event",
        VERSION + frames(one, resolved, two),
        frames(row(), b"", written(2)),
    )
    yield (
        "130 rows of one transaction",
        VERSION + frames(*[one] * 130),
        frames(*[written(number) for number in range(130)]),
    )
    moved = compact({"u": {"id": ID | {"v": 9}}, "p": {"id": {"t": 3, "f": 11, "v": 8}}})
    yield (
        "a key change between two rows: row numbers go on by two",
        VERSION + frames(one, one, one),
        frames(row(), moved, written(3)),
    )
    yield (
        "one row of three is no JSON: the others count",
        VERSION + frames(one, one, one),
        frames(row(), b'{"u":{', written(3)),
    )
    yield (
        "one key of three is no JSON: the others count",
        VERSION + frames(one, b'{"ts":1', one),
        frames(row(), written(2), written(3)),
    )
    long_text = row(n={"t": 15, "f": 64, "v": "é" * 33_000})
    yield "a row longer than 65,536 bytes", VERSION + frames(one, one), frames(long_text, row())
    yield (
        "text that is not ASCII",
        VERSION + frames(address(table="表")),
        frames(row(n={"t": 15, "f": 64, "v": "naïve 表 😀"})),
    )
    yield "version 2", pack(">q", 2) + frames(one), frames(row())
    yield "version 0", pack(">q", 0) + frames(one), frames(row())
    yield "no version, only frames", frames(one), frames(row())
    yield "a key of 5 bytes", VERSION[:5], frames(row())
    yield "a key of the version alone", VERSION, frames(row())
    yield "a key of the version alone, a value of no bytes", VERSION, b""
    yield "a value with frames without a key", None, frames(row())
    yield "a key with frames and a value without", VERSION + frames(one), row()
    yield "a value with frames and a key without", one, frames(row())
    yield "a key with frames, the value of no bytes", VERSION + frames(one), b""
    yield "a key with frames, no value: tombstone", VERSION + frames(one), None
    yield "two keys, one row", VERSION + frames(one, two), frames(row())
    yield "one key, two rows", VERSION + frames(one), frames(row(), written(2))
    yield "one key, one row and 3 bytes", VERSION + frames(one), frames(row()) + b"\x00\x00\x00"
    yield (
        "two keys, one row and 3 bytes",
        VERSION + frames(one, two),
        frames(row()) + b"\x00\x00\x00",
    )
    yield "a key and 3 bytes", VERSION + frames(one) + b"\x00\x00\x00", frames(row())
    yield "a key and a length without bytes", VERSION + frames(one) + pack(">q", 4), frames(row())
    yield "a key and a length of 0", VERSION + frames(one, b""), frames(row(), row())
    yield (
        "64 rows and 65 keys",
        VERSION + frames(*[one] * 65),
        frames(*[written(number) for number in range(64)]),
    )
    yield (
        "66 rows and 65 keys",
        VERSION + frames(*[one] * 65),
        frames(*[written(number) for number in range(66)]),
    )
    yield "one key, two rows and 3 bytes", VERSION + frames(one), frames(row(), row()) + b"\x00" * 3
    yield "a value cut off", VERSION + frames(one), frames(row())[:-1]
    yield "a second value cut off", VERSION + frames(one, two), frames(row(), written(2))[:-9]
    yield "a key cut off", VERSION + frames(one)[:-1], frames(row())
    yield "a negative length in the value", VERSION + frames(one), pack(">q", -1) + row()
    yield "a negative length in the key", VERSION + pack(">q", -8) + one, frames(row())
    yield "a length beyond 2 GB", VERSION + frames(one), pack(">q", 2**31) + row()
    yield "the greatest length", VERSION + frames(one), pack(">q", 2**63 - 1) + row()
    yield (
        "the greatest length that is an int",
        VERSION + frames(one),
        pack(">i", 0) + pack(">I", 2**31 - 1) + row(),
    )
    yield "little-endian lengths", VERSION + frames(one), pack("<q", len(row())) + row()
    yield "a row compressed with LZ4", VERSION + frames(one), frames(LZ4)
    yield "a row compressed with Snappy", VERSION + frames(one), frames(SNAPPY)
    yield (
        "a compressed row beside one that is not",
        VERSION + frames(one, one),
        frames(LZ4, written(2)),
    )
    yield "an entry without a byte", VERSION + frames(one), frames(b"")
    yield "a row in blanks", VERSION + frames(one), frames(b"  " + row() + b" ")
    yield "a row that is no UTF-8", VERSION + frames(one), frames(row()[:-3] + b"\xff" + row()[-3:])
    yield "a key that is no UTF-8", VERSION + frames(one[:-1] + b"\xff"), frames(row())
    yield "a header of a schema registry", b"\x00\x00\x00\x00\x07\x02", b"\x00\x00\x00\x00\x07\x02"
    yield "zero bytes alone", VERSION, b"\x00" * 24
    yield "no columns", VERSION + frames(one), frames(b"{}")


def encoded(name, content):
    """A key or value as messages.jsonl has bytes."""
    if content is None:
        return {name: None}
    return {f"{name}_base64": base64.b64encode(content).decode()}


def main():
    """Writes the records of the topic `framed` behind the others."""
    kept = [json.loads(line) for line in MESSAGES.read_text("utf-8").rstrip("\n").split("\n")]
    kept = [record for record in kept if record["topic"] != "framed"]
    found = [*twins(kept), *((*case, None) for case in cases())]
    with MESSAGES.open("w", encoding="utf-8") as out:
        for record in kept:
            out.write(json.dumps(record, ensure_ascii=False) + "\n")
        for offset, (case, key, value, expect) in enumerate(found):
            place = {"topic": "framed", "partition": 0, "offset": offset}
            record = {"case": case} | place | {"timestamp": 1700000000000 + offset, "headers": []}
            record |= encoded("key", key) | encoded("value", value)
            record |= {"expect": expect} if expect else {}
            out.write(json.dumps(record, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
