"""Random histories of a small table, the records that a producer sends of them, and what gold must hold then."""

import json
from bisect import bisect_right
from dataclasses import dataclass, field, replace

from hypothesis import strategies as st

KEYS, LOADS = 5, 3
TABLE = "rows"
VALUES = ("amount", "note", "body")
UNAVAILABLE = "__debezium_unavailable_value"
ACTIONS = (
    *("write", "write", "partial", "partial", "delete", "move", "move", "swap", "swap"),
    *("truncate", "reload", "away", "read"),
)
# the kinds of cases: what orders their messages, and whether their table has a key
KINDS = {
    "by_position": "debezium_json",
    "by_offset": "canal_json",
    "without_key": "debezium_json",
    "without_key_by_offset": "canal_json",
}
Row = dict[str, object]


@dataclass(frozen=True)
class Message:
    """What a producer says of one row: c, u, d, r, or m, a move in one message; or of all rows: t."""

    op: str
    key: int | None
    row: Row | None
    # None: the message tells no position, as the rows of an incremental snapshot
    position: int | None
    told_at: int
    old_key: int | None = None
    before: Row | None = None
    is_full_load: bool = False


@dataclass(frozen=True)
class Sent:
    """A message with its place in the topic, and the load that brings it to bronze."""

    message: Message
    partition: int
    offset: int
    load: int = 0


@dataclass
class Source:
    """A table that changes as it is told, and the messages of its changes."""

    positional: bool
    rows: dict[int, Row] = field(default_factory=dict)
    segments: list[list[Message]] = field(default_factory=lambda: [[]])
    position: int = 1000
    # changes that the producer missed: only a new full load tells of them
    is_true: bool = True

    def do(self, action: str, key: int, other: int, new: Row, kept: tuple[str, ...]) -> None:
        if action != "write" and self.rows:
            # one of the rows that are there
            key = list(self.rows)[key % len(self.rows)]
        if action == "truncate":
            self.rows.clear()
            self.send("t", None, None)
        elif action == "reload":
            self.reload()
        elif action == "read":
            if key in self.rows:
                self.send("r", key, self.rows[key], told=False)
        elif action == "away":
            self.rows.pop(key, None)
            self.position += 10
            self.is_true = False
        elif key not in self.rows:
            self.rows[key] = new
            self.send("c", key, new)
        elif action == "delete":
            self.send("d", key, None, before=self.rows.pop(key))
        elif action in ("move", "swap"):
            self.move_or_swap(action, key, other, kept)
        else:
            kept = kept if action == "partial" else ()
            before = self.rows[key]
            self.rows[key] = new | {name: before[name] for name in kept}
            self.send("u", key, new | dict.fromkeys(kept, UNAVAILABLE), before=before)

    def move_or_swap(self, action: str, key: int, other: int, kept: tuple[str, ...]) -> None:
        if other not in self.rows:
            self.move(key, other, kept)
        elif action == "swap" and other != key:
            self.move(key, KEYS, kept)
            self.move(other, key, kept)
            self.move(KEYS, other, kept)

    def move(self, key: int, new: int, kept: tuple[str, ...]) -> None:
        """One message with both keys; or a delete and a create of one position, which may lack what did not change."""
        row = self.rows[new] = self.rows.pop(key)
        if not self.positional:
            self.send("m", new, row, old_key=key)
            return
        self.send("d", key, None)
        self.position -= 10
        self.send("c", new, row | dict.fromkeys(kept, UNAVAILABLE), old_key=key)

    def reload(self) -> None:
        """A full load: every row as it is now, all at one position, read one after another."""
        self.position += 5
        told = [
            Message("r", key, row, self.position, self.position + number, is_full_load=True)
            for number, (key, row) in enumerate(self.rows.items())
        ]
        if told:
            self.segments += [told, []]
            self.is_true = True

    def send(self, op: str, key: int | None, row: Row | None, told=True, **more: object) -> None:
        self.position += 10
        position = self.position if told else None
        self.segments[-1].append(Message(op, key, row, position, self.position, **more))


