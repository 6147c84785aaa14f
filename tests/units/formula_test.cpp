// The formula core: one function on doubles, dual numbers and the recording.
#include "reckon/units/formula/formula.hpp"

#include <cmath>
#include <cstring>
#include <random>

#include "catch.hpp"
#include "reckon/units/formula/recording.hpp"
#include "reckon/units/formula/root.hpp"
#include "reckon/units/formula/sensitivity.hpp"
#include "units/toy.hpp"

using namespace reckon;

static_assert(sizeof(Seconds<double>) == sizeof(double));
static_assert(std::is_trivially_copyable_v<Seconds<double>>);
static_assert(std::is_same_v<decltype(Bytes<double>{} / ByteRate<double>{}), Seconds<double>>);
static_assert(std::is_same_v<decltype(sqrt(Bytes<double>{} * Bytes<double>{})), Bytes<double>>);
static_assert(std::is_same_v<decltype(2_flop / Seconds<double>{}), FlopRate<double>>);
static_assert(
    std::is_same_v<decltype(Price<double>{} * Seconds<double>{} + 1_usd), Dollars<double>>);
static_assert(std::is_same_v<decltype(0.5_J / Seconds<double>{}), Watts<double>>);

namespace {

constexpr const char* kPaths[] = {"n",
                                  "layers",
                                  "sms",
                                  "params",
                                  "exponent",
                                  "peak",
                                  "launch",
                                  "exposed",
                                  "bytes",
                                  "tiles.0.rows",
                                  "tiles.0.quality",
                                  "tiles.1.rows",
                                  "tiles.1.quality",
                                  "rows.0.up_to",
                                  "rows.0.bandwidth"};
constexpr int kInputs = static_cast<int>(std::size(kPaths));

// The toy's inputs from a list of numbers, each made by `make(index, value)`.
template <class R, class Make>
toy::Inputs<R> inputs(const std::vector<double>& v, Make make) {
  int i = 0;
  const auto next = [&]<Dim D>(Quantity<D, R>& q) {
    const int k = i++;
    q = Quantity<D, R>(make.template operator()<D>(k, v[static_cast<std::size_t>(k)]));
  };
  toy::Inputs<R> x;
  x.tiles.resize(2);
  x.rows.resize(1);
  next(x.n), next(x.layers), next(x.sms), next(x.params), next(x.exponent), next(x.peak);
  next(x.launch), next(x.exposed), next(x.bytes);
  for (auto& t : x.tiles) next(t.rows), next(t.quality);
  for (auto& r : x.rows) next(r.up_to), next(r.bandwidth);
  return x;
}

struct Plainly {
  template <Dim>
  double operator()(int, double v) const {
    return v;
  }
};
struct By {
  int input;
  template <Dim>
  Dual operator()(int k, double v) const {
    return Dual(v, k == input ? 1 : 0);
  }
};
struct Record {
  template <Dim D>
  Traced operator()(int k, double v) const {
    return Tape::current->input(v, {.symbol = kPaths[k], .dim = D, .path = kPaths[k]});
  }
};

std::vector<double> random_inputs(std::mt19937& rng) {
  std::uniform_real_distribution<double> unit(0.1, 1);
  return {std::floor(8192 * unit(rng)),
          std::floor(96 * unit(rng)),
          132,
          7e9 * unit(rng),
          unit(rng),
          1e15 * unit(rng),
          4e-6 * unit(rng),
          1e-3 * unit(rng),
          1e9 * unit(rng),
          128,
          unit(rng),
          256,
          unit(rng),
          1e8,
          1e11 * unit(rng)};
}

// Every function the toy has, so that all operations are met.
template <class R>
double value(const toy::Inputs<R>& x, int which) {
  if (which == 0) return value_of(toy::step_time(x).raw);
  return value_of(toy::loss(x).raw);
}

bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

}  // namespace

TEST_CASE("plain, dual and recorded runs give the same bits") {
  std::mt19937 rng(5);
  for (int i = 0; i < 2000; ++i) {
    const std::vector<double> v = random_inputs(rng);
    Tape tape;
    const int which = i % 2;
    const double plain = value(inputs<double>(v, Plainly{}), which);
    CHECK(same_bits(plain, value(inputs<Traced>(v, Record{}), which)));
    CHECK(same_bits(plain, value(inputs<Dual>(v, By{0}), which)));
  }
}

