# SPDX-License-Identifier: MIT
"""Seeded lines and words near the valid ones of tests/data."""

import functools
import gzip
import re

from llvm_mc import ROOT

# What an operand may be replaced by: registers of all kinds and sizes, at and beyond the ends, constants around the
# borders of their classes, and spellings that few places take.
OPERANDS = """v1 v255 v256 v[2:3] v[3:4] v[4:7] v[1:3] v[0:31] v[254:255] v[255:256] v[5] v1.l v1.h v128.l
[v1,v2] a1 a[2:3] a[4:7] s1 s101 s103 s105 s[2:3] s[1:2] s[4:7] s[8:11] s[10:12] s[100:101] s[101:102] s[7] [s2,s3]
ttmp2 ttmp11 ttmp[4:5] ttmp[14:15] vcc vcc_lo vcc_hi exec exec_lo exec_hi m0 null off scc flat_scratch_lo xnack_mask
src_scc src_vccz src_execz src_shared_base src_private_limit src_lds_direct src_pops_exiting_wave_id
0 0x0 1 0x1 3 16 31 64 65 100 -1 -5 -16 -17 0.5 1.0 1.5 -2.0 3.0 4.0 -4.0 0.15915494 1.0e10 1+2
0x1234 0x3800 0xfe0b 0xffff 0x10000 0x12345678 0x3e22f983 0x80000000 0xaf123456 0xffffffff -0x80000000
0x7fffffffffffffff lit(1) lit(0x12345678) -v2 |v2| -|v2| neg(v1) abs(v1) sext(v1) clamp glc""".split()
MODIFIERS = """clamp mul:2 mul:4 div:2 op_sel:[1,0] op_sel:[0,1,0] op_sel:[0,0,0,1] op_sel:[1,1,1,1] op_sel_hi:[0,0]
op_sel_hi:[0,0,0] neg_lo:[1,0] neg_hi:[0,1] neg_lo:[1,1,1] neg:[1,0,0] byte_sel:1 byte_sel:3 bitop3:0x27 index_key:1
offset:4 offset:4095 offset:65535 offset:-8 offset:0 offset:8388607 offset:-4096 offset0:1 offset1:255
offset:swizzle(SWAP,1) glc slc dlc scc sc0 sc1 nt nv gds lds tfe lwe offen idxen unorm a16 r128 d16 done row_en vm
compr dim:SQ_RSRC_IMG_2D dim:SQ_RSRC_IMG_CUBE dmask:0x3 dmask:0xf format:22 format:[BUF_FMT_32_FLOAT]
th:TH_LOAD_NT th:TH_STORE_NT th:TH_ATOMIC_RETURN scope:SCOPE_SE row_shl:1 row_shr:15 row_ror:3 row_bcast:15
wave_shl:1 row_share:2 row_xmask:5 row_newbcast:3 row_mirror quad_perm:[0,1,2,3] row_mask:0x3 bank_mask:0x1
bound_ctrl:0 bound_ctrl:1 fi:1 dpp8:[7,6,5,4,3,2,1,0] src0_sel:WORD_1 src1_sel:BYTE_2 dst_sel:BYTE_0
dst_unused:UNUSED_PRESERVE cbsz:1 abid:1 blgp:1 matrix_a_fmt:1 wait_exp:1 wait_vdst:1 wait_va_vdst:1 wait_vm_vsrc:1
high 0 v1 neg_lo""".split()
WRAPPERS = ["-{}", "|{}|", "-|{}|", "neg({})", "abs({})", "sext({})", "lit({})", "{}.l", "{}.h", "--{}", "||{}||"]
TAILS = [" ]", " ,", " 1", " ::", " clamp", " //x", " ;x", "x"]
SUFFIX = re.compile("_(e32|e64|dpp|sdwa|e64_dpp)$")
SUFFIXES = ["", "_e32", "_e64", "_dpp", "_sdwa", "_e64_dpp"]
_COMMA = re.compile(r",(?![^\[(]*[\])])")
_REGISTER = re.compile(r"\b([vsa]|ttmp)\[?(\d+)(?::(\d+)\])?")


def _entries(kind, mode):
    family = next(f for f in ("gfx9", "gfx11", "gfx12") if mode.target.startswith(f))
    names = {mode.target + (":true16" if mode.true16 else "")}
    if mode.target == "gfx1150":
        names.add("gfx1100")  # its own list has only what is different
    with gzip.open(ROOT / "tests" / "data" / f"{kind}_{family}.txt.gz", "rt") as file:
        for line in file:
            targets, wave, word, text = line.rstrip("\n").split(" ", 3)
            if names & set(targets.split(",")) and wave in ("any", str(mode.wave)):
                yield word, text


@functools.lru_cache(maxsize=None)
def pools(mode):
    """Valid lines, the same by mnemonic, and valid words, in a fixed order."""
    both = [*_entries("vectors", mode), *_entries("asm", mode)]
    lines = list(dict.fromkeys(text for word, text in both if "-" not in (word, text)))
    words = list(dict.fromkeys(word for word, text in both if "-" not in (word, text)))
    mnemonics = {}
    for line in lines:
        mnemonics.setdefault(line.split(" ")[0], []).append(line)
    assert lines and words, f"no vectors of {mode.name}"
    return lines, list(mnemonics.values()), words


def parts(line):
    mnemonic, _, rest = line.partition(" ")
    return mnemonic, [o.strip() for o in _COMMA.split(rest)] if rest else []