@dataclass(frozen=True)
class Case:
    """The records of one history, in the order of their offsets, and the rows of the source where they are told."""

    kind: str
    sent: tuple[Sent, ...]
    # None: something was lost, or told in an order that does not tell the end
    rows_at_source: dict[int, Row] | None

    @property
    def positional(self) -> bool:
        return KINDS[self.kind] == "debezium_json"

    def replayed(self) -> dict[int, Row]:
        """The rows that live in the end; a value that no message has told is missing."""
        newest = {key: versions[-1] for key, versions in self.versions().items()}
        return {key: row for key, (row, _, _, lives) in newest.items() if lives}

    def in_order(self) -> list[tuple[tuple, Sent]]:
        """Every message with its sequence: epoch, phase, position, offset."""
        messages = [one.message for one in self.sent if one.message.position is not None]
        lowest = min((message.position for message in messages), default=0)
        # the first full load begins nothing anew; where only offsets order, nothing tells of another one
        loads = sorted({m.position for m in messages if m.is_full_load and m.position > lowest})
        epochs, highest = {}, {}
        ordered = []
        for one in self.sent:
            message, place, epoch = one.message, one.partition, 0
            position = message.position
            if not self.positional:
                position = 0
            elif position is None:
                # behind every change of the position that it inherits
                epoch = max(bisect_right(loads, highest.get(place, 0)), epochs.get(place, 0))
                position = highest.get(place, 0) + 0.5
            else:
                epoch = bisect_right(loads, position)
                if message.is_full_load:
                    epochs[place] = max(epoch, epochs.get(place, 0))
                else:
                    # behind a full load in the partition is behind it
                    epoch = max(epoch, epochs.get(place, 0))
                highest[place] = max(position, highest.get(place, 0))
            phase = 0 if message.is_full_load else 1
            ordered.append(((epoch, phase, position, one.offset), one))
        return sorted(ordered, key=lambda pair: pair[0])

    def read_again_at(self, key: int, epoch: int) -> int:
        """When the full load that began an epoch read the row, or its first one where it does not bring the row again."""
        load = [one for at, one in self.in_order() if at[:2] == (epoch, 0)]
        first = min(load, key=lambda one: (one.partition, one.offset))
        return next((one for one in load if one.message.key == key), first).message.told_at

    def versions(self) -> dict[int, list[list]]:
        """Per key every version of its row: the values, when it began and ended, and whether it lives."""
        versions: dict[int, list[list]] = {}
        rows: dict[int, Row] = {}
        left: dict[int, Row] = {}
        seen: set = set()
        keys = {one.message.key for one in self.sent} | {one.message.old_key for one in self.sent}
        times: dict[int, int] = {}
        epoch = 0

        def end(key: int, time: int) -> None:
            # a statement may begin before the one that stands before it in the log
            times[key] = max(time, times.get(key, time))
            if rows.pop(key, None) is not None:
                versions[key][-1][2:] = [times[key], False]

        def begin(message: Message, row: Row) -> None:
            end(message.key, message.told_at)
            rows[message.key] = row
            version = [row, times[message.key], None, True]
            versions.setdefault(message.key, []).append(version)

        for (its_epoch, *_), one in self.in_order():
            message = one.message
            if its_epoch > epoch:
                epoch = its_epoch
                for key in keys:
                    end(key, self.read_again_at(key, epoch))
                left.clear()
            again = (its_epoch, message.position, message.op, message.key)
            if self.positional and message.position is not None and message.op != "t":
                if again in seen:
                    continue
                seen.add(again)
            if message.op == "t":
                for key in keys:
                    end(key, message.told_at)
            elif message.op == "m":
                end(message.old_key, message.told_at)
                begin(message, message.row)
            elif message.op == "d":
                left[message.told_at] = rows.get(message.key, left.get(message.told_at, {}))
                end(message.key, message.told_at)
            else:
                told = {n: v for n, v in message.row.items() if v != UNAVAILABLE}
                before = rows.get(message.key, {})
                if message.old_key is not None:
                    before = left.get(message.told_at, rows.get(message.old_key, {}))
                begin(message, before | told)
        return versions

    def state(self) -> dict[int | None, tuple]:
        """The highest delete of each key; of all keys (None), the highest TRUNCATE or begin of a new full load."""
        ends: dict[int | None, tuple] = {}
        epoch = 0
        for sequence, one in self.in_order():
            message, ended = one.message, None
            if sequence[0] > epoch:
                epoch = sequence[0]
                ends[None] = (epoch, 0, 0, -1)
            if message.op in ("t", "d"):
                ended = message.key
            elif message.op == "m":
                # its old names the key alone: the row may lack columns, and begins anew as one that does
                ends[message.old_key] = sequence
                ended = message.key
            elif message.old_key is not None and UNAVAILABLE in message.row.values():
                # a row that begins anew with values of another key: what this key held before is void
                ended = message.key
            else:
                continue
            ends[ended] = sequence
        return ends


