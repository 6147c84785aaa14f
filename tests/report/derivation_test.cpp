// Derivations as people read them, of the toy model in tests/units/toy.hpp.
#include "reckon/report/derivation.hpp"

#include "catch.hpp"
#include "reckon/base/text.hpp"
#include "reckon/units/formula/recording.hpp"
#include "report/golden.hpp"
#include "units/toy.hpp"

using namespace reckon;

namespace {

struct From {
  const char* symbol;
  const char* path;
  Origin origin;
  Hint hint = Hint::kNone;
};

template <Dim D>
Quantity<D, Traced> given(double v, const From& f) {
  return Quantity<D, Traced>(Tape::current->input(
      v, {.symbol = f.symbol, .dim = D, .origin = f.origin, .hint = f.hint, .path = f.path}));
}

Origin stated(int line, const char* source = "") {
  return {"plan.yaml", line, OriginKind::kStated, source};
}

toy::Inputs<Traced> inputs() {
  const Origin chip{"chips/toy.yaml", 4, OriginKind::kStated, "vendor datasheet, table 1"};
  const Origin preset{"presets/textbook.yaml", 7, OriginKind::kPreset, ""};
  toy::Inputs<Traced> x;
  x.n = given<kOne>(4000, {"n", "size", stated(3), Hint::kCount});
  x.layers = given<kOne>(80, {"L", "layers", stated(4), Hint::kCount});
  x.sms = given<kOne>(132, {"n_SM", "chip.sms", chip, Hint::kCount});
  x.params = given<kOne>(70e9, {"N", "model.params", stated(5), Hint::kParams});
  x.exponent = given<kOne>(0.34, {"a", "law.alpha", {"laws/toy.yaml", 2, OriginKind::kStated, ""}});
  x.peak =
      given<kFlopRate>(989.4e12, {"P", "chip.peak", {"plan.yaml", 9, OriginKind::kOverridden, ""}});
  x.launch = given<kSecond>(4e-6, {"t_l", "assume.launch", preset});
  x.exposed = given<kSecond>(0, {"t_e", "assume.exposed", {}});
  x.bytes = given<kByte>(1 << 24, {"S", "bytes", stated(6)});
  x.tiles = {{given<kOne>(256, {"m_t", "tiles.0.rows", {"tiles.yaml", 2, OriginKind::kStated, ""}}),
              given<kOne>(0.95, {"q_t",
                                 "tiles.0.quality",
                                 {"tiles.yaml", 2, OriginKind::kStated, ""},
                                 Hint::kFraction})},
             {given<kOne>(128, {"m_t", "tiles.1.rows", {"tiles.yaml", 3, OriginKind::kStated, ""}}),
              given<kOne>(0.9, {"q_t",
                                "tiles.1.quality",
                                {"tiles.yaml", 3, OriginKind::kStated, ""},
                                Hint::kFraction})}};
  x.rows = {
      {given<kByte>(1e8, {"S_max", "rows.0.up_to", {"links.yaml", 5, OriginKind::kStated, ""}}),
       given<kByteRate>(
           3.4e11, {"W_row", "rows.0.bandwidth", {"links.yaml", 5, OriginKind::kStated, ""}})}};
  return x;
}

std::size_t widest(const std::string& text) {
  std::size_t most = 0, begin = 0;
  for (std::size_t end = text.find('\n'); end != text.npos; end = text.find('\n', begin)) {
    most = std::max(most, columns(std::string_view(text).substr(begin, end - begin)));
    begin = end + 1;
  }
  return most;
}

}  // namespace

TEST_CASE("a step, three levels deep") {
  Tape tape;
  const std::int32_t root = toy::step_time(inputs()).raw.id;
  check_golden("derivation_step_depth_3.txt", derivation(tape, root));
}

TEST_CASE("the depth limit says what it hides") {
  Tape tape;
  const std::int32_t root = toy::step_time(inputs()).raw.id;
  check_golden("derivation_step_depth_0.txt", derivation(tape, root, {.depth = 0}));
  check_golden("derivation_step_depth_1.txt", derivation(tape, root, {.depth = 1}));
}

