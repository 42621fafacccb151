// SPDX-License-Identifier: MIT
// Turns rows into builder functions. No include guard: program.h reads it for the declarations,
// rows_*.cpp for the definitions. The includer defines LOCKSTEP_FN(name, parameters, arguments),
// includes this file, then isa/ops/*.def, and "asm/dsl/unexpand.h" at the end.

#define LOCKSTEP_STRIP(...) __VA_ARGS__
#define LOCKSTEP_APPLY(M, ...) M(__VA_ARGS__)
#define LOCKSTEP_PASTE2(x, y) x##y
#define LOCKSTEP_PASTE(x, y) LOCKSTEP_PASTE2(x, y)

// Results d0, d1 and sources s0..s2 of arithmetic rows.
#define LOCKSTEP_RESULTS(F, acc, ...) __VA_OPT__(LOCKSTEP_RESULTS_1(F, acc, __VA_ARGS__))
#define LOCKSTEP_RESULTS_1(F, acc, o, ...) \
  ResultArg<F, o, acc> d0, __VA_OPT__(LOCKSTEP_RESULTS_2(F, acc, __VA_ARGS__))
#define LOCKSTEP_RESULTS_2(F, acc, o) ResultArg<F, o, acc> d1,
#define LOCKSTEP_RESULT_NAMES(...) __VA_OPT__(LOCKSTEP_RESULT_NAMES_1(__VA_ARGS__))
#define LOCKSTEP_RESULT_NAMES_1(o, ...) d0, __VA_OPT__(d1, )
#define LOCKSTEP_SOURCES(F, acc, flags, ops, ...) \
  __VA_OPT__(LOCKSTEP_SOURCES_1(F, acc, flags, ops, __VA_ARGS__))
#define LOCKSTEP_SOURCES_1(F, acc, flags, ops, o, ...) \
  SourceArg<F, o, 0, (flags), ops, acc> s0,            \
      __VA_OPT__(LOCKSTEP_SOURCES_2(F, acc, flags, ops, __VA_ARGS__))
#define LOCKSTEP_SOURCES_2(F, acc, flags, ops, o, ...) \
  SourceArg<F, o, 1, (flags), ops, acc> s1,            \
      __VA_OPT__(LOCKSTEP_SOURCES_3(F, acc, flags, ops, __VA_ARGS__))
#define LOCKSTEP_SOURCES_3(F, acc, flags, ops, o) SourceArg<F, o, 2, (flags), ops, acc> s2,
#define LOCKSTEP_SOURCE_NAMES(...) __VA_OPT__(LOCKSTEP_SOURCE_NAMES_1(__VA_ARGS__))
#define LOCKSTEP_SOURCE_NAMES_1(o, ...) s0, __VA_OPT__(LOCKSTEP_SOURCE_NAMES_2(__VA_ARGS__))
#define LOCKSTEP_SOURCE_NAMES_2(o, ...) s1, __VA_OPT__(s2, )

#define LOCKSTEP_ACC(id) (isa::id_has(#id, "accvgpr"))
#define LOCKSTEP_ROW(F, id, ops, dsts, srcs, flags)                                       \
  LOCKSTEP_FN(id,                                                                         \
              (LOCKSTEP_APPLY(LOCKSTEP_RESULTS, F, LOCKSTEP_ACC(id), LOCKSTEP_STRIP dsts) \
                   LOCKSTEP_APPLY(LOCKSTEP_SOURCES, F, LOCKSTEP_ACC(id), flags, ops,      \
                                  LOCKSTEP_STRIP srcs) Where where LOCKSTEP_HERE),        \
              (LOCKSTEP_APPLY(LOCKSTEP_RESULT_NAMES, LOCKSTEP_STRIP dsts)                 \
                   LOCKSTEP_APPLY(LOCKSTEP_SOURCE_NAMES, LOCKSTEP_STRIP srcs)))
#define ALU(format, id, g9, g11, g12, dsts, srcs, flags, ...) \
  LOCKSTEP_ALU_##format(Format::format, id, (opcodes(g9, g11, g12)), dsts, srcs, flags)
