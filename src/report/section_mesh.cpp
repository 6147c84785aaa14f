// The mesh: each axis, how far apart its ranks are, what they talk over; and which rank of each axis
// the GPUs of a node are.
#include <fmt/format.h>

#include <algorithm>

#include "eval_sections.hpp"
#include "reckon/base/text.hpp"

namespace reckon {
namespace {

constexpr long kDrawnGpus = 8;  // of a node

long rank_of(const MeshRow& axis, long gpu) { return gpu / axis.apart % axis.ranks; }

// Digits of the largest rank that any axis has in a node: a GPU's ranks stand below each other.
std::size_t digits_in_node(const std::vector<MeshRow>& mesh, long node, long per_node) {
  long largest = 0;
  for (const MeshRow& m : mesh)
    for (long gpu = 0; gpu < per_node; ++gpu)
      largest = std::max(largest, rank_of(m, node * per_node + gpu));
  return std::to_string(largest).size();
}

// "0 1 2 3 4 5 … 71", of one axis in one node.
std::string ranks_in_node(const MeshRow& axis, long node, long per_node, std::size_t digits) {
  std::string out;
  const auto rank = [&](long gpu) {
    return pad_left(std::to_string(rank_of(axis, node * per_node + gpu)), digits);
  };
  for (long gpu = 0; gpu < per_node; ++gpu) {
    if (per_node > kDrawnGpus && gpu == kDrawnGpus - 2) {
      out += " … " + rank(per_node - 1);
      break;
    }
    if (gpu > 0) out += ' ';
    out += rank(gpu);
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
  const auto drawn = [&](const MeshRow& m, long node) {
    return ranks_in_node(m, node, per_node, digits_in_node(mesh, node, per_node));
  };
  for (const MeshRow& m : mesh) {
    std::vector<std::string> cells{m.axis, drawn(m, 0)};
    if (second) cells.push_back(drawn(m, 1));
    if (nodes > 1) cells.push_back(drawn(m, nodes - 1));
    out.table.row(std::move(cells));
  }
  return out;
}

}  // namespace reckon