TEST_CASE("lines keep to the width where words allow") {
  Tape tape;
  const std::int32_t root = toy::step_time(inputs()).raw.id;
  for (const std::size_t width : {80U, 90U, 110U}) {
    CHECK(widest(derivation(tape, root, {.depth = 5, .width = width})) <= width);
  }
  check_golden("derivation_step_width_80.txt", derivation(tape, root, {.depth = 5, .width = 80}));
}

TEST_CASE("powers, logarithms, Greek letters, a hint on the result") {
  Tape tape;
  const std::int32_t root = toy::loss(inputs()).raw.id;
  check_golden("derivation_loss.txt", derivation(tape, root));
}

TEST_CASE("markdown is the same text in a fence") {
  Tape tape;
  const std::int32_t root = toy::loss(inputs()).raw.id;
  CHECK(derivation_markdown(tape, root) == "```text\n" + derivation(tape, root) + "```\n");
}

TEST_CASE("an input is its own derivation") {
  Tape tape;
  const auto x = inputs();
  CHECK(derivation(tape, x.sms.raw.id) ==
        "n_SM = 132 (chips/toy.yaml:4; vendor datasheet, table 1)\n");
}

namespace {

inline const Formula kStage{"test.stage", "t_stage", "one stage", "test"};
inline const Formula kAll{"test.all", "T", "all stages", "test"};

Seconds<Traced> stage(const Seconds<Traced>& layer, int i) {
  return kStage(layer * structural<Traced>("layers", 10 + i));
}

// n stages: their sum, and the slowest.
Seconds<Traced> pipeline(int n) {
  auto t = given<kSecond>(1e-3, {"t_layer", "layer", stated(1)});
  Sum<kSecond, Traced> sum;
  Largest<kSecond, Traced> slowest;
  for (int i = 0; i < n; ++i) {
    const auto s = stage(t, i);
    sum.add({"stage", i}, s);
    slowest.offer({"stage", i}, s);
  }
  auto t_all = sum.total(), t_max = slowest.best();
  NAME(t_all, t_max);
  return kAll(t_all - t_max);
}

}  // namespace

TEST_CASE("sums and choices over many counted parts") {
  Tape tape;
  check_golden("derivation_stages_4.txt", derivation(tape, pipeline(4).raw.id));
  tape.clear();
  check_golden("derivation_stages_40.txt", derivation(tape, pipeline(40).raw.id));
}

TEST_CASE("parts from one formula are told apart by their labels") {
  Tape tape;
  auto t = given<kSecond>(1e-3, {"t_layer", "layer", stated(1)});
  Sum<kSecond, Traced> sum;
  sum.add("forward", stage(t, 0));
  sum.add("backward", stage(t, 2));
  const auto T = kAll(sum.total());
  CHECK(derive(tape, T.raw.id, 0).text == "forward + backward");
}

TEST_CASE("products, quotients and differences are read back as they were computed") {
  Tape tape;
  const auto a = given<kOne>(2, {"a", "a", stated(1)}), b = given<kOne>(3, {"b", "b", stated(2)}),
             c = given<kOne>(5, {"c", "c", stated(3)});
  const auto text = [&](Count<Traced> x) { return derive(tape, called("x", x).raw.id, 0).text; };
  CHECK(text(a * b / c) == "a·b / c");
  CHECK(text(a / b * c) == "(a / b)·c");
  CHECK(text(a * (b / c)) == "a·(b / c)");
  CHECK(text(a / (b * c)) == "a / (b·c)");
  CHECK(text(a / b / c) == "a / b / c");
  CHECK(text(a / (b / c)) == "a / (b / c)");
  CHECK(text(a - (b - c)) == "a − (b − c)");
  CHECK(text(a - b - c) == "a − b − c");
  CHECK(text(a - (b + c)) == "a − (b + c)");
  CHECK(text(a + (b - c)) == "a + b − c");
  CHECK(text((a + b) * c) == "(a + b)·c");
  CHECK(text(-a * b) == "(−a)·b");
  CHECK(text(pow(a + b, c)) == "(a + b)^c");
  CHECK(text(pow(a, b * c)) == "a^(b·c)");
  CHECK(text(pow(pow(a, b), c)) == "(a^b)^c");
  CHECK(text(2 * pow(a, 2)) == "2·a^2");
  CHECK(text(sqrt(a * b)) == "√(a·b)");
  CHECK(text(where(a < b, a, 2 * c)) == "(a if a < b else 2·c)");
  CHECK(text(max(a - 1, 0)) == "max(a − 1, 0)");
}

