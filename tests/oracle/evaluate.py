# SPDX-License-Identifier: MIT
"""Runs parsed pseudocode of scalar and vector arithmetic for one lane."""

import math
import re
from fractions import Fraction

from typed_numbers import FLOATS, Unevaluable, Value, encode, finite, floating
from functions import Functions, boolean
from pseudocode import parse

TYPE = re.compile(r"(bf|[ufib])(\d+)$")


class Return(Exception):
    def __init__(self, value):
        self.value = value


class Break(Exception):
    pass


class Power(Value):
    """A power of two that may lie outside its format: products with it are rounded once."""

    def __init__(self, exact, width, kind):
        super().__init__(encode(exact, kind, width), width, kind)
        self.exact = exact


def truth(v):
    return v.number() != 0


def float_type(kind, width):
    if (kind, width) not in FLOATS:
        raise Unevaluable(f"type {kind}{width}")
    return kind, width


def to_integer(x, width, signed):
    """Truncates and saturates; NaN gives 0."""
    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)
    if isinstance(x, float) and math.isnan(x):
        return 0
    if isinstance(x, float) and math.isinf(x):
        return high if x > 0 else low
    return min(max(math.trunc(x), low), high)


def nan_as(v, kind, width):
    """A NaN of another width: sign, quiet bit and the top of the payload stay."""
    from_bits, to_bits = FLOATS[v.kind, v.width][1], FLOATS[kind, width][1]
    payload = v.bits & ((1 << from_bits) - 1)
    shift = to_bits - from_bits
    payload = payload << shift if shift >= 0 else payload >> -shift
    quiet = 1 << (to_bits - 1)
    payload = payload or quiet
    top = (v.bits >> (v.width - 1)) << (width - 1)
    return Value(top | ((1 << (width - 1 - to_bits)) - 1) << to_bits | payload, width, kind)


