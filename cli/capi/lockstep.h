/* SPDX-License-Identifier: MIT
 * Lockstep's C interface: run AMD GPU machine code in this process, on the CPU.
 *
 * All functions may be called from several threads. Nothing throws. Functions that return int give
 * 0 (or what is said there) or one of the negative codes below; lockstep_last_error() then tells
 * why in plain words. LOCKSTEP_THREADS, LOCKSTEP_ENGINE, LOCKSTEP_MAX_INSTRUCTIONS and
 * LOCKSTEP_SCHEDULE_SEED in the environment choose how kernels run; they are read once. */
#ifndef LOCKSTEP_H
#define LOCKSTEP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef LOCKSTEP_API
#define LOCKSTEP_API __attribute__((visibility("default")))
#endif

enum lockstep_status {
  LOCKSTEP_OK = 0,
  LOCKSTEP_ERROR_ARGUMENT = -1,    /* an argument (or a LOCKSTEP_* variable) is wrong */
  LOCKSTEP_ERROR_INPUT = -2,       /* a code object or an instruction could not be read */
  LOCKSTEP_ERROR_FAULT = -3,       /* the kernel faulted: bad address, bad instruction, trap, ... */
  LOCKSTEP_ERROR_LIMIT = -4,       /* LOCKSTEP_MAX_INSTRUCTIONS was reached */
  LOCKSTEP_ERROR_UNSUPPORTED = -5, /* the instruction is known, but not executed yet */
  LOCKSTEP_ERROR_INTERNAL = -6     /* out of memory, or a mistake of Lockstep itself */
};

/* ---- Raw machine code: what in-process mock drivers call ---- */

/* Runs one dispatch of machine code that lies in this process's memory. Every guest address is a
 * host address.
 *
 * code, code_size   first instruction (4-byte aligned) and the bytes that may follow it
 * gx gy gz          grid in workgroups
 * lx ly lz          workgroup size in work-items; the last wave of a group may be partial
 * kernarg           kernel arguments, may be NULL
 * rsrc2             COMPUTE_PGM_RSRC2 as a driver writes it. Used are USER_SGPR_COUNT (5:1: where
 *                   the workgroup ids start), the id enables (9:7) and LDS (23:15, units of 512
 * bytes) scratch_size      private memory of one work-item in bytes, 0 = none; each wave has its
 * own arch              "rdna3": gfx1100 with RDNA 3.5's scalar float instructions, "rdna4":
 * gfx1201, "cdna": gfx950, or a gfx name. Waves have 32 lanes on RDNA, 64 on CDNA. user_data
 * n_user_data words for s0 and up; NULL and 0: s[0:1] hold the address kernarg
 *
 * v0 holds x + (y << 10) + (z << 20). All other registers start as 0. Returns 0 or a negative code.
 */
LOCKSTEP_API int run_asm(const void* code, uint32_t code_size, uint32_t gx, uint32_t gy,
                         uint32_t gz, uint32_t lx, uint32_t ly, uint32_t lz, const void* kernarg,
                         uint32_t rsrc2, uint32_t scratch_size, const char* arch,
                         const uint32_t* user_data, uint32_t n_user_data);

/* Optional: what else the driver wrote. It holds for the following run_asm calls of this thread,
 * until it is called again; 0, 0, 0 goes back to the defaults. rsrc1 gives the float mode
 * (rounding, denormals, DX10_CLAMP, IEEE). dispatch_initiator bit 15 (CS_W32_EN) clear means 64
 * lanes on RDNA; an initiator of 0 says nothing. Without it: nearest even, f32 denormals flushed
 * and others kept, DX10_CLAMP and IEEE on. All VGPRs of the target are there in any case. */
LOCKSTEP_API void run_asm_set_state(uint32_t rsrc1, uint32_t rsrc3, uint32_t dispatch_initiator);

/* Why the last call in this thread failed; "" if it did not. Valid until the next call in this
 * thread. Never NULL. */
