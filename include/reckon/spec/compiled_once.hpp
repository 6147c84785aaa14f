// The reading, writing, describing and lifting of the structs that many plans and questions hold, compiled in
// src/spec/compiled_once alone: each file that instantiated them took ten seconds to compile.
//
//   #include "reckon/spec/compiled_once.hpp"   // in whatever binds, describes, sets or lifts such a struct
//
// Nothing else changes: a file that forgets it compiles them again for itself.
#pragma once

#include "reckon/doc/bind.hpp"
#include "reckon/doc/describe.hpp"
#include "reckon/doc/set_member.hpp"
#include "reckon/doc/write.hpp"
#include "reckon/spec/assume.hpp"
#include "reckon/spec/hardware.hpp"
#include "reckon/spec/kernels.hpp"
#include "reckon/spec/law.hpp"
#include "reckon/spec/lift.hpp"
#include "reckon/spec/model.hpp"
#include "reckon/spec/precision.hpp"
#include "reckon/spec/serving.hpp"
#include "reckon/spec/serving_engine.hpp"
#include "reckon/spec/stack.hpp"
#include "reckon/spec/training.hpp"

// `how` is empty where they are compiled, `extern` elsewhere.
#define RECKON_READ_AND_WRITTEN(how, S)                                            \
  how template void bind(const doc::Value&, S<double>&, const BindContext&);       \
  how template bool set_member(S<double>&, std::string_view, const doc::Value&,    \
                               const BindContext&);                                \
  how template std::vector<Description> detail::describe_fields(const S<double>&); \
  how template doc::Value detail::struct_tree(const S<double>&, const S<double>&, Defaults);

#define RECKON_LIFTED(how, S)                                                           \
  how template void detail::lift_fields(const S<double>&, S<Traced>&, std::string_view, \
                                        const std::string&, const Recording&);

#define RECKON_ALL_OF(how, S)     \
  RECKON_READ_AND_WRITTEN(how, S) \
  RECKON_LIFTED(how, S)

namespace reckon {

RECKON_ALL_OF(extern, Model)
RECKON_ALL_OF(extern, Chip)
RECKON_ALL_OF(extern, Node)
RECKON_ALL_OF(extern, Cluster)
RECKON_ALL_OF(extern, Assume)
RECKON_ALL_OF(extern, Stored)
RECKON_ALL_OF(extern, TensorFormats)
RECKON_ALL_OF(extern, Precision)
RECKON_ALL_OF(extern, Optimizer)
RECKON_ALL_OF(extern, Kernels)
RECKON_ALL_OF(extern, Law)
RECKON_ALL_OF(extern, Stack)
RECKON_ALL_OF(extern, Mesh)
RECKON_ALL_OF(extern, TrainingPlan)
RECKON_ALL_OF(extern, ServingEngine)
RECKON_ALL_OF(extern, ServingPlan)

}  // namespace reckon