def joined(mnemonic, operands):
    return f"{mnemonic} {', '.join(operands)}".strip()


def _other_register(random, operand):
    def other(m):
        bank, first, last = m[1], m[2], m[3]
        if last is None:
            ends = [0, 1, 2, 3, 5, 7, 100, 101, 102, 105, 106, 127, 128, 255, 256, random.randrange(256)]
            return f"{bank}{random.choice(ends)}"
        first, last = int(first), int(last)
        count = last - first + 1
        match random.randrange(4):
            case 0:
                first += 1
            case 1:
                count += random.choice([-1, 1, 2, -2])
            case 2:
                first = random.randrange(256) // 2 * 2
            case _:
                first = random.choice([0, 2, 4, 100, 102, 104, 252, 248])
        return f"{bank}[{first}:{first + count - 1}]"

    return _REGISTER.sub(other, operand, count=1)


def _with_first(operand, first):
    """The modifiers of the last operand stay."""
    _, blank, rest = operand.partition(" ")
    return first + blank + rest


def _mutate_operand(random, operands, pool):
    i = random.randrange(len(operands))
    first = operands[i].split(" ")[0]
    match random.randrange(10):
        case 0 | 1 | 2:
            operands[i] = _with_first(operands[i], random.choice(OPERANDS))
        case 3 | 4:
            operands[i] = _other_register(random, operands[i])
        case 5:
            if other := parts(random.choice(pool))[1]:
                operands[i] = _with_first(operands[i], random.choice(other).split(" ")[0])
        case 6:
            operands[i] = _with_first(operands[i], random.choice(WRAPPERS).format(first))
        case 7:
            operands.pop(i)
        case 8:
            operands.insert(i, random.choice(operands).split(" ")[0])
        case _:
            j = random.randrange(len(operands))
            operands[i], operands[j] = operands[j], operands[i]


def _mutate_modifiers(random, operands, pool):
    words = operands[-1].split(" ")
    match random.randrange(5):
        case 0 | 1:
            words.append(random.choice(MODIFIERS))
        case 2:
            if len(words) > 1:
                words.pop(random.randrange(1, len(words)))
        case 3:
            if len(words) > 1:
                tail = words[1:]
                random.shuffle(tail)
                words[1:] = tail + ([random.choice(tail)] if random.random() < 0.5 else [])
        case _:
            words += [w for w in random.choice(pool).split(" ")[2:] if ":" in w and w[0].isalpha()][:1]
    operands[-1] = " ".join(words)


def _mutate_characters(random, line):
    at = random.randrange(len(line))
    match random.randrange(3):
        case 0:
            return line[:at] + random.choice("[](){},:|-+x0.;") + line[at:]
        case 1:
            return (line[:at] + line[at + 1 :]).strip()
        case _:
            return line + random.choice(TAILS)


def _mutate_number(random, line):
    def other(m):
        if len(m[0]) > 5 or random.random() > 0.4:
            return m[0]
        return str(max(0, int(m[0]) + random.choice([-1, 1, 2, -2, 4, 128, 1000])))

    mnemonic, blank, rest = line.partition(" ")
    return mnemonic + blank + re.sub(r"\d+", other, rest)


def mutated(random, line, pool):
    mnemonic, operands = parts(line)
    kind = random.randrange(16)
    if kind < 7 and operands:
        _mutate_operand(random, operands, pool)
    elif kind < 10 and operands:
        _mutate_modifiers(random, operands, pool)
    elif kind < 11:
        mnemonic = SUFFIX.sub("", mnemonic) + random.choice(SUFFIXES)
    elif kind < 13:
        mnemonic = parts(random.choice(pool))[0]
    elif kind < 14:
        return _mutate_number(random, line)
    else:
        return _mutate_characters(random, line)
    return joined(mnemonic, operands)


def lines(random, mode, count):
    """Mutated lines, none twice. Half are chosen by mnemonic, so that rare ones come too."""
    pool, groups, _ = pools(mode)
    found = {}
    while len(found) < count:
        line = random.choice(random.choice(groups) if random.random() < 0.5 else pool)
        line = mutated(random, line, pool)
        if random.random() < 0.15 and line:
            line = mutated(random, line, pool)
        if line and line.isascii():
            found[line] = None
    return list(found)


def words(random, mode, count):
    """Valid words with some bits changed or with fields of others, and words of random bits."""
    _, _, pool = pools(mode)
    found = {}
    while len(found) < count:
        word = random.choice(pool)
        size = len(word) // 2
        value = int.from_bytes(bytes.fromhex(word), "little")
        kind = random.randrange(8)
        if kind < 4:
            for _ in range(random.choice([1, 1, 1, 2, 3])):
                value ^= 1 << random.randrange(size * 8)
        elif kind < 6:
            other = int.from_bytes(bytes.fromhex(random.choice(pool)), "little")
            low = random.randrange(size * 8)
            mask = ((1 << random.randrange(1, 33)) - 1) << low
            value = (value & ~mask | other & mask) & (1 << size * 8) - 1
        else:
            kept = random.choice([6, 9, 16])  # bits that choose the format
            head = value & 0xFFFFFFFF & ~((1 << 32 - kept) - 1)
            value = random.getrandbits(size * 8 - 32) << 32 if size > 4 else 0
            value |= head | random.getrandbits(32 - kept)
        found[value.to_bytes(size, "little").hex()] = None
    return list(found)