TEST_CASE("a literal beside a quantity shows its unit") {
  Tape tape;
  auto t = given<kSecond>(2, {"t", "t", stated(1)});
  const auto text = [&](Seconds<Traced> x) { return derive(tape, called("x", x).raw.id, 0).text; };
  CHECK(text(max(t, 4_s)) == "max(t, 4 s)");
  CHECK(text(0.5_s + t) == "500 ms + t");
  CHECK(text(where(t < 1_s, t, 3_s)) == "(t if t < 1 s else 3 s)");
  CHECK(text(max(t, 0_s)) == "max(t, 0)");
}

TEST_CASE("where a value came from") {
  DerivationInput x;
  CHECK(origin_text(x).empty());  // follows from the structure
  x.path = "mesh.tensor";
  CHECK(origin_text(x) == "(default)");
  x.origin = {"plan.yaml", 8, OriginKind::kStated, ""};
  CHECK(origin_text(x) == "(plan.yaml:8)");
  x.row = "all_gather 4";
  CHECK(origin_text(x) == "(plan.yaml:8, row all_gather 4)");
  x.row = "";
  x.origin = {"plan.yaml", 8, OriginKind::kOverridden, "vendor"};
  CHECK(origin_text(x) == "(plan.yaml:8, overridden; vendor)");
  x.origin = {"presets/textbook.yaml", 3, OriginKind::kPreset, ""};
  CHECK(origin_text(x) == "(preset textbook)");
}

TEST_CASE("every formula has one text; a branch hidden in one is torn") {
  std::map<std::string, std::string> texts, torn;
  Tape tape;
  auto x = inputs();
  (void)toy::step_time(x);
  (void)toy::loss(x);
  (void)pipeline(4);
  (void)pipeline(1);
  formula_texts(tape, texts, torn);
  CHECK(torn.empty());
  CHECK(texts["toy.step"] == "T = (Σ parts)·J");
  CHECK(texts["toy.gemm"] == "t_gemm = max(2·n·n·n / (P·(max of candidates)), 2·t_l) + t_l");
  CHECK(texts["test.stage"] == "t_stage = t_layer·layers");
  CHECK(texts["test.all"] == "T = t_all − t_max");
  for (const char* id : {"toy.tile", "toy.transfer", "toy.loss"}) CHECK(texts.count(id) == 1);

  std::map<std::string, std::vector<std::string>> parts;
  formula_parts(tape, parts);
  CHECK(parts.size() == 2);
  CHECK(parts["toy.step"] == std::vector<std::string>{"products", "transfer", "exposed"});
  CHECK(parts["toy.gemm"] == std::vector<std::string>{"tile i"});

  (void)toy::kTransfer(x.launch + x.exposed);
  formula_texts(tape, texts, torn);
  REQUIRE(torn.count("toy.transfer") == 1);
  CHECK(torn["toy.transfer"] == "t_x = t_l + t_e");
}

TEST_CASE("the structured form carries what the text shows") {
  Tape tape;
  const DerivationNode step = derive(tape, toy::step_time(inputs()).raw.id, 2);
  CHECK(step.id == "toy.step");
  CHECK(step.title == "time of a step");
  CHECK(step.symbols == std::vector<std::string>{"T"});
  CHECK(step.text == "(products + t_x + exposed)·J");
  REQUIRE(step.children.size() == 3);
  CHECK(step.children[0].part == "products");
  const DerivationNode& gemm = step.children[0].children.at(0);
  CHECK(gemm.id == "toy.gemm");
  REQUIRE(gemm.tables.size() == 1);
  CHECK(gemm.tables[0].is_choice);
  CHECK(gemm.tables[0].rows.size() == 2);
  CHECK(gemm.more == 1);
  CHECK(gemm.deeper == 3);
  REQUIRE(gemm.inputs.size() == 3);
  CHECK(gemm.inputs[1].path == "chip.peak");
  CHECK(gemm.inputs[1].origin.kind == OriginKind::kOverridden);
}