values = st.fixed_dictionaries(
    {
        # a number that is none is reported, and not NULL in silence
        "amount": st.sampled_from([None, 1, 2, 3, "many"]),
        "note": st.sampled_from([None, "", "a", "b", "c"]),
        "body": st.sampled_from([None, "x", "y", "z"]),
    }
)
keys = st.integers(0, KEYS - 1)
kept_columns = st.sampled_from([(), ("body",), ("note", "body")])
steps = st.tuples(st.sampled_from(ACTIONS), keys, keys, values, kept_columns)


@st.composite
def keyed(draw, kind: str) -> Case:
    """A history of a table with a key, and the way in which it reaches bronze."""
    positional = KINDS[kind] == "debezium_json"
    partitions = draw(st.sampled_from([1, 1, 2]))
    left_out = set()
    if partitions == 2:
        # offsets do not order those who move between two
        left_out = set() if positional else {"truncate", "move", "swap"}
    if not positional:
        left_out |= {"reload", "away", "read"}
    source = Source(positional, dict(enumerate(draw(st.lists(values, max_size=KEYS)))))
    source.reload()
    for action, *told in draw(st.lists(steps, min_size=4, max_size=25)):
        source.do("write" if action in left_out else action, *told)
    segments = source.segments
    count = sum(map(len, segments))
    # most producers lose nothing: only then the rows at the source are those that the messages tell
    some = st.sets(st.integers(0, max(count - 1, 0)), max_size=3)
    lost = draw(st.one_of(st.just(set()), st.just(set()), some))
    numbers = iter(range(count))
    segments = [[one for one in part if next(numbers) not in lost] for part in segments]
    if positional:
        shuffled, log = draw(shuffles(segments))
    else:
        shuffled, log = False, draw(overlapped(segments))
    has_reads = any(message.position is None for message in log)
    sent = placed(log, partitions)
    begins_once = len(segments) == 1 or (len(segments) == 3 and not segments[0])
    # a row without a position knows the full loads of its own partition only
    is_placed = not has_reads or (not shuffled and (partitions == 1 or begins_once))
    is_told = source.is_true and not lost and is_placed
    # a range of offsets tells epochs and inherited positions: its loads come in their order
    in_any_order = not positional or (begins_once and not has_reads)
    loads = draw(st.lists(st.integers(0, LOADS - 1), min_size=len(sent), max_size=len(sent)))
    if not in_any_order:
        loads.sort()
    sent = tuple(replace(one, load=load) for one, load in zip(sent, loads, strict=True))
    return Case(kind, sent, dict(source.rows) if is_told else None)


def moved_on(moves: int) -> Case:
    """A row that changes its key again and again, and leaves values behind each time."""
    source = Source(True, {0: {"amount": 1, "note": "a", "body": "x"}})
    source.reload()
    for number in range(moves):
        source.move(number % KEYS, (number + 1) % KEYS, ("note", "body"))
    log = [message for part in source.segments for message in part]
    # the older half arrives with the last load
    sent = [replace(one, load=LOADS - 1 if one.offset < moves else 0) for one in placed(log, 1)]
    return Case("by_position", tuple(sent), dict(source.rows))