LOCKSTEP_API const char* lockstep_last_error(void);

/* ---- About the library ---- */

/* "0.1.0" */
LOCKSTEP_API const char* lockstep_version(void);
/* Names of the targets, "gfx90a" and so on; NULL for an index that is too large. */
LOCKSTEP_API size_t lockstep_target_count(void);
LOCKSTEP_API const char* lockstep_target_name(size_t index);

/* ---- Instructions ---- */

enum lockstep_operand_kind {
  LOCKSTEP_OPERAND_NONE = 0,
  LOCKSTEP_OPERAND_SCALAR = 1,    /* reg: 0.. s0, 106 vcc, 108 ttmp0, 124 null, 125 m0, 126 exec */
  LOCKSTEP_OPERAND_VGPR = 2,      /* reg: number */
  LOCKSTEP_OPERAND_AGPR = 3,      /* reg: number */
  LOCKSTEP_OPERAND_CONSTANT = 4,  /* value: inline constant */
  LOCKSTEP_OPERAND_SPECIAL = 5,   /* reg: source code of src_scc, src_shared_base, ... */
  LOCKSTEP_OPERAND_LITERAL = 6,   /* value: the dword behind the instruction */
  LOCKSTEP_OPERAND_IMMEDIATE = 7, /* value: an immediate field, such as a branch offset */
  LOCKSTEP_OPERAND_OFF = 8        /* an address part that is not used */
};

typedef struct lockstep_operand {
  uint8_t kind;       /* enum lockstep_operand_kind */
  uint8_t dwords;     /* consecutive registers (of one lane, for vector registers) */
  uint8_t is_written; /* 1 = result, 0 = source */
  uint8_t flags;      /* 1 = bits 31:16 of the register, 2 = negated, 4 = absolute value */
  uint32_t reg;
  uint32_t value;
} lockstep_operand;

#define LOCKSTEP_MAX_OPERANDS 16
typedef struct lockstep_instruction {
  uint32_t struct_size;   /* set by the caller: sizeof(lockstep_instruction) */
  uint32_t size;          /* bytes of the encoding */
  uint32_t is_executed;   /* 0: decoded and printed, but running it ends with an error */
  uint32_t operand_count; /* both halves, for dual instructions */
  lockstep_operand operands[LOCKSTEP_MAX_OPERANDS];
  char mnemonic[64];
  char text[256]; /* in LLVM's syntax */
} lockstep_instruction;

/* Decodes the instruction at `bytes`. `address` is only used for branch targets in the text.
 * wave_size 0 = the usual one of the architecture. */
LOCKSTEP_API int lockstep_decode(const char* arch, const void* bytes, size_t size,
                                 uint32_t wave_size, uint64_t address,
                                 lockstep_instruction* instruction);

/* ---- Disassembler: decode and print ----
 *
 *   lockstep_disassembler* d = lockstep_disasm_open("gfx1100", NULL);
 *   const uint8_t* at = code;
 *   size_t left = code_size;
 *   uint64_t address = 0;
 *   lockstep_insn insn;
 *   int got;
 *   while ((got = lockstep_disasm_next(d, &at, &left, &address, &insn)) == 1)
 *     printf("%08llx  %s\n", (unsigned long long)insn.address, insn.text);
 *   if (got < 0) fprintf(stderr, "%s\n", lockstep_last_error());
 *   lockstep_disasm_close(d);
 *
 * A disassembler does not change after it is opened: threads may share one. Structures only grow at
 * places that are reserved today, so their sizes are stable. */

typedef struct lockstep_disassembler lockstep_disassembler;

enum lockstep_disasm_flags {
  LOCKSTEP_DISASM_REAL_TRUE16 = 1, /* 16-bit operands as v1.l and v1.h */
  LOCKSTEP_DISASM_NO_OPERANDS = 2, /* leave operands, groups and target out: faster */
  LOCKSTEP_DISASM_NO_TEXT = 4,     /* leave mnemonic and text out: faster */
  LOCKSTEP_DISASM_DATA = 8         /* what is no instruction is given as one of is_data, instead of
                                      ending with an error */
};

