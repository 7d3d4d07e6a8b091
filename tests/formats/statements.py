"""What a statement says, in plain Python: a second reading of docs/statements.md, with a tokeniser and no regular expression of a statement."""

from dataclasses import dataclass

QUOTES = {"`": "`", '"': '"', "[": "]"}
ROWS = ("insert", "update", "delete", "replace", "merge", "load", "with")
MODIFIERS = (
    "online",
    "offline",
    "ignore",
    "unlogged",
    "global",
    "local",
    "private",
    "temp",
    "temporary",
)
ENDINGS = (
    *(
        "restrict",
        "cascade",
        "cascade constraint",
        "cascade constraints",
        "purge",
        "nowait",
        "force",
    ),
    *("restart identity", "continue identity", "drop storage", "reuse storage", "drop all storage"),
)
WITHOUT_ROWS = set(
    [
        "index",
        "indexes",
        "view",
        "views",
        "materialized",
        "procedure",
        "function",
        "trigger",
        "event",
        "user",
        "role",
        "sequence",
        "server",
        "type",
        "domain",
        "synonym",
        "public",
        "package",
        "prepare",
        "spatial",
        "statistics",
        "policy",
        "extension",
        "aggregate",
        "cast",
        "collation",
        "language",
        "procedural",
        "publication",
        "subscription",
        "rule",
        "operator",
        "conversion",
        "text",
        "foreign",
        "access",
        "resource",
        "logfile",
        "undo",
        "tablespace",
        "profile",
        "directory",
        "library",
        "placement",
        "binding",
        "outline",
        "tablegroup",
        "routine",
        "transform",
        "restore",
        "stats",
        "context",
        "java",
        "dimension",
    ]
)
NOT_SURE = "the statement cannot be read for sure"


@dataclass(frozen=True)
class Token:
    """A word, a quoted name, a text or a sign; `text` of a name is without its quotes."""

    kind: str
    text: str


@dataclass(frozen=True)
class Statement:
    """What a text says; the parts of a name stand in a tuple, its table last."""

    kind: str
    tables: tuple[tuple[str, ...], ...] = ()
    is_temporary: bool = False
    is_of_database: bool = False
    doubt: str | None = None


class Unread(Exception):
    """The text does not go on as a statement of its kind must."""


def tokens(text):
    """The tokens of a statement, without comments; what a server executes in a comment is text."""
    found, place = [], 0
    while place < len(text):
        rest = text[place:]
        if rest[0].isspace() or rest.startswith("*/"):
            place += 2 if rest[0] == "*" else 1
        elif length := opening(rest):
            place += length
        elif rest.startswith("/*") and not rest.startswith("/*!") and "*/" in rest[2:]:
            place += rest.index("*/", 2) + 2
        elif rest.startswith("/*") and not rest.startswith(("/*!", "/*M!", "/*T!")):
            found.append(Token("sign", rest))
            place += len(rest)
        elif rest.startswith("--") or (rest[0] == "#" and not goes_on(text, place)):
            place += (rest + "\n").index("\n")
        elif (length := quoted_length(rest)) is not None:
            inner = rest[1 : length - 1]
            close = rest[length - 1]
            kind = "text" if close == "'" else "name"
            found.append(Token(kind, inner.replace(close * 2, close)))
            place += length
        elif rest[0] in QUOTES or rest[0] == "'":
            found.append(Token("sign", rest))
            place += len(rest)
        elif is_word(rest[0]):
            length = next((n for n, sign in enumerate(rest) if not is_word(sign)), len(rest))
            found.append(Token("word", rest[:length]))
            place += length
        else:
            found.append(Token("sign", rest[0]))
            place += 1
    return found


def opening(rest):
    """The length of the mark with which a comment begins that any server since MySQL 5.6 executes."""
    if rest.startswith("/*T!"):
        return rest.index("]") + 1 if rest[4:5] == "[" and "]" in rest else 4
    if rest.startswith("/*M!"):
        return 4 + digits_of(rest[4:])
    if rest.startswith("/*!"):
        digits = digits_of(rest[3:])
        if digits == 0 or (digits == 5 and int(rest[3:8]) < 50700):
            return 3 + digits
    return 0


def digits_of(text):
    return next((n for n, sign in enumerate(text) if sign not in "0123456789"), len(text))


def goes_on(text, place):
    """Does a # belong to a word, as in Oracle's names?"""
    return place > 0 and (
        (text[place - 1].isascii() and text[place - 1].isalnum()) or text[place - 1] in "_$"
    )