def reloaded() -> Case:
    """Two full loads with nothing between them but what the producer missed."""
    row = {"amount": 1, "note": "a", "body": "x"}
    source = Source(True, {0: row, 1: row})
    source.reload()
    source.do("away", 1, 0, row, ())
    source.reload()
    log = [message for part in source.segments for message in part]
    return Case("by_position", tuple(placed(log, 1)), dict(source.rows))


@dataclass
class Bag:
    """A table without a key."""

    rows: list[Row]
    segments: list[list[Message]] = field(default_factory=list)
    position: int = 1000

    def do(self, action: str, number: int, new: Row) -> None:
        self.position += 10
        if action == "reload":
            self.reload()
        elif action == "truncate":
            self.rows.clear()
            self.send("t")
        elif action == "copy":
            # rows of one statement may be equal, and share a position
            self.rows += [new, new]
            self.send("c", new)
            self.send("c", new)
        elif action == "insert" or not self.rows:
            self.rows.append(new)
            self.send("c", new)
        elif action == "delete":
            self.send("d", before=self.rows.pop(number % len(self.rows)))
        else:
            before = self.rows.pop(number % len(self.rows))
            self.rows.append(new)
            self.send("u", new, before)

    def reload(self) -> None:
        told = [
            Message("r", None, row, self.position, self.position, is_full_load=True)
            for row in self.rows
        ]
        self.segments += [told, []]

    def send(self, op: str, row: Row | None = None, before: Row | None = None) -> None:
        message = Message(op, None, row, self.position, self.position, before=before)
        self.segments[-1].append(message)


@st.composite
def bags(draw, kind: str) -> Case:
    """A history of a table without a key; where positions prove it, the producer may repeat what it sent last."""
    positional = KINDS[kind] == "debezium_json"
    bag = Bag(draw(st.lists(values, max_size=3)))
    bag.reload()
    actions = ["insert", "copy", "update", "delete", "delete", "truncate"]
    changes = st.sampled_from([*actions, "reload"] if positional else actions)
    for told in draw(st.lists(st.tuples(changes, keys, values), min_size=4, max_size=20)):
        # a full load without rows leaves no trace
        if told[0] != "reload" or bag.rows:
            bag.do(*told)
    if positional:
        log = [message for part in bag.segments for message in draw(restarts(part))]
    else:
        log = [message for part in bag.segments for message in part]
    sent = placed(log, 1)
    loads = sorted(
        draw(st.lists(st.integers(0, LOADS - 1), min_size=len(sent), max_size=len(sent)))
    )
    sent = tuple(replace(one, load=load) for one, load in zip(sent, loads, strict=True))
    return Case(kind, sent, dict(enumerate(bag.rows)))


@st.composite
def shuffles(draw, segments: list[list[Message]]) -> tuple[bool, list[Message]]:
    """What positions order may come in any order and twice, but not across the border of a full load."""
    log: list[Message] = []
    shuffled = False
    for part in segments:
        copies = draw(st.lists(st.sampled_from(part), max_size=3)) if part else []
        copies = [one for one in copies if one.position is not None]
        ranks = st.lists(st.integers(0, 9), min_size=len(part), max_size=len(part))
        ranked = sorted(zip(draw(ranks), range(len(part)), part, strict=True))
        arrived = [message for *_, message in ranked] + copies
        shuffled = shuffled or arrived != part
        log += arrived
    return shuffled, log