#define LOCKSTEP_ALU_SOP1 LOCKSTEP_ROW
#define LOCKSTEP_ALU_SOP2 LOCKSTEP_ROW
#define LOCKSTEP_ALU_SOPC LOCKSTEP_ROW
#define LOCKSTEP_ALU_SOPK LOCKSTEP_ROW
#define LOCKSTEP_ALU_SOPP LOCKSTEP_ROW
#define LOCKSTEP_ALU_VOP1 LOCKSTEP_ROW
#define LOCKSTEP_ALU_VOP2 LOCKSTEP_ROW
#define LOCKSTEP_ALU_VOP3 LOCKSTEP_ROW
#define LOCKSTEP_ALU_VOP3SD LOCKSTEP_ROW
#define LOCKSTEP_ALU_VOP3P LOCKSTEP_ROW
#define LOCKSTEP_ALU_MAI LOCKSTEP_ROW
#define LOCKSTEP_ALU_VINTERP LOCKSTEP_ROW
// A compare without result writes VCC (v_cmpx: EXEC).
#define LOCKSTEP_ALU_VOPC(F, id, ops, dsts, srcs, flags) \
  LOCKSTEP_ROW(F, id, ops, dsts, srcs, flags) LOCKSTEP_ROW(F, id, ops, (), srcs, flags)
#define LOCKSTEP_ALU_VOP3PX2(F, id, ops, dsts, srcs, flags)                                      \
  LOCKSTEP_FN(id,                                                                                \
              (LOCKSTEP_APPLY(LOCKSTEP_RESULTS, F, false, LOCKSTEP_STRIP dsts) LOCKSTEP_APPLY(   \
                   LOCKSTEP_SOURCES, F, false, flags, ops, LOCKSTEP_STRIP srcs) ScaleArg scale0, \
               ScaleArg scale1, Where where LOCKSTEP_HERE),                                      \
              (d0, s0, s1, s2, scale0, scale1))
#define LOCKSTEP_ALU_LDSDIR(F, id, ops, dsts, srcs, flags)            \
  LOCKSTEP_FN(id, (VectorArg<1> d0, Where where LOCKSTEP_HERE), (d0)) \
  LOCKSTEP_FN(id, (VectorArg<1> d0, Attribute s0, Where where LOCKSTEP_HERE), (d0, s0))