TEST_CASE("backward sweep, dual numbers and finite differences agree") {
  std::mt19937 rng(11);
  for (int i = 0; i < 200; ++i) {
    const std::vector<double> v = random_inputs(rng);
    Tape tape;
    const auto x = inputs<Traced>(v, Record{});
    const bool loss = i % 2;
    const std::int32_t root = loss ? toy::loss(x).raw.id : toy::step_time(x).raw.id;
    const std::vector<double> adjoint = adjoints(tape, root);
    for (int k = 0; k < kInputs; ++k) {
      const auto at = static_cast<std::size_t>(nodes_of(tape, kPaths[k]).at(0));
      const auto d = inputs<Dual>(v, By{k});
      const double dual = loss ? toy::loss(d).raw.d : toy::step_time(d).raw.d;
      INFO(kPaths[k]);
      CHECK(adjoint[at] == Approx(dual).epsilon(1e-12).margin(1e-300));

      std::vector<double> more = v, less = v;
      const double h = 1e-6 * v[static_cast<std::size_t>(k)];
      more[static_cast<std::size_t>(k)] += h;
      less[static_cast<std::size_t>(k)] -= h;
      const double a = value(inputs<double>(more, Plainly{}), loss),
                   b = value(inputs<double>(less, Plainly{}), loss);
      const double middle = value(inputs<double>(v, Plainly{}), loss);
      // A step of ceil inside the interval makes the difference quotient meaningless: skip it.
      if (std::abs(a - middle) > 1e-3 * middle || std::abs(b - middle) > 1e-3 * middle) continue;
      CHECK((a - b) / (2 * h) == Approx(dual).epsilon(1e-4).margin(1e-9 * middle / (h / 1e-6)));
    }
  }
}

namespace {

// One slope by the three ways; `f` maps a Count<R> to a Count<R>.
template <class F>
void check_slope(F f, double at, double expected) {
  INFO("at " << at);
  Tape tape;
  const auto x = Count<Traced>(tape.input(at, {.symbol = "x", .path = "x"}));
  const Traced y = f(x).raw;
  CHECK(f(Count<Dual>(Dual(at, 1))).raw.d == Approx(expected));
  CHECK(adjoints(tape, y.id)[static_cast<std::size_t>(x.raw.id)] == Approx(expected));
}

}  // namespace

TEST_CASE("slopes of single operations") {
  check_slope([](auto x) { return pow(x, 3); }, 2, 12);
  check_slope([](auto x) { return pow(2, x); }, 3, 8 * std::log(2));
  check_slope([](auto x) { return pow(x, x); }, 2, 4 * (1 + std::log(2)));
  check_slope([](auto x) { return exp(2 * x); }, 1, 2 * std::exp(2));
  check_slope([](auto x) { return log(x); }, 4, 0.25);
  check_slope([](auto x) { return log2(x); }, 4, 0.25 / std::log(2));
  check_slope([](auto x) { return sqrt(x); }, 4, 0.25);
  check_slope([](auto x) { return 1 / x; }, 4, -1 / 16.0);
  check_slope([](auto x) { return -x; }, 4, -1);
  check_slope([](auto x) { return ceil(x) + floor(x); }, 4.5, 0);
  check_slope([](auto x) { return where(x < 3, 2 * x, 5 * x); }, 2, 2);
  check_slope([](auto x) { return where(x >= 3, 2 * x, 5 * x); }, 2, 5);
}

TEST_CASE("slopes at ties and at the edge of what is defined") {
  check_slope([](auto x) { return max(x, 3); }, 3, 0.5);  // what a central difference gives
  check_slope([](auto x) { return min(3, x); }, 3, 0.5);
  check_slope([](auto x) { return sqrt(x); }, 0, 0);  // infinite: no slope rather than NaN later
  check_slope([](auto x) { return log(x + 0); }, 0, 0);
  check_slope([](auto x) { return 1 / x; }, 0, 0);
  check_slope([](auto x) { return pow(x, 0.5); }, 0, 0);
  check_slope([](auto x) { return pow(x, 2); }, 0, 0);
  check_slope([](auto x) { return 1e-300 / (x * 1e-200); }, 1, -1e-100);  // no b² that vanishes
}

TEST_CASE("a choice keeps its losers, and its derivative follows the winner") {
  Tape tape;
  const auto x = Count<Traced>(tape.input(4, {.symbol = "x", .path = "x"}));
  Smallest<kOne, Traced> choice;
  choice.offer("double", 2 * x);
  choice.offer("square", x * x / 2);  // equal at 4: the first wins
  choice.offer("cube", x * x * x);
  const Traced best = choice.best().raw;
  CHECK(choice.winner() == 0);
  CHECK(best.v == 8);
  const Tape::Node& n = tape.node(best.id);
  REQUIRE(n.op == Op::kSmallest);
  REQUIRE(n.b == 3);
  CHECK(tape.node(tape.candidate(n, 2)).value == 64);
  CHECK(adjoints(tape, best.id)[static_cast<std::size_t>(x.raw.id)] == 2);

  Smallest<kOne, Dual> dual;
  dual.offer("double", 2 * Count<Dual>(Dual(4, 1)));
  dual.offer("square", Count<Dual>(Dual(4, 1)) * Count<Dual>(Dual(4, 1)) / 2);
  CHECK(dual.best().raw.d == 2);
}

