// reckon fit on files: what it reads, what it refuses, the law it writes.
#include "reckon/engine/fit.hpp"

#include <fstream>

#include "data.hpp"
#include "reckon/spec/compiled_once.hpp"
#include "reckon/spec/law.hpp"

using namespace reckon;

namespace {

std::string file_of(const std::string& text) {
  static int count = 0;
  const auto path =
      std::filesystem::temp_directory_path() / ("reckon-fit-" + std::to_string(count++) + ".csv");
  std::ofstream(path) << text;
  return path.string();
}

struct Tried {
  std::optional<FitReport> report;
  std::string faults;
};

Tried try_fit(FitRequest request) {
  Diagnostics d;
  Workspace work({RECKON_SOURCE_DIR});
  Tried out;
  request.starts = 60;
  request.bootstrap = std::min<std::size_t>(request.bootstrap, 40);
  request.threads = 2;
  out.report = fit_law(work, request, d);
  out.faults = d.render();
  return out;
}

constexpr const char* kSix =
    "params,tokens,loss\n1e8,2e9,3.5\n2e8,2e9,3.3\n4e8,8e9,2.9\n8e8,8e9,2.8\n1e9,2e10,2.6\n2e9,"
    "9e10,2.4\n";

}  // namespace

TEST_CASE("fit: files that can't be fitted are refused at their line") {
  struct Bad {
    std::string text;
    const char* says;
  };
  const Bad bad[] = {
      {"params,tokens\n1e8,2e9\n", "no column of losses: the columns are params, tokens"},
      {"params,loss\n1e8,3\n", "no column of tokens or FLOP"},
      {"tokens,loss\n1e8,3\n", "no column of parameters"},
      {"params,tokens,loss\n1e8,2e9,nan\n", ":2:9: error: loss: nan is not finite"},
      {"params,tokens,loss\n1e8,2e9,0\n", "loss: 0 is not above 0"},
      {"params,tokens,loss\n1e8,2e9,-3\n", "loss: -3 is not above 0"},
      {"params,tokens,loss\n1e8,2e9,abc\n", ":2:9: error: loss:"},
      {"params,tokens,loss\n1e8,,3\n", "tokens: an empty cell"},
      {"params,tokens,loss\n1e8,2e9\n", "this row has 2 cells, and the header 3"},
      {"params,N,tokens,loss\n1,1,1,1\n", "two columns could be the params: params and N"},
      {"", "holds no header"},
      {"params,tokens,loss\n1e8,2e9,3\n2e8,4e9,2.9\n3e8,9e9,2.8\n",
       "3 different runs: too few for 5 constants"},
      {"params,tokens,loss\n1e8,2e9,3\n2e8,4e9,2.9\n3e8,6e9,2.8\n4e8,8e9,2.7\n5e8,1e10,2.6\n6e8,1."
       "2e10,2.5\n",
       "move together in every run"},
      {"params,tokens,loss\n1e8,2e9,3\n1e8,4e9,2.9\n1e8,6e9,2.8\n1e8,8e9,2.7\n1e8,1e10,2.6\n1e8,"
       "3e10,2.5\n",
       "only 1 different numbers of parameters"},
  };
  for (const Bad& b : bad) {
    FitRequest q;
    q.file = file_of(b.text);
    const Tried t = try_fit(q);
    INFO(b.text << t.faults);
    CHECK(!t.report);
    CHECK(t.faults.find(b.says) != std::string::npos);
  }
}

TEST_CASE("fit: all faulty rows are named, and dropping can leave too few") {
  FitRequest q;
  q.file = file_of("params,tokens,loss\n1e8,2e9,nan\n1e8,x,3\n0,1,1\n");
  const std::string faults = try_fit(q).faults;
  for (const char* line : {":2:", ":3:", ":4:"}) CHECK(faults.find(line) != std::string::npos);
  q.file = file_of(kSix);
  q.drop_highest = 2;
  CHECK(try_fit(q).faults.find("4 different runs after 2 were dropped: too few") !=
        std::string::npos);
}

TEST_CASE("fit: columns by other names, comments, quoted cells") {
  FitRequest q;
  q.file = file_of(
      "# my runs\nModel Size,\"Training FLOP\",final,who\n1e8,1.2e18,3.5,a\n2e8,2.4e18,3.3,b\n"
      "4e8,1.92e19,2.9,c\n8e8,3.84e19,2.8,d\n1e9,1.2e20,2.6,e\n2e9,1.08e21,2.4,f\n");
  CHECK(try_fit(q).faults.find("no column of losses") != std::string::npos);
  q.columns["loss"] = "finl";
  CHECK(try_fit(q).faults.find("did you mean 'final'?") != std::string::npos);
  q.columns["loss"] = "final";
  const Tried t = try_fit(q);
  INFO(t.faults);
  REQUIRE(t.report);
  CHECK(t.report->residuals.front().run.tokens == Approx(2e9));
  CHECK(t.report->residuals.front().run.line == 3);
}

TEST_CASE("fit: the rule for outliers is said, and nothing is dropped without one") {
  FitRequest q;
  q.file = RECKON_SOURCE_DIR "/laws/data/chinchilla-245.csv";
  Tried t = try_fit(q);
  REQUIRE(t.report);
  CHECK(t.report->dropped.empty());
  CHECK(t.report->residuals.size() == 245);
  q.drop_highest = 5;
  t = try_fit(q);
  REQUIRE(t.report);
  CHECK(t.report->dropped.size() == 5);
  CHECK(t.report->dropped.front().loss == Approx(5.005582));
  FitRequest above;
  above.file = q.file;
  above.drop_above = 3.44;
  const Tried same = try_fit(above);
  REQUIRE(same.report);
  CHECK(same.report->constants[2].value == t.report->constants[2].value);
}

TEST_CASE("fit: the law it writes is a law") {
  FitRequest q;
  q.file = RECKON_SOURCE_DIR "/laws/data/chinchilla-245.csv";
  q.drop_highest = 5;
  for (const FitApproach approach : {FitApproach::kLoss, FitApproach::kIsoflop}) {
    q.approach = approach;
    const Tried t = try_fit(q);
    INFO(t.faults);
    REQUIRE(t.report);
    Workspace work({RECKON_SOURCE_DIR});
    Diagnostics d;
    doc::Value tree = work.read_text("mine.yaml", t.report->law, d);
    doc::take(tree, "kind");
    Law<double> law;
    Origins origins;
    bind(tree, law, {d, origins});
    INFO(d.render() << t.report->law);
    CHECK(!d.has_errors());
    if (approach == FitApproach::kLoss) {
      CHECK(law.loss->B.raw == t.report->constants[2].value);
      CHECK(law.samples.size() == 40);
    } else {
      CHECK(law.allocation->params->exponent.raw == t.report->constants[1].value);
    }
  }
}