class Machine(Functions):
    """`state` maps S0, S1, S2, D0, VCC, SCC, EXEC and so on to values."""

    def __init__(self, texts, state, lane=0, wave32=True):
        self.texts, self.state, self.lane, self.wave32 = texts, state, lane, wave32

    def run(self, mnemonic):
        text = self.texts.get(mnemonic)
        if not text:
            raise Unevaluable(f"{mnemonic} has no pseudocode")
        try:
            self.block(parse(text))
        except (Break, Return) as e:
            raise Unevaluable("leaves a block that is none") from e
        except (KeyError, TypeError, AttributeError, IndexError, OverflowError) as e:
            raise Unevaluable(f"no meaning here: {e!r}") from e

    # ---- statements ----
    def block(self, trees):
        for tree in trees:
            getattr(self, "do_" + tree[0])(*tree[1:])

    def do_expression(self, tree):
        self.value(tree)

    def do_if(self, condition, yes, no):
        self.block(yes if truth(self.value(condition)) else no)

    def do_for(self, name, first, last, body):
        a, b = self.value(first).number(), self.value(last).number()
        for i in range(a, b + 1):
            self.state[name] = Value(i, 32, "i")
            try:
                self.block(body)
            except Break:
                break

    def do_while(self, condition, body):
        for _ in range(10000):
            if not truth(self.value(condition)):
                return
            try:
                self.block(body)
            except Break:
                return
        raise Unevaluable("endless loop")

    def do_return(self, tree):
        raise Return(self.value(tree))

    def do_break(self):
        raise Break

    def do_declare(self, name, size, count):
        match = re.match(r"(\d+)'([A-Z]+)", size)
        if not match:
            raise Unevaluable(f"declaration {size}")
        width, kind = int(match[1]), match[2].lower()
        if count is None:
            if name not in ("S",):
                self.state[name] = Value(0, width, kind)
        elif name == "S":
            self.state[name] = [self.state[f"S{i}"] for i in range(3)]
        else:
            self.state[name] = [Value(0, width, kind)] * self.value(count).number()

    def do_assign(self, target, value):
        if value[0] == "lambda":
            self.state[target[1]] = value
            return
        self.store(target, self.value(value))

    def do_chain(self, first, second, tree):
        new = self.value(tree)
        self.store(second, new)
        self.store(first, new)

    def store(self, target, new):
        kind = target[0]
        if kind == "name":
            name = target[1]
            old = self.state.get(name)
            if isinstance(old, Value) and name in self.fixed:
                new = self.converted(new, old.kind, old.width)
            self.state[name] = new
        elif kind == "view":
            view = TYPE.match(target[2])
            if target[1] == ("name", "TRAPSTS"):
                return  # exception flags are not compared
            if not view:
                raise Unevaluable(f"view {target[2]}")
            new = self.converted(new, view[1], int(view[2]))
            inner = target[1]
            if inner[0] == "name":
                old = self.state.get(inner[1])
                if not isinstance(old, Value):
                    self.state[inner[1]] = new
                    return
                mask = (1 << new.width) - 1
                width = max(old.width, new.width)
                self.state[inner[1]] = Value(old.bits & ~mask | new.bits, width, old.kind)
            else:
                self.store(inner, new)
        elif kind == "slice":
            high, low = self.value(target[2]).number(), self.value(target[3]).number()
            self.insert(target[1], low, high - low + 1, new.bits)
        elif kind == "index":
            base = self.get(target[1])
            i = self.value(target[2]).number()
            if isinstance(base, list):
                base = list(base)
                base[i] = self.converted(new, base[i].kind, base[i].width)
                self.state[target[1][1]] = base
            else:
                self.insert(target[1], i, 1, new.bits)
        elif kind == "join":
            bits = new.bits
            for part in reversed(target[1]):
                width = int(TYPE.match(part[2])[2]) if part[0] == "view" else 64
                self.store(part, Value(bits, width, "u"))
                bits >>= width
        else:
            raise Unevaluable(f"assignment to {kind}")

    fixed = ("D0", "D1", "SCC", "VCC", "EXEC")

    def insert(self, tree, low, width, bits):
        """Bits of a variable; one that does not exist yet starts with zeros."""
        while tree[0] == "view":
            tree = tree[1]
        if tree[0] != "name":
            raise Unevaluable("a slice of a slice is assigned")
        old = self.state.get(tree[1]) or Value(0, 0, "b")
        mask = ((1 << width) - 1) << low
        total = max(old.width, low + width)
        self.state[tree[1]] = Value(old.bits & ~mask | (bits << low & mask), total, old.kind)

    # ---- expressions ----
    def get(self, tree):
        if tree[0] == "name" and isinstance(self.state.get(tree[1]), list):
            return self.state[tree[1]]
        return self.value(tree)

    def value(self, tree):
        return getattr(self, "is_" + tree[0])(*tree[1:])

    def is_name(self, name):
        if name == "laneId":
            return Value(self.lane, 32, "u")
        if name == "WAVE32":
            return boolean(self.wave32)
        if name == "WAVE64":
            return boolean(not self.wave32)
        if name == "INF":
            return floating(math.inf)
        if name == "PI":
            return floating(math.pi)
        if name == "MAX_FLOAT_F32":
            return Value(0x7F7FFFFF, 32, "f")
        if name in ("ROUND_MODE", "ROUND_NEAREST_EVEN", "prev_mode"):
            return Value(0, 2, "u")
        found = self.state.get(name)
        if not isinstance(found, Value):
            raise Unevaluable(f"name {name}")
        return found

    def is_number(self, text):
        if "." in text or text.endswith("F") and not text.startswith("0x"):
            wide = not text.endswith("F")
            return floating(float(text.rstrip("F")), "f", 64 if wide else 32)
        digits = text.rstrip("UL")
        suffix = text[len(digits) :]
        width = 64 if "LL" in suffix else 32
        n = int(digits, 0)
        return Value(n, max(width, n.bit_length()), "u" if "U" in suffix or "0x" in text else "i")

    def is_sized(self, text):
        width, rest = text.split("'")
        width = int(width)
        if "." in rest:
            return floating(float(rest.rstrip("F")), *float_type("f", width))
        return Value(int(rest.rstrip("U"), 0), width, "u")

    def is_cast(self, size, tree):
        width, kind = re.match(r"(\d+)'([A-Z]+)", size).groups()
        return self.converted(self.value(tree), kind.lower(), int(width))

    def is_view(self, tree, name):
        match = TYPE.match(name)
        if tree == ("name", "WAVE_MODE"):
            if name == "IEEE":
                return self.state["IEEE"]
            raise Unevaluable(f"MODE.{name}")
        if not match:
            raise Unevaluable(f"view {name}")
        kind, width = match[1], int(match[2])
        if tree[0] == "name" and tree[1] in ("NAN", "INF"):
            return floating(math.nan if tree[1] == "NAN" else math.inf, kind, width)
        if tree[0] == "unary" and tree[2][0] == "name" and tree[2][1] == "INF":
            return floating(-math.inf, kind, width)
        found = self.value(tree)
        if kind == "i" and found.kind == "i" and width > found.width:
            return self.converted(found, kind, width)
        return found.viewed(kind, width)

    def is_slice(self, tree, high, low):
        base = self.value(tree)
        a, b = self.value(high).number(), self.value(low).number()
        if a < b:
            bits = bin(base.bits >> a & ((1 << (b - a + 1)) - 1))[2:].zfill(b - a + 1)
            return Value(int(bits[::-1], 2), b - a + 1, "u")  # bits in the reverse order
        return Value(base.bits >> b, a - b + 1, "u")

    def is_part(self, tree, low, count):
        n = self.value(count).number()
        return Value(self.value(tree).bits >> self.value(low).number(), n, "u")

    def is_index(self, tree, at):
        base, i = self.get(tree), self.value(at).number()
        if isinstance(base, list):
            return base[i]
        return Value(base.bits >> i, 1, "u")

    def is_join(self, parts):
        bits = width = 0
        for part in parts:
            v = self.value(part)
            bits, width = bits << v.width | v.bits, width + v.width
        return Value(bits, width, "u")

    def is_choose(self, condition, yes, no):
        return self.value(yes if truth(self.value(condition)) else no)

    def is_unary(self, operation, tree):
        v = self.value(tree)
        if operation == "!":
            return boolean(not truth(v))
        if operation == "~":
            return Value(~v.bits, v.width, v.kind)
        if operation == "+":
            return v
        if v.is_float:
            return Value(v.bits ^ 1 << (v.width - 1), v.width, v.kind)
        return Value(-v.number(), v.width, "i")

    def is_binary(self, operation, left, right):
        a = self.value(left)
        if operation == "&&" and not truth(a):
            return boolean(False)
        if operation == "||" and truth(a):
            return boolean(True)
        b = self.value(right)
        if operation in ("&&", "||"):
            return boolean(truth(b))
        x, y = a.number(), b.number()
        compare = {
            "==": x == y,
            "!=": x != y,
            "<>": (x < y or x > y),
            "<": x < y,
            ">": x > y,
            "<=": x <= y,
            ">=": x >= y,
        }
        if operation in compare:
            return boolean(compare[operation])
        if operation == "<<":
            return Value(a.bits << min(y, 4096), a.width, a.kind)
        if operation == ">>":
            return Value(x >> min(y, 4096), a.width, a.kind)
        if a.is_float or b.is_float:
            return self.float_binary(operation, a, b)
        width = max(a.width, b.width)
        # A constant takes the other operand's signedness.
        kind = "i" if a.kind == b.kind == "i" or "i" in (a.kind, b.kind) and "f" else "u"
        kind = a.kind if right[0] == "number" else b.kind if left[0] == "number" else kind
        whole = {
            "+": lambda: x + y,
            "-": lambda: x - y,
            "*": lambda: x * y,
            "&": lambda: a.bits & b.bits,
            "|": lambda: a.bits | b.bits,
            "^": lambda: a.bits ^ b.bits,
            "%": lambda: math.fmod(x, y) if y else 0,
            "**": lambda: x**y,
        }
        if operation == "/":
            raise Unevaluable("integer division")
        return Value(int(whole[operation]()), width, kind)

    def float_binary(self, operation, a, b):
        wide = max((v for v in (a, b) if v.is_float), key=lambda v: v.width)
        kind, width = wide.kind, wide.width
        x, y = a.number(), b.number()
        if operation == "**":
            y = max(min(int(y), 5000), -5000)  # beyond every format; kept exact for a product
            return Value(0, width, kind) if not x else Power(Fraction(x) ** y, width, kind)
        nan = next((v for v in (a, b) if v.is_float and math.isnan(v.number())), None)
        if nan:
            return nan
        x, y = float(x), float(y)
        if operation == "*":
            # A product with a power of two beyond the format's range is exact first.
            powers = [v.exact for v in (a, b) if isinstance(v, Power)]
            if powers:
                other = x if isinstance(b, Power) else y
                exact = Fraction(other) * powers[0] if finite(other) and other else other
            else:
                exact = Fraction(x) * Fraction(y) if finite(x, y) and x and y else x * y
        elif operation in "+-":
            y = y if operation == "+" else -y
            exact = Fraction(x) + Fraction(y) if finite(x, y) and x + y else x + y
        elif operation == "/":
            if y == 0:
                exact = math.nan if x == 0 else math.copysign(math.inf, x) * math.copysign(1, y)
            else:
                exact = Fraction(x) / Fraction(y) if finite(x, y) and x else x / y
        else:
            raise Unevaluable(f"float {operation}")
        return floating(exact, kind, width)

    def converted(self, v, kind, width):
        """A value as another type: floats by value, everything else by bits."""
        if kind in ("f", "bf"):
            float_type(kind, width)
            if v.is_float:
                if (v.kind, v.width) == (kind, width):
                    return v
                if math.isnan(v.number()):
                    return nan_as(v, kind, width)
                return floating(v.number(), kind, width)
            if v.kind == "i" or v.kind == "u" and v.width != width:
                return floating(Fraction(v.number()), kind, width)
            return v.viewed(kind, width)
        if v.is_float:
            if kind in ("u", "i") and v.width != width:
                return Value(to_integer(v.number(), width, kind == "i"), width, kind)
            return v.viewed(kind, width)
        return Value(v.number() if v.kind == "i" else v.bits, width, kind)

    # ---- functions ----
    def is_call(self, name, trees):
        function = self.state.get(name)
        if isinstance(function, tuple) and function[0] == "lambda":
            return self.call_lambda(function, [self.value(t) for t in trees])
        arguments = [self.value(t) for t in trees]
        if method := getattr(self, "fn_" + name, None):
            return method(*arguments)
        if match := re.match(r"(bf|[fiu])(\d+)_to_(bf|[fiu])(\d+)$", name):
            source = arguments[0].viewed(match[1], int(match[2]))
            kind, width = match[3], int(match[4])
            if kind in ("u", "i") and source.is_float:
                return Value(to_integer(source.number(), width, kind == "i"), width, kind)
            if kind in ("f", "bf") and not source.is_float:
                return floating(Fraction(source.number()), kind, width)
            return self.converted(source, kind, width)
        if match := re.match(r"f\d+_to_([su])norm$", name):
            signed = match[1] == "s"
            x, top = arguments[0].number(), 32767 if signed else 65535
            x = 0 if math.isnan(x) else min(max(x, -1 if signed else 0), 1)
            return Value(round(Fraction(x) * top), 16, "i" if signed else "u")
        if name.startswith(("v_", "s_")):
            return self.call_row(name, arguments)
        raise Unevaluable(f"function {name}")

    def call_lambda(self, function, arguments):
        saved = {n: self.state.get(n) for n in function[1]}
        self.state.update(zip(function[1], arguments))
        try:
            if len(function[2]) == 1 and function[2][0][0] == "expression":
                return self.value(function[2][0][1])
            self.block(function[2])
        except Return as result:
            return result.value
        finally:
            self.state.update(saved)
        raise Unevaluable("a function returns nothing")

    def call_row(self, name, arguments):
        inner = Machine(self.texts, dict(self.state), self.lane, self.wave32)
        inner.state["D0"] = Value(0, 64, "b")
        for i, argument in enumerate(arguments):
            inner.state[f"S{i}"] = argument.viewed("b", 64) if not argument.is_float else argument
        inner.run(name)
        match = re.search(r"_(bf|[fiub])(\d+)$", name)
        if match and int(match[2]) in (16, 32, 64):
            return inner.state["D0"].viewed(match[1], int(match[2]))
        return inner.state["D0"].viewed("u", 32)
