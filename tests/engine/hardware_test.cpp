// Every file in hardware/: it binds, its figures agree with each other, and 64x<chip> means something.
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "data.hpp"

namespace reckon {
namespace {

using Figures = std::map<std::string, double>;

// Peaks, or rates per clock, by number format; those that are stated.
template <class S>
Figures stated(const S& s) {
  Figures out;
  S::fields(
      [&out](const Field& f, const auto& x) {
        if (x) out[std::string(f.name)] = x->raw;
      },
      s);
  return out;
}

// Where a chip's peaks are not units · clock · per_clock within 1 %, though no exception says so; and exceptions
// that except nothing.
std::vector<std::string> peak_faults(const Chip<double>& chip) {
  std::map<std::string, bool> excepted;  // and whether it was needed
  for (const PeakException& e : chip.peak_exceptions) excepted[e.format] = false;
  std::vector<std::string> faults;
  const Figures peaks = stated(chip.peak);
  for (const auto& [format, per_clock] : stated(chip.per_clock)) {
    const auto peak = peaks.find(format);
    if (peak == peaks.end()) faults.push_back(format + ": a rate per clock, but no peak");
    if (peak == peaks.end() || !chip.units || !chip.clock) continue;
    const double made = chip.units->raw * chip.clock->raw * per_clock;
    if (std::abs(made / peak->second - 1) <= 0.01) continue;
    if (const auto e = excepted.find(format); e != excepted.end()) {
      e->second = true;
    } else {
      faults.push_back(fmt::format("{}: {:g} is printed, units · clock · per_clock make {:g}",
                                   format, peak->second, made));
    }
  }
  for (const auto& [format, needed] : excepted) {
    if (!needed) faults.push_back(format + ": the exception is not needed");
  }
  return faults;
}

template <class Check>
void each(Shelf shelf, std::size_t at_least, Check check) {
  const std::vector<std::string> ids = test::data().ids(shelf);
  REQUIRE(ids.size() >= at_least);
  for (const std::string& id : ids) {
    INFO(id);
    check(id);
  }
}

Chip<double> chip(const std::string& id) {
  return test::bound<Chip<double>>(test::load_from<Shelf::kChips>, id);
}
Node<double> node(const std::string& id) { return test::bound<Node<double>>(resolve_node, id); }

TEST_CASE("The check of peaks finds a wrong peak and a needless exception") {
  Chip<double> h100 = chip("h100-sxm");
  REQUIRE(peak_faults(h100).empty());
  h100.peak.bf16->raw *= 1.015;
  CHECK(peak_faults(h100) ==
        std::vector<std::string>{
            "bf16: 1.00424e+15 is printed, units · clock · per_clock make 9.8943e+14"});
  h100.peak.bf16->raw /= 1.015;
  h100.peak_exceptions.push_back({"bf16", "none"});
  CHECK(peak_faults(h100) == std::vector<std::string>{"bf16: the exception is not needed"});
  h100.peak_exceptions.clear();
  CHECK(peak_faults(h100).size() == 3);  // fp64, fp64_tensor, fp32: at the maximum clock
  h100.peak.fp8.reset();
  CHECK(peak_faults(h100).size() == 4);
}

TEST_CASE("Printed peaks are units times clock times rate, or say why not") {
  std::size_t recomputed = 0;
  each(Shelf::kChips, 30, [&](const std::string& id) {
    const Chip<double> c = chip(id);
    CHECK(peak_faults(c) == std::vector<std::string>{});
    CHECK_FALSE(stated(c.peak).empty());
    if (c.units && c.clock) recomputed += stated(c.per_clock).size();
  });
  CHECK(recomputed >= 100);
}

TEST_CASE("Memory and links of chips are of a sane size") {
  constexpr double kBinary = 1.073741824;  // a GiB in GB: vendors print either
  each(Shelf::kChips, 30, [&](const std::string& id) {
    const Chip<double> c = chip(id);
    const double capacity = c.memory.capacity.raw;
    CHECK(capacity >= 16e9);
    CHECK(capacity <= 1e12);
    if (c.memory.usable) {
      CHECK(c.memory.usable->raw >= 0.95 * capacity);
      CHECK(c.memory.usable->raw <= kBinary * capacity);
    }
    CHECK(c.memory.bandwidth.raw >= 100e9);
    CHECK(c.memory.bandwidth.raw <= 20e12);
    if (c.link && c.link->peer) CHECK(c.link->peer->raw <= c.link->one_way.raw);
    if (c.host) CHECK(c.host->one_way.raw <= c.memory.bandwidth.raw);
  });
}

TEST_CASE("A chip's usual node holds that chip") {
  each(Shelf::kChips, 30, [](const std::string& id) {
    const std::string usual = chip(id).usual_node;
    REQUIRE_FALSE(usual.empty());
    const Node<double> n = node(usual);
    CHECK(n.chip.id == id);
    const auto cluster = test::bound<Cluster<double>>(
        resolve_cluster, fmt::format("{}x{}", 2 * std::lround(n.gpus.raw), id));
    CHECK(cluster.nodes.raw == 2);
    CHECK(cluster.node.id == usual);
  });
}

// Whatever its node says of it stays: that eight of a card share a root, say.
TEST_CASE("A chip that is named by its file stands in its usual node") {
  each(Shelf::kChips, 30, [](const std::string& id) {
    const auto by = [](const std::string& name) {
      return test::bound<Cluster<double>>(resolve_cluster, fmt::format("8x{}", name));
    };
    const std::string file = fmt::format("{}/hardware/chips/{}.yaml", RECKON_SOURCE_DIR, id);
    const Cluster<double> named = by(id), own = by(file);
    CHECK(own.node.chip.id == id);
    CHECK(own.nodes.raw == named.nodes.raw);
    CHECK(own.node.gpus.raw == named.node.gpus.raw);
    CHECK(own.node.chip.memory.capacity.raw == named.node.chip.memory.capacity.raw);
    REQUIRE(own.node.chip.link);
    CHECK(own.node.chip.link->domain->raw == named.node.chip.link->domain->raw);
  });
}

TEST_CASE("Nodes have a network, and no more chips than their link joins") {
  each(Shelf::kNodes, 37, [](const std::string& id) {
    const Node<double> n = node(id);
    REQUIRE(n.fabric);
    REQUIRE(n.nics);
    const double per_gpu = n.nics->raw * n.fabric->rate.raw / n.gpus.raw;
    CHECK(per_gpu >= 1e9);
    CHECK(per_gpu <= 200e9);
    REQUIRE(n.chip.link);
    REQUIRE(n.chip.link->domain);
    CHECK(n.gpus.raw <= n.chip.link->domain->raw);
  });
}

TEST_CASE("Fabrics and clusters bind") {
  each(Shelf::kFabrics, 17, [](const std::string& id) {
    const auto f = test::bound<Fabric<double>>(test::load_from<Shelf::kFabrics>, id);
    CHECK(f.rate.raw >= 1e9);
    CHECK(f.rate.raw <= 200e9);
  });
  each(Shelf::kClusters, 5, [](const std::string& id) {
    CHECK(test::bound<Cluster<double>>(resolve_cluster, id).nodes.raw > 1);
  });
}

TEST_CASE("Every data file says where its figures come from") {
  for (const Shelf shelf : {Shelf::kChips, Shelf::kNodes, Shelf::kFabrics, Shelf::kClusters,
                            Shelf::kModels, Shelf::kRecipes, Shelf::kOptimizers}) {
    each(shelf, 1, [shelf](const std::string& id) {
      Diagnostics diagnostics;
      const doc::Value* tree = test::data().load(shelf, id, {}, diagnostics);
      INFO(diagnostics.render());
      REQUIRE(tree);
      const doc::Value* source = tree->find("source");
      REQUIRE(source);
      CHECK_FALSE(source->text.empty());
    });
  }
}

}  // namespace
}  // namespace reckon