def is_word(sign):
    return ord(sign) > 127 or sign.isalnum() or sign in "_$#"


def quoted_length(rest):
    """The length of what is quoted at the beginning; None where nothing is, or where it has no end."""
    close = QUOTES.get(rest[0]) or ("'" if rest[0] == "'" else None)
    if close is None:
        return None
    place = 1
    while place < len(rest):
        if close in "'\"" and rest[place] == "\\":
            place += 2
        elif rest[place] != close:
            place += 1
        elif rest[place + 1 : place + 2] == close and close != "]":
            place += 2
        else:
            return place + 1
    return None


class Reader:
    """Reads tokens from the left."""

    def __init__(self, found):
        self.tokens = found

    def peek(self, *words):
        """Do these words come next?"""
        coming = self.tokens[: len(words)]
        return len(coming) == len(words) and all(
            token.kind in ("word", "sign") and token.text.lower() == word
            for token, word in zip(coming, words, strict=True)
        )

    def take(self, *words):
        """Takes the words if they come next."""
        is_next = self.peek(*words)
        if is_next:
            del self.tokens[: len(words)]
        return is_next

    def take_any(self, *choices):
        """Takes the first of several texts that comes next."""
        return next((text for text in choices if self.take(*text.split())), None)

    def name(self):
        """A name of up to four parts."""
        parts = [self.part()]
        while len(parts) < 4 and self.take("."):
            if self.take("."):
                parts.append("")
            parts.append(self.part())
        return tuple(parts)

    def part(self):
        if not self.tokens or self.tokens[0].kind not in ("word", "name"):
            raise Unread
        return self.tokens.pop(0).text

    def names(self):
        """Names with commas between them, and the new one of each where the tables are renamed."""
        found = []
        while True:
            if self.peek("only") and len(self.tokens) > 1 and self.tokens[1].kind != "sign":
                self.take("only")
            found.append(self.name())
            self.take("*")
            before = list(self.tokens)
            self.waiting()
            if self.take("to"):
                found.append(self.name())
            else:
                self.tokens = before
            if not self.take(","):
                return tuple(found)

    def waiting(self):
        if self.take("wait"):
            self.part()
        else:
            self.take("nowait")

    def end(self):
        """What may follow the names, to the end."""
        while self.tokens:
            if self.take("wait"):
                self.part()
            elif self.take("as"):
                # Oracle's recycle bin
                if not self.part().upper().startswith("BIN$"):
                    raise Unread
            elif not self.take_any(*sorted(ENDINGS, key=len, reverse=True), ";"):
                raise Unread


def read(text):
    """What a text says; None without a statement."""
    if text is None or not text.strip(" "):
        return None
    found = tokens(text)
    reader = Reader(list(found))
    if reader.peek("set", "statement"):
        while reader.tokens and not reader.peek("for"):
            reader.tokens.pop(0)
        if not reader.take("for"):
            return Statement("other", doubt=NOT_SURE)
    if reader.peek("set", "statement") or (text.lstrip().startswith("/*!") and reader.peek("/")):
        return Statement("other", doubt=NOT_SURE)
    return of_verb(reader)


def of_verb(reader):
    """The statement behind its prefixes."""
    all_tokens = list(reader.tokens)
    for verb in ROWS:
        if reader.peek(verb):
            return Statement("other", doubt="a statement without row images")
    if reader.take("truncate"):
        reader.take("table")
        return to_its_end(reader, "truncate")
    if reader.take("rename"):
        if reader.peek("user"):
            return Statement("other")
        reader.take_any("table", "tables")
        return to_its_end(reader, "rename")
    if reader.peek("drop"):
        return drop(reader)
    if found := moved(Reader(list(all_tokens))):
        return found
    if reader.peek("create") or reader.peek("alter"):
        return begun(reader)
    if reader.take_any("flashback table", "recover table", "undrop table"):
        return restored(reader)
    doubt = NOT_SURE if removes_later(all_tokens) else None
    return Statement("other", doubt=doubt)


def moved(reader):
    """SQL Server's ways to move a table; None where the text is none of them."""
    if reader.take("alter", "schema"):
        try:
            reader.name()
        except Unread:
            return None
        if not reader.take("transfer"):
            return None
        reader.take("object", ":", ":")
        return with_names(reader, "rename")
    reader.take_any("exec", "execute")
    reader.take("sys", ".")
    if not reader.take("sp_rename"):
        return None
    told = [token.text.lower() for token in reader.tokens if token.kind == "text"]
    is_table = len(told) < 3 or told[2] not in ("column", "index", "statistics", "userdatatype")
    return Statement("rename") if is_table else Statement("other")


