# SPDX-License-Identifier: MIT
"""Reads sections and symbols of ELF files, for comparisons."""

import struct


class Elf:
    def __init__(self, path):
        self.data = open(path, "rb").read()
        assert self.data[:4] == b"\x7fELF", path
        self.flags = struct.unpack_from("<I", self.data, 0x30)[0]
        self.abi_version = self.data[8]
        (at,) = struct.unpack_from("<Q", self.data, 0x28)
        size, count, names = struct.unpack_from("<HHH", self.data, 0x3A)
        self.headers = [struct.unpack_from("<IIQQQQIIQQ", self.data, at + i * size) for i in range(count)]
        self.names = [self.string(names, h[0]) for h in self.headers]

    def string(self, table, offset):
        start = self.headers[table][4] + offset
        return self.data[start : self.data.index(b"\0", start)].decode()

    def content(self, i):
        _, kind, _, _, offset, size, *_ = self.headers[i]
        return b"\0" * size if kind == 8 else self.data[offset : offset + size]

    def sections(self, loaded_only=False):
        """Contents by name; the tables of the file itself are left out."""
        tables = (0, 2, 3, 4, 5, 6, 11, 0x6FFFFFF6)  # symbols, strings, relocations, hashes, dynamic
        return {
            name: self.content(i)
            for i, name in enumerate(self.names)
            if self.headers[i][1] not in tables and (self.headers[i][2] & 2 or not loaded_only)
        }

    def symbols(self, name):
        """(name, value, size, info, visibility) in order; with addresses relative to their section."""
        if name not in self.names:
            return []
        i = self.names.index(name)
        strings = self.headers[i][6]
        out = []
        for at in range(24, self.headers[i][5], 24):
            n, info, other, section, value, size = struct.unpack_from("<IBBHQQ", self.data, self.headers[i][4] + at)
            where = self.names[section] if section < len(self.names) else section
            out.append((self.string(strings, n), value, size, info, other, where if section else ""))
        return out

    def relocations(self):
        """(section, offset, type, symbol name, addend), sorted."""
        out = []
        for i, h in enumerate(self.headers):
            if h[1] != 4:
                continue
            table = h[6]
            for at in range(h[4], h[4] + h[5], 24):
                offset, info, addend = struct.unpack_from("<QQq", self.data, at)
                entry = self.headers[table][4] + (info >> 32) * 24
                n, kind, _, section, value = struct.unpack_from("<IBBHQ", self.data, entry)
                symbol = self.string(self.headers[table][6], n) or (self.names[section] if kind & 15 == 3 else "")
                out.append((self.names[h[7]] if h[7] else "", offset, info & 0xFFFFFFFF, symbol, addend))
        return sorted(out)