TEST_CASE("a choice among nothing is zero") {
  Tape tape;
  CHECK(Largest<kSecond, double>().best().raw == 0);
  CHECK(Largest<kSecond, Traced>().best().raw.v == 0);
  CHECK(Largest<kSecond, Traced>().empty());
}

TEST_CASE("a sum keeps the derivative of a part that is zero today") {
  Tape tape;
  const auto overlap = Ratio<Traced>(tape.input(1, {.symbol = "o", .path = "overlap"}));
  const auto t = Seconds<Traced>(tape.input(3, {.symbol = "t", .dim = kSecond, .path = "t"}));
  Sum<kSecond, Traced> parts;
  parts.add("compute", t);
  parts.add("exposed", t * (1 - overlap));
  parts.add("absent", Seconds<Traced>{});
  const std::int32_t root = parts.total().raw.id;
  CHECK(tape.node(root).value == 3);
  CHECK(adjoints(tape, root)[static_cast<std::size_t>(overlap.raw.id)] == -3);
  CHECK(nodes_of(tape, "absent").empty());
}

TEST_CASE("breakdown of a step adds up to the step, elasticities to its degree") {
  std::mt19937 rng(3);
  const std::vector<double> v = random_inputs(rng);
  Tape tape;
  const Traced T = toy::step_time(inputs<Traced>(v, Record{})).raw;
  double sum = 0;
  for (const Share& s : breakdown(tape, T.id, {"toy.gemm", "toy.transfer", "exposed"})) {
    sum += s.value;
  }
  CHECK(sum == Approx(T.v).epsilon(1e-14));
  // Doubling every time and halving every rate doubles the step.
  double degree = 0;
  for (const Share& s : elasticities(tape, T.id)) {
    if (s.name == "launch" || s.name == "exposed") degree += s.value;
    if (s.name == "peak" || s.name == "rows.0.bandwidth") degree -= s.value;
  }
  CHECK(degree == Approx(1).epsilon(1e-12));
}

TEST_CASE("elasticities of a root that is zero, and of inputs that do not reach it") {
  Tape tape;
  const auto a = Count<Traced>(tape.input(2, {.symbol = "a", .path = "a"}));
  const auto b = Count<Traced>(tape.input(2, {.symbol = "b", .path = "b"}));
  const auto unused = Count<Traced>(tape.input(5, {.symbol = "u", .path = "u"}));
  const auto row = Count<Traced>(tape.input(1, {.symbol = "b", .path = "b"}));  // a second row
  const auto zero = (a - b) * row;
  const auto slopes = input_slopes(tape, zero.raw.id);
  REQUIRE(slopes.size() == 2);
  for (const InputSlope& s : slopes) CHECK(s.elasticity == 0);
  CHECK(slopes[0].slope == 1);
  CHECK(slopes[1].slope == -1);  // -1 of the first b, 0 of the row
  CHECK(unused.raw.v == 5);
}

TEST_CASE("names") {
  Tape tape;
  auto t = Count<Traced>(tape.input(8, {.symbol = "t", .hint = Hint::kCount, .path = "mesh.t"}));
  const std::int32_t given = t.raw.id;
  NAME(t);
  CHECK(t.raw.id == given);  // it is called t already
  auto q = t;
  NAME(q);
  CHECK(q.raw.id != given);
  CHECK(unaliased(tape, q.raw.id) == given);
  CHECK(is_given(tape, q.raw.id));
  CHECK(hint_of(tape, q.raw.id) == Hint::kCount);
  auto sum = t + q;
  CHECK(hint_of(tape, sum.raw.id) == Hint::kCount);
  CHECK(hint_of(tape, (sum * t).raw.id) == Hint::kNone);
  CHECK_FALSE(is_given(tape, sum.raw.id));
  auto p = called("P", sum, Hint::kParams);
  CHECK(hint_of(tape, p.raw.id) == Hint::kParams);
  CHECK(nodes_of(tape, "mesh.t") == std::vector<std::int32_t>{given});
}

