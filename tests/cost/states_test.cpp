// States: order of the stages, agreement with training plans, answers that meet their own definition.
#include <fmt/format.h>

#include "asked.hpp"

using namespace reckon;
using namespace reckon::test;

namespace {

const char* const kModels[] = {"llama-3-8b", "gpt-3-175b", "mixtral-8x7b", "deepseek-v3",
                               "{params: 7B}"};
const char* const kWays[] = {"ddp", "zero1", "zero2", "fsdp", "hsdp"};
const char* const kSharding[] = {"ddp", "zero-1", "zero-2", "fsdp", "hsdp"};

std::string question(const std::string& model, const std::string& machine,
                     const std::string& more = "") {
  return fmt::format("kind: states\nmodel: {}\n{}\n{}\n", model, machine, more);
}

}  // namespace

TEST_CASE("states: ZeRO-3 needs no more than 2, 2 than 1, 1 than DDP; one GPU the same for all") {
  for (const char* model : kModels) {
    for (const char* precision : {"bf16", "fp16", "fp32", "bf16-fp32-grad"}) {
      for (const char* optimizer : {"adamw", "adamw-8bit", "lion", "sgd", "muon"}) {
        if (model[0] == '{' && std::string(optimizer) == "muon") continue;
        for (const int ranks : {1, 2, 7, 64}) {
          const Asked a =
              ask(question(model, fmt::format("ranks: {}", ranks),
                           fmt::format("precision: {}\noptimizer: {}", precision, optimizer)));
          INFO(model << " " << precision << " " << optimizer << " " << ranks);
          double before = a.value("ddp.states");
          for (const char* way : {"zero1", "zero2", "fsdp"}) {
            const double states = a.value(std::string(way) + ".states");
            if (ranks == 1) CHECK(states == before);
            CHECK(states <= before);
            before = states;
          }
          CHECK(a.value("fsdp.states") == Approx(a.value("ddp.states") / ranks).epsilon(1e-12));
        }
      }
    }
  }
}

TEST_CASE("states: the same bytes and times as a training plan's") {
  for (const char* model : kModels) {
    for (const char* machine : {"8xh100-sxm", "64xh100-sxm", "64xa100-sxm"}) {
      for (const char* preset : {"textbook", "physical"}) {
        const std::string assume =
            fmt::format("assume: {{preset: {}, flops: 6n, train.mfu: 40%}}", preset);
        const Asked a = ask(question(model, fmt::format("cluster: {}", machine), assume));
        for (std::size_t i = 0; i < std::size(kWays); ++i) {
          const std::string way = kWays[i];
          const double T = 16384;
          const Asked plan =
              ask(fmt::format("kind: training\nmodel: {}\ncluster: {}\nsharding: {}\nbatch: "
                              "{{tokens_per_gpu: {}}}\n{}",
                              model, machine, kSharding[i], T, assume));
          INFO(model << " " << machine << " " << preset << " " << way << plan.faults << a.faults);
          CHECK(a.value(way + ".states") == plan.value("memory.states"));
          CHECK(a.value(way + ".time") == plan.value("comm.data.time"));
          CHECK(a.value(way + ".bytes_per_param") == plan.value("memory.bytes_per_param_gpu"));
          // At the tokens that hide it, compute takes as long as communication.
          CHECK(a.value(way + ".tokens_to_hide") ==
                Approx(T * plan.value("comm.total.over_compute")).epsilon(1e-9));
        }
      }
    }
  }
}

