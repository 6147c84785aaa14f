// Activations: tensors add up, published closed forms of other models, what each flag adds, wrong variants.
#include <fmt/format.h>

#include "asked.hpp"

using namespace reckon;
using namespace reckon::test;

namespace {

const char* const kModels[] = {"llama-3-8b",  "llama-3-70b", "gpt-3-175b",  "mixtral-8x7b",
                               "deepseek-v3", "mistral-7b",  "megatron-22b"};
const char* const kCounts[] = {"textbook", "autograd", "megatron", "megatron_34",
                               "megatron_34_swiglu"};

std::string question(const std::string& model, const std::string& assume,
                     const std::string& more = "") {
  return fmt::format("kind: activations\nmodel: {}\nbatch: 4\nsequence: 2048\nassume: {{{}}}\n{}\n",
                     model, assume, more);
}

double kept(const std::string& model, const std::string& assume, const std::string& more = "") {
  return ask(question(model, assume, more)).value("memory.activations");
}

}  // namespace

TEST_CASE("activations: what is kept is the sum of the tensors that are listed") {
  for (const char* model : kModels) {
    for (const char* count : kCounts) {
      for (const char* more : {"", "recompute: selective", "tensor: 8\nsequence_parallel: yes"}) {
        for (const char* flags : {"attention: flash", "attention: unfused, dropout: yes",
                                  "swiglu: hand_written, fused_norm: no, rope: out_of_place"}) {
          const Asked a =
              ask(question(model, fmt::format("activations: {}, {}", count, flags), more));
          INFO(model << " " << count << " " << more << " " << flags << a.faults);
          double sum = 0;
          for (const Metric& m : a.result.metrics)
            if (m.id.starts_with("tensor.") && m.id.ends_with(".total")) sum += m.value;
          REQUIRE(sum > 0);
          CHECK(sum == Approx(a.value("memory.activations")).epsilon(1e-12));
        }
      }
    }
  }
}

// Korthikanti 2022, equations 1 and 2 and table 2, for layers of a GPT: s tokens, b sequences, h wide,
// a heads, t ranks.
TEST_CASE("activations: Korthikanti's closed forms of published GPT models") {
  struct Gpt {
    const char* model;
    double h, a, L;
  };
  const double s = 2048, b = 4;
  for (const Gpt& g :
       {Gpt{"megatron-22b", 6144, 64, 48}, Gpt{"gpt-3-175b", 12288, 96, 96},
        Gpt{"megatron-530b", 20480, 128, 105}, Gpt{"megatron-1t", 25600, 160, 128}}) {
    INFO(g.model);
    const double sbhL = s * b * g.h * g.L, scores = 5 * g.a * s / g.h;
    for (const char* count : {"megatron", "megatron_34"}) {
      const std::string unfused = fmt::format("activations: {}, attention: unfused", count);
      CHECK(kept(g.model, unfused) == Approx(sbhL * (34 + scores)).epsilon(1e-12));
      CHECK(kept(g.model, unfused, "recompute: selective") == Approx(34 * sbhL).epsilon(1e-12));
      CHECK(kept(g.model, unfused, "tensor: 8") ==
            Approx(sbhL * (10 + 24. / 8 + scores / 8)).epsilon(1e-12));
      CHECK(kept(g.model, unfused, "tensor: 8\nsequence_parallel: yes") ==
            Approx(sbhL / 8 * (34 + scores)).epsilon(1e-12));
    }
    CHECK(ask(question(g.model, "", "recompute: full")).value("activations.inputs") ==
          Approx(2 * sbhL).epsilon(1e-12));
  }
}