typedef struct lockstep_disasm_options {
  uint32_t struct_size; /* sizeof(lockstep_disasm_options) */
  uint32_t wave_size;   /* 32, 64; 0: the usual one of the target */
  uint32_t flags;       /* enum lockstep_disasm_flags */
  uint32_t reserved;    /* 0 */
} lockstep_disasm_options;

/* NULL options: all 0. NULL on failure. target: as for run_asm. */
LOCKSTEP_API lockstep_disassembler* lockstep_disasm_open(const char* target,
                                                         const lockstep_disasm_options* options);
/* NULL is allowed. No other call with it may be running. */
LOCKSTEP_API void lockstep_disasm_close(lockstep_disassembler* disassembler);

/* kind of an operand: enum lockstep_operand_kind, and: */
#define LOCKSTEP_OPERAND_STATE 9 /* reg: enum lockstep_state */
enum lockstep_state {
  LOCKSTEP_STATE_SCC = 1,
  LOCKSTEP_STATE_VCC = 2,
  LOCKSTEP_STATE_EXEC = 3,
  LOCKSTEP_STATE_M0 = 4,
  LOCKSTEP_STATE_PC = 5,
  LOCKSTEP_STATE_MODE = 6,
  LOCKSTEP_STATE_FLAT_SCRATCH = 7
};
enum lockstep_access { LOCKSTEP_READ = 1, LOCKSTEP_WRITE = 2, LOCKSTEP_READ_WRITE = 3 };
enum lockstep_operand_flags {
  LOCKSTEP_FLAG_HIGH_HALF = 1, /* bits 31:16 of the register */
  LOCKSTEP_FLAG_NEG = 2,
  LOCKSTEP_FLAG_ABS = 4,
  LOCKSTEP_FLAG_SEXT = 8
};

typedef struct lockstep_insn_operand {
  uint8_t kind;
  uint8_t access;      /* enum lockstep_access */
  uint8_t is_implicit; /* 1: no field of the encoding holds it */
  uint8_t flags;       /* enum lockstep_operand_flags */
  uint16_t count;      /* consecutive registers, of one lane */
  uint16_t bits;       /* of the value, in one lane; lane masks: lanes of a wave */
  uint32_t reg;        /* first register, state, or source code of a special operand */
  uint32_t type;       /* see lockstep_type_name() */
  uint64_t value;      /* constants, literals, immediates */
  char role[16];       /* "dst", "src0", "address", "data", "resource", ... */
} lockstep_insn_operand;

/* Bits of lockstep_insn.groups. */
enum lockstep_group {
  LOCKSTEP_GROUP_BRANCH = 1,
  LOCKSTEP_GROUP_CONDITIONAL = 2,
  LOCKSTEP_GROUP_CALL = 4,
  LOCKSTEP_GROUP_END = 8,
  LOCKSTEP_GROUP_BARRIER = 16,
  LOCKSTEP_GROUP_WAIT = 32,
  LOCKSTEP_GROUP_LOAD = 64,
  LOCKSTEP_GROUP_STORE = 128,
  LOCKSTEP_GROUP_ATOMIC = 256,
  LOCKSTEP_GROUP_SCALAR_MEMORY = 512,
  LOCKSTEP_GROUP_VECTOR_MEMORY = 1024,
  LOCKSTEP_GROUP_LDS = 2048,
  LOCKSTEP_GROUP_SCALAR_ALU = 4096,
  LOCKSTEP_GROUP_VECTOR_ALU = 8192,
  LOCKSTEP_GROUP_MATRIX = 16384,
  LOCKSTEP_GROUP_IMAGE = 32768,
  LOCKSTEP_GROUP_EXPORT = 65536,
  LOCKSTEP_GROUP_TRAP = 131072
};