TEST_CASE("states: the fewest GPUs hold the states, one fewer does not") {
  for (const int capacity : {24, 40, 80, 192}) {
    const auto at = [capacity](int ranks) {
      return ask(question("{params: 13B}", fmt::format("ranks: {}", ranks),
                          fmt::format("capacity: {} GB\nspare: 4 GB", capacity)));
    };
    const Asked a = at(8);
    for (const char* way : {"ddp", "zero1", "zero2", "fsdp"}) {
      const std::string id = way;
      if (a.absent(id + ".gpus_to_fit")) {
        CHECK(at(4096).value(id + ".states") > (capacity - 4) * 1e9);
        continue;
      }
      const int fewest = static_cast<int>(a.value(id + ".gpus_to_fit"));
      const int two = static_cast<int>(a.value(id + ".power_of_two_to_fit"));
      INFO(capacity << " GB, " << way << ": " << fewest << ", " << two);
      CHECK(at(fewest).value(id + ".states") <= (capacity - 4) * 1e9 * (1 + 1e-11));
      if (fewest > 1) CHECK(at(fewest - 1).value(id + ".states") > (capacity - 4) * 1e9);
      CHECK((two >= fewest && two < 2 * fewest && (two & (two - 1)) == 0));
    }
  }
  // 112 GB over 28 GB: four GPUs, not five for a rounding
  CHECK(ask(question("{params: 7B}", "ranks: 8", "capacity: 28 GB")).value("fsdp.gpus_to_fit") ==
        4);
}

TEST_CASE("states: the largest model fills the capacity") {
  const Asked a = ask(question("{params: 7B}", "ranks: 16", "capacity: 80 GB\nnode_gpus: 8"));
  for (const char* way : kWays) {
    const std::string id = way;
    const Asked b = ask(question(fmt::format("{{params: {:.17g}}}", a.value(id + ".largest_model")),
                                 "ranks: 16", "capacity: 80 GB\nnode_gpus: 8"));
    CHECK(b.value(id + ".states") == Approx(80e9).epsilon(1e-9));
  }
}

TEST_CASE("states: traffic of ZeRO-1 is DDP's, of FSDP half as much again: wrong variants differ") {
  for (const int ranks : {2, 8, 64}) {
    const Asked a = ask(question("{params: 7B}", fmt::format("ranks: {}", ranks)));
    CHECK(a.value("ddp.traffic") == 1);
    CHECK(a.value("zero1.traffic") == 1);
    CHECK(a.value("zero2.traffic") == 1);
    CHECK(a.value("fsdp.traffic") == 1.5);
    const double S = 14e9;
    CHECK(a.value("ddp.bytes") == Approx(2. * (ranks - 1) / ranks * S));
    CHECK(a.value("ddp.bytes") != Approx(2 * S));  // p in place of p − 1
  }
  // gradients reduced in fp32 beside bf16 weights: 4 + 2 over 4 + 4, and 4 + 2 + 2
  const Asked a =
      ask(question("{params: 7B}", "ranks: 8", "precision: {base: bf16, reduce: fp32}"));
  CHECK(a.value("zero1.traffic") == Approx(0.75));
  CHECK(a.value("fsdp.traffic") == Approx(1));
}

TEST_CASE("states: what can't be answered is said where it stands") {
  const auto says = [](const std::string& yaml, const char* what) {
    const std::string faults = ask(yaml).faults;
    INFO(faults);
    CHECK(faults.find(what) != std::string::npos);
  };
  says("kind: states\nmodel: llama-3-8b\n", "how many GPUs share the states is not stated");
  says(question("{params: 7B}", "ranks: 8", "optimizer: adafactor"),
       "by the shape of the matrices");
  says(question("{params: 7B}", "ranks: 16", "link: 450 GB/s\nnode_gpus: 8"),
       "the rate between nodes is not stated");
  says(question("{params: 7B}", "ranks: 8", "link: 450 GB/s\nassume: physical"),
       "counts waiting, and this link states none");
  const Asked odd =
      ask(question("{params: 7B}", "ranks: 12", "link: 450 GB/s\nnetwork: 50 GB/s\nnode_gpus: 8"));
  CHECK(odd.absent("hsdp.states"));
  CHECK(odd.result.find("hsdp.states")->reason == "the GPUs do not fill their nodes");
  const Asked bare = ask(question("{params: 7B}", "ranks: 8"));
  CHECK(bare.absent("fsdp.time"));
  CHECK(bare.absent("fsdp.gpus_to_fit"));
  CHECK(bare.absent("fsdp.tokens_to_hide"));
}