TEST_CASE("whole stays in the range of int") {
  CHECK(whole(Count<double>(80.0)) == 80);
  CHECK(whole(Count<double>(1e300)) == std::numeric_limits<int>::max());
  CHECK(whole(Count<double>(-1e300)) == -1);
  CHECK(whole(Count<double>(std::nan(""))) == -1);
}

TEST_CASE("constants alone are not recorded") {
  Tape tape;
  const auto two = Count<Traced>(1) + 1;
  CHECK(two.raw.v == 2);
  CHECK(tape.size() == 0);
}

TEST_CASE("what a literal zero leaves out is not recorded") {
  Tape tape;
  const auto x = Count<Traced>(tape.input(7, {.symbol = "x"}));
  const auto inf = Count<Traced>(tape.input(HUGE_VAL, {.symbol = "i"}));
  const auto size = tape.size();
  const Count<Traced> zero{};
  CHECK((x + zero).raw.id == x.raw.id);
  CHECK((zero + x).raw.id == x.raw.id);
  CHECK((x - zero).raw.id == x.raw.id);
  CHECK(is_nothing((x * zero).raw));
  CHECK(is_nothing((zero / x).raw));
  CHECK(tape.size() == size);
  CHECK(std::isnan((inf * zero).raw.v));
  CHECK(tape.size() > size);
  CHECK((zero - x).raw.v == -7);
}

TEST_CASE("the newest tape of a thread records") {
  Tape outer;
  {
    Tape inner;
    (void)inner.input(1, {.symbol = "x"});
    CHECK(Tape::current == &inner);
  }
  CHECK(Tape::current == &outer);
  CHECK(outer.size() == 0);
}

TEST_CASE("the registry knows every formula by its id") {
  const auto all = registered_formulas();
  const auto is_step = [](const Formula* f) { return f == &toy::kStep; };
  CHECK(std::count_if(all.begin(), all.end(), is_step) == 1);
  CHECK(std::is_sorted(all.begin(), all.end(), [](auto* a, auto* b) { return a->id < b->id; }));
  CHECK(duplicate_formula_ids().empty());
  static const Formula again{"toy.step", "T", "a second one", "nowhere"};
  CHECK(duplicate_formula_ids() == std::vector<std::string_view>{"toy.step"});
  Formula::first = again.next;  // as it was, for the tests that follow
  CHECK(duplicate_formula_ids().empty());
}

TEST_CASE("formulas on a tape") {
  std::mt19937 rng(3);
  Tape tape;
  (void)toy::step_time(inputs<Traced>(random_inputs(rng), Record{}));
  CHECK(formulas_on(tape) ==
        std::vector<std::string_view>{"toy.gemm", "toy.step", "toy.tile", "toy.transfer"});
  CHECK(last_node_of(tape, "toy.step") == tape.size() - 1);
  CHECK(last_node_of(tape, "toy.loss") == -1);
  CHECK(nodes_of(tape, "toy.tile").size() == 2);
}

TEST_CASE("the largest whole number that keeps a target is that of counting, in few looks") {
  const auto shapes = std::array<double (*)(double), 4>{
      [](double x) { return x; }, [](double x) { return x * x / 1000; },
      [](double x) { return 50 * std::sqrt(x); }, [](double x) { return std::floor(x / 64) * 64; }};
  long looks = 0, asked = 0;
  for (const auto shape : shapes)
    for (const int most : {1, 2, 7, 100, 1000})
      for (double limit = -1; limit < 1100; limit += 7.5)
        for (const int start : {0, 1, 50, 5000}) {
          int kept = 0;
          for (int k = 1; k <= most && shape(k) <= limit; ++k) kept = k;
          const int n = largest_whole(
              most,
              [&](int k) {
                ++looks;
                REQUIRE((k >= 1 && k <= most));
                return shape(k) - limit;
              },
              start);
          ++asked;
          CAPTURE(most, limit, start);
          REQUIRE(n == kept);
        }
  CHECK(looks < 8 * asked);
}

TEST_CASE("a root that is looked for along a straight line first is the same root") {
  const auto f = [](double x) { return x - 3 - 0.1 * std::sqrt(x); };
  const double middle = root(0, 100, f);
  CHECK(root(0, 100, f, 0, RootStart::kStraight) == Approx(middle).epsilon(1e-15));
  CHECK(std::abs(f(middle)) < 1e-14);
  const auto nothing = [](double x) { return x > 0 ? x - 1e-3 : std::nan(""); };  // 0/0 at the end
  CHECK(root(0, 10, nothing, 0, RootStart::kStraight) == Approx(1e-3));
}
