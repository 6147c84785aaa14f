// The constants behind a question on kernels: the entry of hardware/kernels that it names or that fits, written into
// the question's tree with the places of its file.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reckon/engine/workspace.hpp"

namespace reckon {

struct WantedKernel {
  std::string list;   // key of the file: gemm, decode, prefill, latent, collectives
  std::string field;  // of the question, where the entry goes
  std::vector<std::pair<std::string, std::string>>
      match;             // keys and their values; a key left out says yes
  std::string what;      // "matrix product in fp8"
  bool has_flat = true;  // generic.yaml may stand in
};

// `chip`: its id. Looks into the file that `kernels:` names, else into the chip's own, else into generic.yaml with a
// warning. What the question states of the entry itself stands over what is found.
void fill_kernel(Workspace& work, const std::string& chip, const WantedKernel& wanted,
                 doc::Value& tree, Diagnostics& diagnostics);

// generic.yaml stands in for a chip's own constants: `generic` is its tree, `what` as in WantedKernel.
void warn_of_stand_in(const doc::Value& generic, const std::string& what, const std::string& chip,
                      Span at, Diagnostics& diagnostics);

// What launching costs, into `host`: of the same files.
void fill_launch(Workspace& work, const std::string& chip, doc::Value& tree,
                 Diagnostics& diagnostics);

// The text of a scalar field, or `otherwise`.
std::string said(const doc::Value& tree, std::string_view key, const std::string& otherwise = "");

}  // namespace reckon
