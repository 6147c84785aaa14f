// The mesh: each axis, how far apart its ranks are, what they talk over; and which rank of each axis
// the GPUs of a node are.
#include <fmt/format.h>

#include <algorithm>

#include "eval_sections.hpp"

namespace reckon {
namespace {

constexpr long kDrawnGpus = 8;  // of a node

// "0 1 2 3 4 5 … 71", of one axis in one node.
std::string ranks_in_node(const MeshRow& axis, long node, long per_node) {
  std::string out;
  const auto rank = [&](long gpu) { return (node * per_node + gpu) / axis.apart % axis.ranks; };
  for (long gpu = 0; gpu < per_node; ++gpu) {
    if (per_node > kDrawnGpus && gpu == kDrawnGpus - 2) {
      out += " … " + std::to_string(rank(per_node - 1));
      break;
    }
    if (gpu > 0) out += ' ';
    out += std::to_string(rank(gpu));
  }
  return out;
}

long whole_metric(Reader& r, std::string_view id) {
  return static_cast<long>(r.number(id).value_or(1));
}

}  // namespace

Section mesh_section(Reader& r, const Canvas& canvas) {
  const std::vector<MeshRow>& mesh = r.result().mesh;
  if (mesh.empty()) return {};
  Section out{.title = canvas.markdown ? "Mesh" : "Mesh, neighbouring ranks first",
              .table = Table({{"axis"},
                              {"ranks", Align::kRight},
                              {"apart", Align::kRight},
                              {"in a node", Align::kRight},
                              {"a group talks over"}})};
  for (const MeshRow& m : mesh)
    out.table.row({m.axis, std::to_string(m.ranks), std::to_string(m.apart),
                   std::to_string(m.in_node), m.link});
  return out;
}

Section mesh_picture_section(Reader& r, const Canvas& canvas) {
  const std::vector<MeshRow>& mesh = r.result().mesh;
  if (mesh.size() < 2) return {};
  const long nodes = whole_metric(r, "cluster.nodes");
  const long per_node = whole_metric(r, "cluster.gpus") / std::max(1L, nodes);
  const long wide = std::min(per_node, kDrawnGpus) * 3 + 8;
  const bool second = nodes > 2 && static_cast<long>(canvas.width) > 16 + 3 * wide;
  std::vector<Table::Column> columns{{"rank along"}, {"node 0"}};
  if (second) columns.push_back({"node 1"});
  if (nodes > 1) columns.push_back({fmt::format("node {}", nodes - 1)});
  Section out{.table = Table(columns)};
  for (const MeshRow& m : mesh) {
    std::vector<std::string> cells{m.axis, ranks_in_node(m, 0, per_node)};
    if (second) cells.push_back(ranks_in_node(m, 1, per_node));
    if (nodes > 1) cells.push_back(ranks_in_node(m, nodes - 1, per_node));
    out.table.row(std::move(cells));
  }
  return out;
}

}  // namespace reckon