#define LOCKSTEP_INSN_BYTES 20
#define LOCKSTEP_INSN_OPERANDS 24
typedef struct lockstep_insn {
  uint64_t address;
  uint64_t target;        /* of a direct branch or call, if has_target */
  uint32_t size;          /* bytes */
  uint32_t id, second_id; /* rows, see lockstep_row_name(); second_id: pairs, else 0xffffffff */
  uint32_t format;        /* see lockstep_format_name() */
  uint32_t groups;        /* enum lockstep_group */
  uint8_t has_target;
  uint8_t is_data;       /* no instruction; only with LOCKSTEP_DISASM_DATA */
  uint8_t is_executed;   /* 0: known, but running it ends with an error */
  uint8_t operand_count; /* explicit ones in the order of the text, then implicit ones */
  uint8_t bytes[LOCKSTEP_INSN_BYTES];
  uint32_t reserved[3];
  lockstep_insn_operand operands[LOCKSTEP_INSN_OPERANDS];
  char mnemonic[64]; /* pairs: of the first half */
  char text[256];    /* in LLVM's syntax */
} lockstep_insn;

/* The instruction at `bytes`. Returns 0 or a negative code; *insn is then zeros. */
LOCKSTEP_API int lockstep_disasm_one(const lockstep_disassembler* disassembler, const void* bytes,
                                     size_t size, uint64_t address, lockstep_insn* insn);
/* The instruction at *code, and moves *code, *size and *address behind it. Returns 1; 0 at the end;
 * a negative code where there is no instruction: nothing moves then. */
LOCKSTEP_API int lockstep_disasm_next(const lockstep_disassembler* disassembler,
                                      const uint8_t** code, size_t* size, uint64_t* address,
                                      lockstep_insn* insn);
/* Up to `most` instructions into `insns`; the number is given back in *count. Returns 0, or a
 * negative code if it ended early at something that is no instruction (those before it are good). */
LOCKSTEP_API int lockstep_disasm_many(const lockstep_disassembler* disassembler, const void* code,
                                      size_t size, uint64_t address, lockstep_insn* insns,
                                      size_t most, size_t* count);
/* Text of a register operand ("v[4:5]", "vcc_lo", "scc"). Returns its length, like snprintf; a
 * negative code if it is no register. */
LOCKSTEP_API int lockstep_register_text(const lockstep_disassembler* disassembler,
                                        const lockstep_insn_operand* operand, char* text,
                                        size_t text_size);
/* Names; NULL for numbers that mean nothing. They live as long as the library. The numbers of rows
 * change between versions of the library. */
LOCKSTEP_API const char* lockstep_row_name(uint32_t id);
LOCKSTEP_API const char* lockstep_format_name(uint32_t format);
LOCKSTEP_API const char* lockstep_type_name(uint32_t type);
LOCKSTEP_API const char* lockstep_group_name(uint32_t group);

/* ---- Assembler ---- */

enum lockstep_assemble_output {
  LOCKSTEP_ASSEMBLE_SHARED = 0,      /* a code object that is ready to load */
  LOCKSTEP_ASSEMBLE_RELOCATABLE = 1, /* an object for a linker */
  LOCKSTEP_ASSEMBLE_CODE = 2         /* the bytes of .text alone, for run_asm and groups */
};

typedef struct lockstep_assemble_options {
  uint32_t struct_size; /* sizeof(lockstep_assemble_options) */
  uint32_t output;      /* enum lockstep_assemble_output */
  uint32_t wave_size;   /* 32, 64; 0: the usual one of the target */
  uint32_t real_true16; /* 1: 16-bit operands are written v1.l and v1.h */
  const char* name;     /* in messages, and .include looks beside it; NULL: "<text>" */
  /* Gets every error and warning ("FILE:LINE:COLUMN: error: ...", with the line and a caret) while
   * the call runs. NULL: warnings are dropped, errors are only in lockstep_last_error(). */
  void (*on_message)(void* context, const char* text);
  void* context;
} lockstep_assemble_options;