def to_its_end(reader, kind):
    """A statement of which every word must be known."""
    reader.take("if", "exists")
    try:
        tables = reader.names()
        reader.end()
    except Unread:
        return Statement(kind, doubt=NOT_SURE)
    return Statement(kind, tables)


def restored(reader):
    reader.take("if", "exists")
    try:
        tables = reader.names()
        reader.end()
    except Unread:
        tables = ()
    return Statement("other", tables)


def drop(reader):
    reader.take("drop")
    if reader.take_any("table", "tables"):
        return to_its_end(reader, "drop")
    if not reader.peek("database", "link") and reader.take_any("database", "schema"):
        return with_names(reader, "drop", is_of_database=True)
    reader.take_any("global", "local", "private")
    if reader.take_any("temporary", "temp"):
        is_table = reader.take_any("table", "tables") is not None
        if is_table or reader.peek("sequence"):
            return Statement("other", is_temporary=is_table)
        return Statement("other", doubt=NOT_SURE)
    words = [token.text.lower() for token in reader.tokens]
    if reader.take("user") and "cascade" in words:
        return with_names(reader, "drop", is_of_database=True)
    is_known = words[:1] and (words[0] in WITHOUT_ROWS or words[:2] == ["database", "link"])
    goes_on = more_than_one(reader) or (words[:1] == ["tablespace"] and "including" in words)
    return Statement("other", doubt=None if is_known and not goes_on else NOT_SURE)


def begun(reader):
    """CREATE or ALTER, of which the first name is enough."""
    verb = reader.tokens.pop(0).text.lower()
    replaces = verb == "create" and reader.take("or", "replace")
    taken = []
    while word := reader.take_any(*MODIFIERS):
        taken.append(word)
    is_temporary = bool(taken) and taken[-1] in ("temp", "temporary")
    if not taken and reader.take_any("database", "schema"):
        return with_names(reader, "drop" if replaces else verb, is_of_database=True)
    if not reader.take("table"):
        return Statement("other")
    found = with_names(reader, "drop" if replaces else verb)
    if is_temporary and verb == "create":
        return Statement("other", found.tables, True, doubt=found.doubt)
    return found


def with_names(reader, kind, is_of_database=False):
    doubt = NOT_SURE if more_than_one(reader) else None
    reader.take_any("if exists", "if not exists")
    try:
        found = [reader.name()]
        while reader.take(","):
            found.append(reader.name())
    except Unread:
        found = []
    return Statement(kind, tuple(found), is_of_database=is_of_database, doubt=doubt)


def more_than_one(reader):
    """Does another statement follow?"""
    signs = [token.kind == "sign" and token.text == ";" for token in reader.tokens]
    return True in signs and not all(signs[signs.index(True) :])


def removes_later(found):
    """Is there, behind a semicolon, a word that removes rows?"""
    for number, token in enumerate(found):
        if token == Token("sign", ";"):
            reader = Reader(found[number + 1 :])
            if reader.take_any(
                "truncate",
                "drop table",
                "drop tables",
                "drop database",
                "drop schema",
                "rename table",
                "rename tables",
            ):
                return True
    return False


def check(kind, statement, text, place, several_rows=False, one_message_each=False):
    """The reason why a message cannot be applied, or None. `place` has the message's own names, the table last."""
    if statement is None:
        return None
    if statement.doubt:
        return f"{statement.doubt}: {text}"
    if kind not in ("drop", "truncate"):
        return None
    several = len(statement.tables) > 1
    if several and not several_rows and not one_message_each:
        return f"the statement names several tables: {text}"
    if kind != statement.kind:
        return f"the statement is no {kind.upper()}, as the message says: {text}"
    own = [name.lower() for name in place if name]
    named = [[part.lower() for part in name if part] for name in statement.tables]
    table = (place[-1] or "").lower()
    if several:
        is_own = table in [name[-1] for name in named]
    elif statement.is_of_database:
        is_own = not table or (bool(named) and named[0][-1] in own)
    else:
        is_own = bool(named) and own[-len(named[0]) :] == named[0]
    return None if is_own else f"the statement names another table than its message: {text}"
