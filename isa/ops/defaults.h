// SPDX-License-Identifier: MIT
// Row macros that an includer of a .def file did not define expand to nothing. No include guard: every .def includes it.
#ifndef ALU
#define ALU(format, id, g9, g11, g12, dsts, srcs, flags, sem)
#endif
#ifndef MEM
#define MEM(format, id, g9, g11, g12, params, sem)
#endif
#ifndef MEM_ATOMIC
#define MEM_ATOMIC(format, id, g9, g11, g12, type, sem)
#endif
#ifndef DUAL
#define DUAL(id, g11, g12, base)
#endif
#ifndef IMAGE
#define IMAGE(format, id, g9, g11, g12, ...)
#endif
#ifndef IMAGE_ATOMIC
#define IMAGE_ATOMIC(format, id, g9, g11, g12, type, wide, ...) \
  IMAGE(format, id, g9, g11, g12, __VA_ARGS__)
#endif
#ifndef NAME
#define NAME(id, isas, name)
#endif