/* Assembles a whole source text in LLVM's AMDGPU syntax. target: as for run_asm, or a gfx name with
 * features ("gfx90a:xnack+"), or NULL if the text names it (.amdgcn_target). NULL options: all 0.
 * The bytes are given in *bytes, to be released with lockstep_free(). On an error (all of them are
 * in lockstep_last_error()) *bytes is NULL. */
LOCKSTEP_API int lockstep_assemble(const char* target, const char* text, size_t text_size,
                                   const lockstep_assemble_options* options, void** bytes,
                                   size_t* size);
LOCKSTEP_API void lockstep_free(void* bytes);
/* Assembles one instruction, without labels. Of the options, wave_size and real_true16 are used. */
LOCKSTEP_API int lockstep_assemble_line(const char* target, const char* text,
                                        const lockstep_assemble_options* options,
                                        uint8_t bytes[LOCKSTEP_INSN_BYTES], uint32_t* size);

/* ---- Waves under your control: step, look, change ----
 *
 *   lockstep_workgroup* g = lockstep_workgroup_create("gfx1100", code, code_size, NULL);
 *   uint32_t v1[32];
 *   while (lockstep_wave_step(g, 0, 1, NULL) == LOCKSTEP_WAVE_READY)
 *     lockstep_wave_read(g, 0, LOCKSTEP_REGISTER_VGPR, 1, 1, v1);
 *   lockstep_workgroup_free(g);
 *
 * A group is one workgroup: waves, LDS, private memory, barriers. Guest addresses are host
 * addresses of this process. One thread at a time may use a group. */

typedef struct lockstep_workgroup lockstep_workgroup;
typedef struct lockstep_snapshot lockstep_snapshot;

typedef struct lockstep_workgroup_options {
  uint32_t struct_size;  /* sizeof(lockstep_workgroup_options) */
  uint32_t wave_size;    /* 32, 64; 0: the usual one of the target */
  uint32_t waves;        /* 0: one; at most 1024 work-items in all */
  uint32_t lds_size;     /* bytes */
  uint32_t scratch_size; /* private memory of one work-item in bytes */
  uint32_t reserved[3];  /* 0 */
} lockstep_workgroup_options;

enum lockstep_wave_status {
  LOCKSTEP_WAVE_READY = 0,   /* it can go on */
  LOCKSTEP_WAVE_BARRIER = 1, /* it waits for the other waves */
  LOCKSTEP_WAVE_ENDED = 2
};

enum lockstep_register {
  LOCKSTEP_REGISTER_SCALAR = 1, /* numbered as the reg of LOCKSTEP_OPERAND_SCALAR */
  LOCKSTEP_REGISTER_VGPR = 2,
  LOCKSTEP_REGISTER_AGPR = 3 /* CDNA */
};

/* The code is copied to memory of the group. All waves start at its first instruction: v0 of work-item i holds i, EXEC has every lane, MODE is as compilers set
 * it, every other register and LDS are 0. NULL on failure. LOCKSTEP_ENGINE chooses how they run. */
LOCKSTEP_API lockstep_workgroup* lockstep_workgroup_create(
    const char* target, const void* code, size_t code_size,
    const lockstep_workgroup_options* options);
/* NULL is allowed. Its snapshots stay valid as things to free. */
LOCKSTEP_API void lockstep_workgroup_free(lockstep_workgroup* group);
/* Where the copy of the code starts: what the PC is relative to. */
LOCKSTEP_API uint64_t lockstep_workgroup_entry(const lockstep_workgroup* group);

/* Runs one wave for at most `most` instructions, or to the barrier or its end. *executed (may be
 * NULL) is the number that ran. Returns enum lockstep_wave_status or a negative code; after a fault
 * the PC is at the instruction that faulted, and all state can still be read and changed. */