TEST_CASE("activations: what each flag adds, in bytes a token, layer and hidden element") {
  const auto per_hidden = [](const std::string& assume) {
    return ask(question("llama-3-8b", assume)).value("activations.per_hidden");
  };
  const double statistics = 4. * 32 / 4096, F = 2 * 3.5, kv = 2 * 0.25;
  CHECK(per_hidden("activations: textbook") == 48);
  CHECK(per_hidden("activations: textbook, dropout: yes") == 48 + 2);
  CHECK(per_hidden("activations: textbook, fused_norm: no") == 48 + 8);
  CHECK(per_hidden("activations: textbook, gqa: respected") == 48 - 4 + 2 * kv);
  CHECK(per_hidden("activations: textbook, rope: out_of_place") == 48 + 4);
  CHECK(per_hidden("activations: textbook, swiglu: hand_written") == 48 + F);
  CHECK(per_hidden("activations: textbook, swiglu: fused") == 48);  // a textbook lists them all
  const double autograd = 6 * 2 + 2 * kv + 4 * F + statistics;
  CHECK(per_hidden("activations: autograd") == autograd);
  CHECK(per_hidden("activations: autograd, swiglu: fused") == autograd - F);
  CHECK(per_hidden("activations: autograd, swiglu: hand_written") == autograd + F);
  CHECK(per_hidden("activations: autograd, fused_norm: no") == autograd + 8);
  CHECK(per_hidden("activations: autograd, gqa: ignored") == autograd + 4 - 2 * kv);
  CHECK(per_hidden("activations: autograd, softmax_statistics: no") == autograd - statistics);
  CHECK(per_hidden("activations: autograd, rope: out_of_place") == autograd);  // the first is freed
}

TEST_CASE("activations: wrong variants print other figures") {
  const double GiB = 1024. * 1024 * 1024, unit = 8 * 8192. * 4096 * 32;
  const Asked a =
      ask("kind: activations\nmodel: llama-3-8b\nbatch: 8\nsequence: 8192\nassume: textbook\n");
  const double said = a.value("memory.activations") / GiB;
  CHECK(said == 384);
  CHECK(said != unit * (10 + 3 * 3.5) * 2 / GiB);  // three tensors of the MLP
  CHECK(said != unit * (9 + 4 * 3.5) * 2 / GiB);   // a residual forgotten
  CHECK(a.value("activations.inputs") / GiB == 16);
}

TEST_CASE("activations: more tokens keep more, more ranks and more recompute keep less") {
  for (const char* model : kModels) {
    for (const char* count : kCounts) {
      const std::string assume = fmt::format(
          "preset: physical, attention: unfused, live_layers: 0, activations: {}", count);
      INFO(model << " " << count);
      const double none = kept(model, assume);
      const double selective = kept(model, assume, "recompute: selective");
      CHECK(selective < none);
      CHECK(kept(model, assume, "recompute: full") < selective);
      const double tensor = kept(model, assume, "tensor: 4");
      const double both = kept(model, assume, "tensor: 4\nsequence_parallel: yes");
      CHECK(tensor < none);
      CHECK(both < tensor);
      CHECK(kept(model, assume, "data: 4") == Approx(none / 4).epsilon(1e-12));
    }
  }
}

TEST_CASE("activations: what can't be answered is said where it stands") {
  const auto says = [](const std::string& yaml, const char* what) {
    const std::string faults = ask(yaml).faults;
    INFO(faults);
    CHECK(faults.find(what) != std::string::npos);
  };
  const std::string abstract = "{params: 7B, layers: 32, hidden: 4096}";
  says(question(abstract, ""), "the textbook accounting needs the MLP's width");
  CHECK(kept(abstract, "activations: megatron_34") == 34. * 4 * 2048 * 4096 * 32);
  says(question("{params: 7B}", ""), "needs the model's layers and hidden width");
  says(question(abstract, "activations: megatron_34, attention: unfused"),
       "need the model's heads");
  says(question("llama-3-8b", "", "data: 3"), "4 sequences do not deal out to 3 GPUs");
  says(question("llama-3-8b", "", "tensor: 3"), "tensor: 3 does not divide heads = 32");
  says(question("llama-3-8b", "", "sequence_parallel: yes"), "tensor is 1");
  says("kind: activations\nmodel: llama-3-8b\n", "how long a sequence is");
  says(question("llama-3-8b", "ring_factor: drop"), "no activations question depends on it");
}