// The shape of a memory row, by the token of its parameters.
#define LOCKSTEP_SHAPE_load(...) LOAD
#define LOCKSTEP_SHAPE_load_d16(...) LOAD
#define LOCKSTEP_SHAPE_load_d16_hi(...) LOAD
#define LOCKSTEP_SHAPE_load_format(...) LOAD
#define LOCKSTEP_SHAPE_load_format_d16(...) LOAD
#define LOCKSTEP_SHAPE_load_format_d16_hi(...) LOAD
#define LOCKSTEP_SHAPE_store(...) STORE
#define LOCKSTEP_SHAPE_store_hi(...) STORE
#define LOCKSTEP_SHAPE_store_format(...) STORE
#define LOCKSTEP_SHAPE_store_format_d16(...) STORE
#define LOCKSTEP_SHAPE_store_format_d16_hi(...) STORE
#define LOCKSTEP_SHAPE_load_2addr(...) LOAD2
#define LOCKSTEP_SHAPE_load_2addr_stride64(...) LOAD2
#define LOCKSTEP_SHAPE_store_2addr(...) STORE2
#define LOCKSTEP_SHAPE_store_2addr_stride64(...) STORE2
#define LOCKSTEP_SHAPE_load_addtid(...) ADDTID
#define LOCKSTEP_SHAPE_store_addtid(...) ADDTID
#define LOCKSTEP_SHAPE_load_lds(...) TOLDS
#define LOCKSTEP_SHAPE_other(...) OTHER
#define MEM(format, id, g9, g11, g12, params, ...) \
  LOCKSTEP_MEM(format, id, LOCKSTEP_SHAPE_##params, params)
#define LOCKSTEP_MEM(format, id, shape, params) \
  LOCKSTEP_MEM2(LOCKSTEP_##format##_, shape, id, params)
#define LOCKSTEP_MEM2(prefix, shape, id, params) LOCKSTEP_PASTE(prefix, shape)(id, params)
#define MEM_ATOMIC(format, id, g9, g11, g12, type, ...) LOCKSTEP_##format##_ATOMIC(id, atomic(type))

// Rows that follow no rule: any number of any operands, checked when the program is built.
#define LOCKSTEP_ANY(id, params)                                                                  \
  LOCKSTEP_FN(id, (Where where LOCKSTEP_HERE), ())                                                \
  LOCKSTEP_FN(id, (AnyArg x0, Where where LOCKSTEP_HERE), (x0))                                   \
  LOCKSTEP_FN(id, (AnyArg x0, AnyArg x1, Where where LOCKSTEP_HERE), (x0, x1))                    \
  LOCKSTEP_FN(id, (AnyArg x0, AnyArg x1, AnyArg x2, Where where LOCKSTEP_HERE), (x0, x1, x2))     \
  LOCKSTEP_FN(id, (AnyArg x0, AnyArg x1, AnyArg x2, AnyArg x3, Where where LOCKSTEP_HERE),        \
              (x0, x1, x2, x3))                                                                   \
  LOCKSTEP_FN(id,                                                                                 \
              (AnyArg x0, AnyArg x1, AnyArg x2, AnyArg x3, AnyArg x4, Where where LOCKSTEP_HERE), \
              (x0, x1, x2, x3, x4))

#define LOCKSTEP_SMEM_LOAD(id, params)                                                       \
  LOCKSTEP_FN(                                                                               \
      id,                                                                                    \
      (ScalarArg<isa::data_dwords(params)> data, ScalarArg<isa::smem_base_dwords(#id)> base, \
       ScalarOffset offset, Where where LOCKSTEP_HERE),                                      \
      (data, base, offset))
#define LOCKSTEP_SMEM_STORE LOCKSTEP_SMEM_LOAD
#define LOCKSTEP_SMEM_OTHER LOCKSTEP_ANY
#define LOCKSTEP_SMEM_ATOMIC(id, params)                                        \
  LOCKSTEP_FN(id,                                                               \
              (ScalarArg<isa::atomic_data_dwords(#id, params)> data,            \
               ScalarArg<isa::smem_base_dwords(#id)> base, ScalarOffset offset, \
               Where where LOCKSTEP_HERE),                                      \
              (data, base, offset))

#define LOCKSTEP_DS_LOAD(id, params)                                                               \
  LOCKSTEP_FN(                                                                                     \
      id, (DataArg<isa::data_dwords(params)> d0, VectorArg<1> address, Where where LOCKSTEP_HERE), \
      (d0, address))
#define LOCKSTEP_DS_LOAD2(id, params)                                                              \
  LOCKSTEP_FN(                                                                                     \
      id,                                                                                          \
      (DataArg<2 * isa::data_dwords(params)> d0, VectorArg<1> address, Where where LOCKSTEP_HERE), \
      (d0, address))
#define LOCKSTEP_DS_STORE(id, params)                                                            \
  LOCKSTEP_FN(                                                                                   \
      id,                                                                                        \
      (VectorArg<1> address, DataArg<isa::data_dwords(params)> data, Where where LOCKSTEP_HERE), \
      (address, data))
#define LOCKSTEP_DS_STORE2(id, params)                                              \
  LOCKSTEP_FN(id,                                                                   \
              (VectorArg<1> address, DataArg<isa::data_dwords(params)> data,        \
               DataArg<isa::data_dwords(params)> data1, Where where LOCKSTEP_HERE), \
              (address, data, data1))
#define LOCKSTEP_DS_ADDTID(id, params) \
  LOCKSTEP_FN(id, (DataArg<isa::data_dwords(params)> data, Where where LOCKSTEP_HERE), (data))
#define LOCKSTEP_DS_OTHER LOCKSTEP_ANY
#define LOCKSTEP_DS_ATOMIC(id, params)                                                            \
  LOCKSTEP_FN(                                                                                    \
      id,                                                                                         \
      (VectorArg<1> address, DataIf < !isa::ds_returns(#id) && !isa::ds_atomic_has_second(#id),   \
       isa::ds_atomic_data_dwords(#id, params) > data, Where where LOCKSTEP_HERE),                \
      (address, data))                                                                            \
  LOCKSTEP_FN(                                                                                    \
      id,                                                                                         \
      (VectorArg<1> address, DataIf < !isa::ds_returns(#id) && isa::ds_atomic_has_second(#id),    \
       isa::data_dwords(params) > data, DataArg<isa::data_dwords(params)> data1,                  \
       Where where LOCKSTEP_HERE),                                                                \
      (address, data, data1))                                                                     \
  LOCKSTEP_FN(id,                                                                                 \
              (DataIf < isa::ds_returns(#id) && !isa::ds_atomic_has_second(#id),                  \
               isa::data_dwords(params) > d0, VectorArg<1> address,                               \
               DataArg<isa::ds_atomic_data_dwords(#id, params)> data, Where where LOCKSTEP_HERE), \
              (d0, address, data))                                                                \
  LOCKSTEP_FN(id,                                                                                 \
              (DataIf < isa::ds_returns(#id) && isa::ds_atomic_has_second(#id),                   \
               isa::data_dwords(params) > d0, VectorArg<1> address,                               \
               DataArg<isa::data_dwords(params)> data, DataArg<isa::data_dwords(params)> data1,   \
               Where where LOCKSTEP_HERE),                                                        \
              (d0, address, data, data1))

// GLOBAL: 64 bits of address in VGPRs, or a scalar base and a 32-bit offset.
#define LOCKSTEP_GLOBAL_FORMS(id, before, names, after, after_names)                          \
  LOCKSTEP_FN(id,                                                                             \
              (LOCKSTEP_STRIP before VectorArg<2> address, LOCKSTEP_STRIP after OffArg saddr, \
               Where where LOCKSTEP_HERE),                                                    \
              (LOCKSTEP_STRIP names address, LOCKSTEP_STRIP after_names saddr))               \
  LOCKSTEP_FN(id,                                                                             \
              (LOCKSTEP_STRIP before VectorArg<1> address,                                    \
               LOCKSTEP_STRIP after ScalarArg<2> saddr, Where where LOCKSTEP_HERE),           \
              (LOCKSTEP_STRIP names address, LOCKSTEP_STRIP after_names saddr))
#define LOCKSTEP_GLOBAL_LOAD(id, params) \
  LOCKSTEP_GLOBAL_FORMS(id, (DataArg<isa::data_dwords(params)> d0, ), (d0, ), (), ())
#define LOCKSTEP_GLOBAL_STORE(id, params) \
  LOCKSTEP_GLOBAL_FORMS(id, (), (), (DataArg<isa::data_dwords(params)> data, ), (data, ))
#define LOCKSTEP_GLOBAL_ADDTID(id, params)                                                       \
  LOCKSTEP_FN(                                                                                   \
      id, (DataArg<isa::data_dwords(params)> data, GlobalBase saddr, Where where LOCKSTEP_HERE), \
      (data, saddr))
#define LOCKSTEP_GLOBAL_TOLDS(id, params) LOCKSTEP_GLOBAL_FORMS(id, (), (), (), ())
#define LOCKSTEP_GLOBAL_OTHER LOCKSTEP_ANY
#define LOCKSTEP_GLOBAL_ATOMIC(id, params)                                                  \
  LOCKSTEP_GLOBAL_FORMS(id, (), (), (DataArg<isa::atomic_data_dwords(#id, params)> data, ), \
                        (data, ))                                                           \
  LOCKSTEP_GLOBAL_FORMS(id, (DataArg<isa::data_dwords(params)> d0, ), (d0, ),               \
                        (DataArg<isa::atomic_data_dwords(#id, params)> data, ), (data, ))

#define LOCKSTEP_FLAT_LOAD(id, params)                                                             \
  LOCKSTEP_FN(                                                                                     \
      id, (DataArg<isa::data_dwords(params)> d0, VectorArg<2> address, Where where LOCKSTEP_HERE), \
      (d0, address))
#define LOCKSTEP_FLAT_STORE(id, params)                                                          \
  LOCKSTEP_FN(                                                                                   \
      id,                                                                                        \
      (VectorArg<2> address, DataArg<isa::data_dwords(params)> data, Where where LOCKSTEP_HERE), \
      (address, data))
#define LOCKSTEP_FLAT_OTHER LOCKSTEP_ANY
#define LOCKSTEP_FLAT_ATOMIC(id, params)                                                       \
  LOCKSTEP_FN(id,                                                                              \
              (VectorArg<2> address, DataArg<isa::atomic_data_dwords(#id, params)> data,       \
               Where where LOCKSTEP_HERE),                                                     \
              (address, data))                                                                 \
  LOCKSTEP_FN(id,                                                                              \
              (DataArg<isa::data_dwords(params)> d0, VectorArg<2> address,                     \
               DataArg<isa::atomic_data_dwords(#id, params)> data, Where where LOCKSTEP_HERE), \
              (d0, address, data))

#define LOCKSTEP_SCRATCH_LOAD(id, params)                                                         \
  LOCKSTEP_FN(id,                                                                                 \
              (DataArg<isa::data_dwords(params)> d0, ScratchAddress address, ScratchScalar saddr, \
               Where where LOCKSTEP_HERE),                                                        \
              (d0, address, saddr))
#define LOCKSTEP_SCRATCH_STORE(id, params)                                     \
  LOCKSTEP_FN(id,                                                              \
              (ScratchAddress address, DataArg<isa::data_dwords(params)> data, \
               ScratchScalar saddr, Where where LOCKSTEP_HERE),                \
              (address, data, saddr))
#define LOCKSTEP_SCRATCH_TOLDS(id, params)                                                  \
  LOCKSTEP_FN(id, (ScratchAddress address, ScratchScalar saddr, Where where LOCKSTEP_HERE), \
              (address, saddr))
#define LOCKSTEP_SCRATCH_OTHER LOCKSTEP_ANY

#define LOCKSTEP_MUBUF_DATA(id, dwords)                                               \
  LOCKSTEP_FN(id,                                                                     \
              (BufferData<dwords> data, BufferAddress address, ScalarArg<4> resource, \
               ScalarOffset offset, Where where LOCKSTEP_HERE),                       \
              (data, address, resource, offset))
#define LOCKSTEP_MUBUF_LOAD(id, params) \
  LOCKSTEP_MUBUF_DATA(id, isa::data_dwords(params)) LOCKSTEP_MUBUF_TOLDS(id, params)
#define LOCKSTEP_MUBUF_STORE(id, params) LOCKSTEP_MUBUF_DATA(id, isa::data_dwords(params))
#define LOCKSTEP_MUBUF_ATOMIC(id, params) \
  LOCKSTEP_MUBUF_DATA(id, (isa::atomic_data_dwords(#id, params)))
#define LOCKSTEP_MUBUF_TOLDS(id, params)                                          \
  LOCKSTEP_FN(id,                                                                 \
              (BufferAddress address, ScalarArg<4> resource, ScalarOffset offset, \
               Where where LOCKSTEP_HERE),                                        \
              (address, resource, offset))
#define LOCKSTEP_MUBUF_OTHER LOCKSTEP_ANY
#define LOCKSTEP_MTBUF_LOAD LOCKSTEP_MUBUF_STORE
#define LOCKSTEP_MTBUF_STORE LOCKSTEP_MUBUF_STORE

// Images: how many data and address registers there are depends on dmask, dim and a16.
#define IMAGE(format, id, ...) LOCKSTEP_IMAGE_##format(id)
#define LOCKSTEP_IMAGE_MIMG(id)                                                                   \
  LOCKSTEP_FN(                                                                                    \
      id,                                                                                         \
      (AnyVector data, ImageAddress address, ImageResource resource, Where where LOCKSTEP_HERE),  \
      (data, address, resource))                                                                  \
  LOCKSTEP_FN(id,                                                                                 \
              (AnyVector data, ImageAddress address, ScalarArg<8> resource, ScalarArg<4> sampler, \
               Where where LOCKSTEP_HERE),                                                        \
              (data, address, resource, sampler))
#define LOCKSTEP_IMAGE_VIMAGE LOCKSTEP_IMAGE_MIMG
#define LOCKSTEP_IMAGE_VSAMPLE LOCKSTEP_IMAGE_MIMG
#define LOCKSTEP_IMAGE_EXP(id)  // Program::exp() is written by hand

// Halves of pairs have the operands of the single operation.
#define DUAL(id, g11, g12, base)                                                                 \
  LOCKSTEP_FN(id, (DualArg<Op::base, 0> d0, DualArg<Op::base, 1> s0, Where where LOCKSTEP_HERE), \
              (d0, s0))                                                                          \
  LOCKSTEP_FN(id,                                                                                \
              (DualArg<Op::base, 0> d0, DualArg<Op::base, 1> s0, DualArg<Op::base, 2> s1,        \
               Where where LOCKSTEP_HERE),                                                       \
              (d0, s0, s1))                                                                      \
  LOCKSTEP_FN(id,                                                                                \
              (DualArg<Op::base, 0> d0, DualArg<Op::base, 1> s0, DualArg<Op::base, 2> s1,        \
               DualArg<Op::base, 3> s2, Where where LOCKSTEP_HERE),                              \
              (d0, s0, s1, s2))