LOCKSTEP_API int lockstep_wave_step(lockstep_workgroup* group, uint32_t wave, uint64_t most,
                                    uint64_t* executed);
/* Runs all waves until they have ended, or each for at most `most` instructions (fewer for one that
 * waits). Returns LOCKSTEP_WAVE_ENDED, LOCKSTEP_WAVE_READY where instructions are left, or a
 * negative code. */
LOCKSTEP_API int lockstep_workgroup_run(lockstep_workgroup* group, uint64_t most,
                                        uint64_t* executed);

/* Reads or writes `count` registers from number `first`. Values of vector registers are
 * [register][lane], with wave_size lanes, whatever EXEC is. */
LOCKSTEP_API int lockstep_wave_read(const lockstep_workgroup* group, uint32_t wave,
                                    uint32_t registers, uint32_t first, uint32_t count,
                                    uint32_t* values);
LOCKSTEP_API int lockstep_wave_write(lockstep_workgroup* group, uint32_t wave, uint32_t registers,
                                     uint32_t first, uint32_t count, const uint32_t* values);
/* state: enum lockstep_state. */
LOCKSTEP_API int lockstep_wave_get(const lockstep_workgroup* group, uint32_t wave, uint32_t state,
                                   uint64_t* value);
LOCKSTEP_API int lockstep_wave_set(lockstep_workgroup* group, uint32_t wave, uint32_t state,
                                   uint64_t value);
/* LDS itself, to read and write between steps; *size (may be NULL) in bytes. NULL without LDS. */
LOCKSTEP_API uint8_t* lockstep_workgroup_lds(lockstep_workgroup* group, size_t* size);

/* Registers, LDS, private memory and barriers of the whole group; memory that the process owns is
 * not part of it. NULL on failure. A snapshot can be restored any number of times, into its group. */
LOCKSTEP_API lockstep_snapshot* lockstep_workgroup_save(const lockstep_workgroup* group);
LOCKSTEP_API int lockstep_workgroup_restore(lockstep_workgroup* group,
                                            const lockstep_snapshot* snapshot);
LOCKSTEP_API void lockstep_snapshot_free(lockstep_snapshot* snapshot);

/* ---- Code objects ---- */

typedef struct lockstep_code_object lockstep_code_object;

typedef struct lockstep_stats {
  uint64_t workgroups;
  uint64_t waves;
  uint64_t wave_instructions;
  double seconds;
} lockstep_stats;

/* Loads a code object (ELF), or the one for `arch` out of an offload bundle. arch may be NULL.
 * NULL on failure. The bytes are copied. */
LOCKSTEP_API lockstep_code_object* lockstep_code_object_load(const void* bytes, size_t size,
                                                             const char* arch);
/* NULL is allowed. No kernel of it may be running. */
LOCKSTEP_API void lockstep_code_object_free(lockstep_code_object* object);
/* "gfx1100", "gfx90a:xnack-", ... Lives as long as the object, as the kernel names do. */
LOCKSTEP_API const char* lockstep_code_object_target(const lockstep_code_object* object);
LOCKSTEP_API size_t lockstep_code_object_kernel_count(const lockstep_code_object* object);
LOCKSTEP_API const char* lockstep_code_object_kernel_name(const lockstep_code_object* object,
                                                          size_t index);

/* Runs a kernel. `grid` counts workgroups. `kernarg` holds kernarg_size bytes of arguments as the
 * compiler laid them out, pointers being host addresses; hidden arguments behind them are filled
 * in. dynamic_lds: bytes of LDS beyond what the kernel declares. stats may be NULL. */
LOCKSTEP_API int lockstep_kernel_run(const lockstep_code_object* object, const char* kernel,
                                     const uint32_t grid[3], const uint32_t block[3],
                                     const void* kernarg, size_t kernarg_size, uint32_t dynamic_lds,
                                     lockstep_stats* stats);

#ifdef __cplusplus
}
#endif
#endif /* LOCKSTEP_H */
