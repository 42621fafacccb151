# SPDX-License-Identifier: MIT
"""A reader of the ISA's pseudocode: parses a text and runs it on typed values.

The texts themselves are no part of the project; they are read from a file that the user names.
"""

import functools
import re

from typed_numbers import Unevaluable

TOKEN = re.compile(
    r"//[^\n]*|\s+|(?P<sized>\d+'(?:0x[0-9a-fA-F]+|\d+\.\d+|\d+)(?:U|F)?|\d+'[A-Z]+)"
    r"|(?P<number>0x[0-9a-fA-F]+(?:ULL|LL|U|L)?|\d+\.\d+(?:e-?\d+)?F?|\d+(?:ULL|LL|U|L|F)?)"
    r"|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<op>\*\*|<<|>>|<=|>=|==|!=|<>|\+:|\+=|-=|\|=|&&|\|\||[-+*/%&|^~!<>=?:;,.(){}\[\]])"
)


def tokens_of(text):
    out, at = [], 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            raise Unevaluable(f"character {text[at]!r}")
        if match.lastgroup:
            out.append((match.lastgroup, match.group()))
        at = match.end()
    out.append(("end", ""))
    return out


LEVELS = [
    ["||"],
    ["&&"],
    ["|"],
    ["^"],
    ["&"],
    ["==", "!=", "<>"],
    ["<", ">", "<=", ">="],
    ["<<", ">>"],
    ["+", "-"],
    ["*", "/", "%"],
    ["**"],
]
BLOCK_ENDS = ("endif", "else", "elsif", "endfor", "endwhile")


class Parser:
    """Trees are tuples: (kind, parts...)."""

    def __init__(self, text):
        self.tokens, self.at = tokens_of(text), 0

    def peek(self, *texts):
        return self.tokens[self.at][1] in texts and self.tokens[self.at][0] != "end"

    def take(self, *texts):
        if not self.peek(*texts):
            return None
        self.at += 1
        return self.tokens[self.at - 1][1]

    def need(self, text):
        if not self.take(text):
            raise Unevaluable(f"{text!r} awaited before {self.tokens[self.at][1]!r}")

    def name(self):
        kind, text = self.tokens[self.at]
        if kind != "name":
            raise Unevaluable(f"a name awaited before {text!r}")
        self.at += 1
        return text

    def block(self):
        out = []
        while self.tokens[self.at][0] != "end" and not self.peek(*BLOCK_ENDS, ")"):
            if not self.take(";"):
                out.append(self.statement())
        return out

    def statement(self):
        if self.take("if"):
            return self.branch()
        if self.take("for"):
            variable = self.name()
            self.need("in")
            first = self.expression()
            self.need(":")
            last = self.expression()
            self.need("do")
            body = self.block()
            self.need("endfor")
            return ("for", variable, first, last, body)
        if self.take("while"):
            condition = self.expression()
            self.need("do")
            body = self.block()
            self.need("endwhile")
            return ("while", condition, body)
        if self.take("declare"):
            variable = self.name()
            self.need(":")
            size = self.tokens[self.at][1]
            self.at += 1
            count = None
            if self.take("["):
                count = self.expression()
                self.need("]")
            return ("declare", variable, size, count)
        if self.take("return"):
            return ("return", self.expression())
        if self.take("break"):
            return ("break",)
        target = self.expression()
        if operation := self.take("=", "+=", "-=", "|="):
            value = self.lambda_or_expression()
            if operation != "=":
                value = ("binary", operation[0], target, value)
            if self.take("="):  # a = b = value
                return ("chain", target, value, self.expression())
            return ("assign", target, value)
        return ("expression", target)

    def branch(self):
        condition = self.expression()
        self.need("then")
        yes, no = self.block(), []
        if self.take("elsif"):
            return ("if", condition, yes, [self.branch()])
        if self.take("else"):
            no = self.block()
        self.need("endif")
        return ("if", condition, yes, no)

    def lambda_or_expression(self):
        if not self.take("lambda"):
            return self.expression()
        self.need("(")
        names = [self.name()]
        while self.take(","):
            names.append(self.name())
        self.need(")")
        self.need("(")
        body = self.block()
        self.need(")")
        return ("lambda", names, body)

    def expression(self):
        condition = self.binary(0)
        if not self.take("?"):
            return condition
        yes = self.expression()
        self.need(":")
        return ("choose", condition, yes, self.expression())

    def binary(self, level):
        if level == len(LEVELS):
            return self.unary()
        left = self.binary(level + 1)
        while operation := self.take(*LEVELS[level]):
            left = ("binary", operation, left, self.binary(level + 1))
        return left

    def unary(self):
        if operation := self.take("-", "~", "!", "+"):
            return ("unary", operation, self.unary())
        return self.postfix(self.primary())

    def primary(self):
        kind, text = self.tokens[self.at]
        self.at += 1
        if kind in ("number", "sized"):
            if kind == "sized" and self.take("("):
                inner = self.expression()
                self.need(")")
                return ("cast", text, inner)
            return (kind, text)
        if text == "(":
            inner = self.expression()
            self.need(")")
            return inner
        if text == "{":
            parts = [self.expression()]
            while self.take(","):
                parts.append(self.expression())
            self.need("}")
            return ("join", parts)
        if kind == "name":
            if self.take("("):
                arguments = []
                while not self.take(")"):
                    arguments.append(self.expression())
                    self.take(",")
                return ("call", text, arguments)
            return ("name", text)
        raise Unevaluable(f"{text!r} cannot start an expression")

    def postfix(self, tree):
        while True:
            if self.take("."):
                tree = ("view", tree, self.name())
            elif self.take("["):
                first = self.expression()
                if self.take(":"):
                    tree = ("slice", tree, first, self.expression())
                elif self.take("+:"):
                    tree = ("part", tree, first, self.expression())
                else:
                    tree = ("index", tree, first)
                self.need("]")
            else:
                return tree


@functools.cache
def parse(text):
    parser = Parser(text)
    tree = parser.block()
    if parser.tokens[parser.at][0] != "end":
        raise Unevaluable(f"{parser.tokens[parser.at][1]!r} ends no block")
    return tree