@st.composite
def restarts(draw, messages: list[Message]) -> list[Message]:
    """What only offsets order comes in order; a producer that starts again repeats what it sent last."""
    log: list[Message] = []
    back = draw(st.lists(st.integers(0, 3), min_size=len(messages), max_size=len(messages)))
    for number, message in enumerate(messages):
        log.append(message)
        again = messages[max(0, number + 1 - back[number]) : number + 1]
        # of a table without a key, only a step back proves that a change is told again
        if again and not (message.key is None and again[0].position == message.position):
            log += again
    return log


@st.composite
def overlapped(draw, segments: list[list[Message]]) -> list[Message]:
    """A full load whose rows, in any order, come while the stream runs: they are older than all of it."""
    log = draw(restarts(segments[-1]))
    for message in draw(st.permutations(segments[1] if len(segments) > 1 else [])):
        log.insert(draw(st.integers(0, len(log))), message)
    return log


def placed(log: list[Message], partitions: int) -> list[Sent]:
    """The messages at their offsets: those of one key in one partition."""
    ends = dict.fromkeys(range(partitions), 0)
    sent = []
    for message in log:
        partition = (message.key or 0) % partitions
        sent.append(Sent(message, partition, ends[partition]))
        ends[partition] += 1
    return sent


def cases(kind: str) -> st.SearchStrategy[Case]:
    """The cases of one of the kinds."""
    return bags(kind) if kind.startswith("without_key") else keyed(kind)


def record(case: Case, name: str, first_offset: int, one: Sent) -> dict:
    """The record that lands in bronze, in the table of a database of its own."""
    write = debezium if case.positional else canal
    key, headers, value = write(one.message, name)
    return {
        "topic": f"cases.{case.kind}",
        "partition": one.partition,
        "offset": first_offset + one.offset,
        "timestamp": 0,
        "headers": headers,
        "key": key and json.dumps(key),
        "value": json.dumps(value),
    }


def debezium(message: Message, database: str) -> tuple:
    source = {"connector": "postgresql", "db": database, "schema": "public", "table": TABLE}
    source["ts_ms"] = message.told_at
    if message.position is None:
        source["snapshot"] = "incremental"
    else:
        source["snapshot"] = "true" if message.is_full_load else "false"
        commit = None if message.is_full_load else str(message.position)
        source["sequence"] = json.dumps([commit, str(message.position)])
    key = None if message.key is None else {"id": message.key}
    images = {"before": message.before, "after": message.row}
    if key:
        # with the default replica identity a deletion names the key alone, an update nothing
        gone = key | dict.fromkeys(VALUES) if message.op == "d" else None
        images = {"before": gone, "after": message.row and key | message.row}
    headers = []
    if message.old_key is not None:
        headers = [("__debezium.oldkey", json.dumps({"id": message.old_key}))]
    return key, headers, images | {"source": source, "op": message.op, "ts_ms": 2}


def canal(message: Message, database: str) -> tuple:
    kinds = {
        "r": "ROW",
        "c": "INSERT",
        "u": "UPDATE",
        "m": "UPDATE",
        "d": "DELETE",
        "t": "TRUNCATE",
    }
    told = {
        "database": database,
        "table": TABLE,
        "type": kinds[message.op],
        "isDdl": message.op == "t",
    }
    key = {} if message.key is None else {"id": message.key}
    told |= {"es": message.told_at, "ts": message.told_at, "id": 1, "pkNames": list(key), "sql": ""}
    told["mysqlType"] = {"id": "int", "amount": "int", "note": "varchar(9)", "body": "text"}
    row, old = message.row or message.before, None
    if message.op == "m":
        old = {"id": message.old_key}
    elif message.op == "u" and UNAVAILABLE not in row.values():
        old = {name: value for name, value in message.before.items() if value != row[name]}
    rows = [key | row] if row else None
    return (
        None,
        [],
        told | {"data": rows and texts(rows), "old": None if old is None else texts([old])},
    )


def texts(rows: list[Row]) -> list[Row]:
    """As Canal writes them: every value as text; a column that the row image lacks is left out."""
    return [
        {
            name: value if value is None else str(value)
            for name, value in row.items()
            if value != UNAVAILABLE
        }
        for row in rows
    ]
