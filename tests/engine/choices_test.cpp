// Number formats, precision recipes, optimizers and presets: the files a plan chooses from.
#include "data.hpp"
#include "reckon/spec/compiled_once.hpp"

namespace reckon {
namespace {

TEST_CASE("Precision recipes and optimizers bind") {
  for (const std::string& id : test::data().ids(Shelf::kRecipes)) {
    CAPTURE(id);
    Diagnostics diagnostics;
    const doc::Value tree = resolve_recipe(test::data(), doc::scalar(id), diagnostics);
    REQUIRE(diagnostics.all().empty());
    if (tree.find("gradients")) {
      CHECK(test::bound<Precision<double>>(resolve_precision, id).weights.size.raw > 0);
      continue;
    }
    CHECK(tree.find("weights")->find("size"));  // for serving: training refuses it, once
    CHECK(tree.find("kv")->find("size"));
    resolve_precision(test::data(), doc::scalar(id), diagnostics);
    CHECK(diagnostics.error_count() == 1);
  }
  for (const std::string& id : test::data().ids(Shelf::kOptimizers)) {
    CHECK(test::bound<Optimizer<double>>(resolve_optimizer, id).id == id);
  }
}

TEST_CASE("Any number format can hold a recipe's weights") {
  const std::vector<std::string> ids = test::data().ids(Shelf::kFormats);
  REQUIRE(ids.size() > 40);
  for (const std::string& id : ids) {
    CAPTURE(id);
    Diagnostics diagnostics;
    doc::Value said = doc::mapping();
    doc::set(said, "base", doc::scalar("bf16"));
    doc::set(said, "weights", doc::scalar(id));
    const doc::Value tree = resolve_precision(test::data(), said, diagnostics);
    Precision<double> recipe;
    Origins origins;
    bind(tree, recipe, {diagnostics, origins});
    INFO(diagnostics.render());
    CHECK(diagnostics.all().empty());
    CHECK(recipe.weights.size.raw >= 0.125);  // a bit
    CHECK(recipe.weights.size.raw <= 8);
  }
}

// Keys of a described struct that a tree does not state.
class Unstated {
 public:
  Unstated(const doc::Value& tree, std::string path, std::vector<std::string>& out)
      : tree_(tree), path_(std::move(path)), out_(out) {}

  template <class T>
  void operator()(const Field& f, const T& member) const {
    const std::string path = path_ + std::string(f.name);
    const doc::Value* at = tree_.find(f.name);
    if (detail::Element<T>::optional) return;
    if (!at) {
      if (path != "train") out_.push_back(path);  // each plan states its MFU
    } else if constexpr (Described<T>) {
      T::fields(Unstated(*at, path + ".", out_), member);
    }
  }

 private:
  const doc::Value& tree_;
  std::string path_;
  std::vector<std::string>& out_;
};

TEST_CASE("Presets state every assumption") {
  std::size_t presets = 0;
  for (const std::string& id : test::data().ids(Shelf::kPresets)) {
    Diagnostics diagnostics;
    const auto file = test::data().find(Shelf::kPresets, id);
    doc::Value tree = test::data().read(file, {}, diagnostics);
    REQUIRE(tree.find("kind"));
    if (tree.find("kind")->text != "preset") continue;  // defaults and the like
    CAPTURE(id);
    ++presets;
    doc::expand_dotted_keys(tree, diagnostics);
    doc::set(tree, "preset", doc::scalar(id));
    std::vector<std::string> unstated;
    const Assume<double> assume;
    Assume<double>::fields(Unstated(tree, "", unstated), assume);
    CHECK(unstated == std::vector<std::string>{});
    CHECK(test::bound<Assume<double>>(resolve_assume, id).preset == id);
  }
  CHECK(presets >= 2);
}

}  // namespace
}  // namespace reckon
