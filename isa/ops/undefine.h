// SPDX-License-Identifier: MIT
// Ends a .def file: forgets its includer's row macros, unless several files are read in one go (isa/ops/all.def).
#ifndef LOCKSTEP_KEEP_ROW_MACROS
#undef ALU
#undef MEM
#undef MEM_ATOMIC
#undef DUAL
#undef IMAGE
#undef IMAGE_ATOMIC
#undef NAME
#endif
