#include "reckon/engine/import.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "build.hpp"
#include "keys.hpp"
#include "published.hpp"
#include "quantization.hpp"
#include "reckon/base/edit_distance.hpp"
#include "reckon/base/text.hpp"
#include "reckon/base/utf8.hpp"

namespace reckon {
namespace {

namespace fs = std::filesystem;
using doc::Value;
using namespace importing;

class Import {
 public:
  Import(Workspace& work, const std::string& file, Span said, const ImportRequest& request,
         Diagnostics& diagnostics)
      : work_(work), file_(file), said_(said), request_(request), d_(diagnostics) {}

  Imported run() {
    const std::size_t before = d_.error_count();
    if (!open() || !choose()) return {};
    const Keys keys = sorted_keys();
    Builder builder(*record_, config_, assumed_, d_);
    if (d_.error_count() == before && builder.run()) files(builder);
    if (d_.error_count() > before) return {};
    groups(builder);
    finish(builder, keys);
    return std::move(out_);
  }

 private:
  // The file, the rules, and the part that holds the text model.
  bool open() {
    const fs::path path(file_);
    std::error_code error;
    if (fs::is_directory(path, error)) {
      auto& fault = d_.error(said_, fmt::format("{} is a folder", file_));
      const fs::path inside = path / "config.json";
      if (fs::is_regular_file(inside, error))
        fault.help(fmt::format("it holds {}", inside.string()));
      else
        fault.help("name the config.json itself");
      return false;
    }
    const std::size_t before = d_.error_count();
    tree_ = work_.read_lenient(path, said_, d_);
    if (d_.error_count() > before) return false;
    if (!tree_.is_mapping()) {
      d_.error(tree_.span ? tree_.span : said_,
               fmt::format("{} holds {}{}, and a config is a mapping of keys", file_,
                           tree_.is_null() ? "" : "a ", doc::kind_of(tree_)));
      return false;
    }
    std::optional<ImportRules> rules = import_rules(work_, d_);
    if (!rules) return false;
    rules_ = std::move(*rules);
    for (const MistakenFile& m : rules_.mistaken) {
      const doc::Entry* at = tree_.entry(m.key);
      const Named named = name_of_config(tree_);
      const bool is_model = !named.architecture.empty() || !named.model_type.empty();
      if (!at || (is_model && !m.always)) continue;
      d_.error(at->key_span, fmt::format("this is {}, not a language model's config", m.what))
          .help(m.help);
      return false;
    }
    config_ = {&tree_, &tree_, rules_.shared};
    for (const std::string& key : rules_.descend)
      if (const Value* part = stated(tree_, key); part && part->is_mapping()) {
        config_.part = part;
        descended_ = key;
        break;
      }
    return true;
  }

  bool choose() {
    const std::size_t before = d_.error_count();
    const Named top = name_of_config(tree_), part = name_of_config(*config_.part);
    named_ = top;
    record_ = record_by_architecture(work_, top.architecture, d_);
    const bool nested = config_.part != &tree_;
    if (!record_ && nested) {
      record_ = record_by_architecture(work_, part.architecture, d_);
      if (!record_ && part.architecture.empty())
        record_ = record_by_type(work_, part.model_type, d_);
      if (record_ && !top.architecture.empty())
        out_.notes.push_back(fmt::format(
            "{} is not known as a whole: its {} is imported, what lies beside it left out",
            top.architecture, descended_));
    }
    if (!record_ && top.architecture.empty()) record_ = record_by_type(work_, top.model_type, d_);
    if (d_.error_count() > before) return false;
    if (record_ && !request_.assume.empty() && record_->spec.id != request_.assume) {
      d_.error(named_.span ? named_.span : said_,
               fmt::format("{} has a record of its own, so nothing need be assumed",
                           shortened(top.architecture.empty() ? top.model_type : top.architecture)))
          .help(fmt::format("leave --assume {} out; the record is {}", request_.assume,
                            record_->file));
      return false;
    }
    if (!record_ && !request_.assume.empty()) {
      record_ = record_called(work_, request_.assume, said_, d_);
      assumed_ = true;
    }
    if (!record_ && d_.error_count() == before) refuse();
    return record_.has_value();
  }

  // Every word that some record reads.
  std::set<std::string> all_words() {
    std::set<std::string> out;
    Diagnostics scratch;
    for (const std::string& id : work_.ids(Shelf::kArchitectures))
      if (const auto record = record_called(work_, id, {}, scratch))
        out.merge(words_of_record(*record));
    return out;
  }

  void refuse() {
    const std::string what =
        named_.architecture.empty() && named_.model_type.empty()
            ? std::string("the config names neither architectures nor model_type")
            : fmt::format(
                  "no record of the architecture {}",
                  named_.architecture.empty() ? fmt::format("'{}'", shortened(named_.model_type))
                  : named_.model_type.empty()
                      ? fmt::format("'{}'", shortened(named_.architecture))
                      : fmt::format("'{}' (model_type '{}')", shortened(named_.architecture),
                                    shortened(named_.model_type)));
    const Keys keys = sort_keys(*config_.part, all_words(), {}, rules_);
    std::vector<std::string> strange = keys.unknown;
    for (const doc::Entry* e : keys.bearing) strange.push_back(shortened(e->key));
    std::sort(strange.begin(), strange.end());
    std::string help;
    const auto list = [&](const char* word, const std::vector<std::string>& all) {
      help += fmt::format("{}: {}\n", word, all.empty() ? "none" : join(all, ", "));
    };
    list("keys that some record reads", keys.read);
    list("keys that none does", strange);
    Diagnostics scratch;
    const auto alike = record_by_type(work_, named_.model_type, scratch);
    const std::string family = alike ? alike->spec.id : "FAMILY";
    help += fmt::format(
        "--assume {} takes that record's facts and marks every result as assumed; "
        "`reckon list architectures` prints the records",
        family);
    d_.error(named_.span ? named_.span : tree_.span, what).help(wrapped(help));
  }

  static std::string wrapped(const std::string& text) {
    std::string out;
    std::size_t at = 0;
    while (at < text.size()) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      out += (out.empty() ? "" : "\n  ") + wrap(text.substr(at, end - at), 96, "    ");
      at = end + 1;
    }
    return out;
  }

  Keys sorted_keys() {
    const std::set<std::string> words = words_of_record(*record_);
    Architecture spec = record_->spec;
    if (!record_->spec.vision_inside.empty()) spec.ignore.push_back(record_->spec.vision_inside);
    Keys keys = sort_keys(*config_.part, words, spec, rules_);
    refuse_bearing(keys, *record_, d_);
    if (config_.part == &tree_) return keys;
    spec.ignore.push_back(descended_);
    const Keys above = sort_keys(tree_, words, spec, rules_);
    keys.ignored.insert(keys.ignored.end(), above.ignored.begin(), above.ignored.end());
    keys.unknown.insert(keys.unknown.end(), above.unknown.begin(), above.unknown.end());
    return keys;
  }

  LayerClasses classes(Builder& builder) {
    LayerClasses out;
    for (const Builder::Layer& l : builder.layers) {
      std::vector<std::string>& c = out.emplace_back();
      const auto kind = [](const Value& part) { return part.find("kind")->text; };
      if (kind(builder.part("mixers", l.mixer)) != "none") c.emplace_back("attention");
      const Value& mlp = builder.part("mlps", l.mlp);
      if (kind(mlp) == "dense") c.emplace_back("mlp");
      if (kind(mlp) != "moe") continue;
      c.emplace_back("experts");
      const Value* shared = mlp.find("shared");
      if (shared && shared->text != "0") c.emplace_back("shared");
    }
    return out;
  }

  // What the files hold: base format, formats by class, modules beside the token path.
  void files(Builder& builder) {
    const LayerClasses has = classes(builder);
    const fs::path beside = fs::path(file_).parent_path() / "hf_quant_config.json";
    Value modelopt;
    std::error_code error;
    if (fs::is_regular_file(beside, error)) modelopt = work_.read_lenient(beside, said_, d_);
    const std::size_t before = d_.error_count();
    const std::optional<Quantization> q =
        read_quantization(config_, modelopt, *record_, work_, has, d_);
    if (d_.error_count() > before) return;
    Value out = doc::mapping();
    base_format(builder, q.has_value(), out);
    if (q) formats(*q, builder, out);
    if (builder.has_mtp) doc::set(out, "mtp", doc::scalar("yes"));
    if (builder.has_vision) doc::set(out, "vision", doc::scalar("yes"));
    if (out.find("base")) doc::set(builder.model, "files", std::move(out));
  }

  // torch_dtype; where a file that quantizes, or holds more than the main model, doesn't say it, bf16 is assumed.
  void base_format(Builder& builder, bool quantized, Value& out) {
    const Value* dtype = config_.find("torch_dtype");
    if (!dtype) dtype = config_.find("dtype");
    const std::string said = dtype && dtype->is_scalar() ? dtype->text : "";
    const Value* format = rules_.dtypes.is_mapping() ? rules_.dtypes.find(said) : nullptr;
    if (dtype && !format) {
      d_.warning(dtype->span,
                 fmt::format("dtype '{}' is not known: the files' base format is left open",
                             shortened(said)));
    }
    if (!format && !quantized && !builder.has_mtp && !builder.has_vision) return;
    Found f;
    f.kind = Found::Kind::kWord;
    f.word = format ? format->text
             : rules_.dtypes.is_mapping() && rules_.dtypes.find("default")
                 ? rules_.dtypes.find("default")->text
                 : "bf16";
    f.from = format ? From::kStated : From::kAssumed;
    f.how = format ? "torch_dtype" : "the config states no dtype";
    if (format) f.span = dtype->span;
    doc::set(out, "base", doc::scalar(f.word, dtype ? dtype->span : tree_.span));
    builder.fact("files.base", f);
  }

  // The format most layers have goes to files.formats; layers that differ say so themselves.
  void formats(const Quantization& q, Builder& builder, Value& out) {
    const std::string base = out.find("base")->text;
    const LayerClasses has = classes(builder);
    Value common = doc::mapping();
    std::map<std::string, std::string> most;
    for (const char* c : {"attention", "mlp", "experts", "shared", "router"}) {
      std::map<std::string, int> votes;
      for (std::size_t i = 0; i < has.size(); ++i) {
        if (std::find(has[i].begin(), has[i].end(), c) == has[i].end()) continue;
        const auto at = q.layers[i].find(c);
        ++votes[at == q.layers[i].end() ? base : at->second];
      }
      if (votes.empty()) continue;
      most[c] = std::max_element(votes.begin(), votes.end(), [](const auto& a, const auto& b) {
                  return a.second < b.second;
                })->first;
      Found f;
      f.kind = Found::Kind::kWord;
      f.word = most[c];
      f.from = From::kStated;
      f.span = q.span;
      f.how = q.how;
      builder.fact(fmt::format("files.formats.{}", c), f);
      if (most[c] != base) doc::set(common, c, doc::scalar(most[c], q.span));
    }
    if (record_->spec.formats.is_mapping())
      for (const doc::Entry& e : record_->spec.formats.entries) doc::set(common, e.key, e.value);
    if (!common.entries.empty()) doc::set(out, "formats", std::move(common));
    stored_.resize(has.size());
    for (std::size_t i = 0; i < has.size(); ++i)
      for (const std::string& c : has[i]) {
        const auto at = q.layers[i].find(c);
        const std::string format = at == q.layers[i].end() ? base : at->second;
        if (most.contains(c) && format != most[c]) stored_[i][c] = format;
      }
    out_.notes.insert(out_.notes.end(), q.notes.begin(), q.notes.end());
  }

  // Runs of layers that are alike.
  void groups(Builder& builder) {
    stored_.resize(builder.layers.size());
    Value list = doc::sequence(config_.part->span);
    for (std::size_t from = 0; from < builder.layers.size();) {
      std::size_t to = from;
      while (to < builder.layers.size() && builder.layers[to] == builder.layers[from] &&
             stored_[to] == stored_[from])
        ++to;
      const Builder::Layer& l = builder.layers[from];
      Value group = doc::mapping(config_.part->span);
      doc::set(group, "count", doc::scalar(std::to_string(to - from), config_.part->span));
      doc::set(group, "mixer", builder.part("mixers", l.mixer));
      doc::set(group, "mlp", builder.part("mlps", l.mlp));
      if (!stored_[from].empty()) {
        Value stored = doc::mapping();
        for (const auto& [c, format] : stored_[from])
          doc::set(stored, c, doc::scalar(format, config_.part->span));
        doc::set(group, "stored", std::move(stored));
      }
      list.items.push_back(std::move(group));
      from = to;
    }
    doc::set(builder.model, "layers", std::move(list));
  }

  std::string default_name() const {
    std::error_code unreadable;  // "./config.json" lies in a folder with a name of its own
    fs::path path = fs::weakly_canonical(fs::absolute(file_, unreadable), unreadable);
    if (unreadable) path = file_;
    const std::string folder = path.parent_path().filename().string();
    return path.filename() == "config.json" && !folder.empty() ? folder : path.stem().string();
  }

  void finish(Builder& builder, const Keys& keys) {
    Value& m = builder.model;
    Value ordered = doc::mapping(config_.part->span);
    const auto text = [&](const char* key, std::string value) {
      Value v = doc::scalar(std::move(value), config_.part->span);
      v.quoted = true;
      doc::set(ordered, key, std::move(v));
    };
    const std::string name = request_.name.empty() ? default_name() : request_.name;
    text("name", assumed_ ? fmt::format("{} (assumed: {})", name, record_->spec.id) : name);
    if (assumed_) text("assumed", record_->spec.id);
    for (const char* key :
         {"hidden", "vocab", "tied", "positions", "norm", "norms_per_layer", "final_norm",
          "embedding_norm", "head_bias", "layers", "mtp", "vision", "files", "context"})
      if (Value v = doc::take(m, key); !v.is_null()) doc::set(ordered, key, std::move(v));
    for (doc::Entry& e : m.entries) doc::set(ordered, e.key, std::move(e.value));
    text("source", request_.source.empty()
                       ? fmt::format("{}, imported with {}", file_, record_->file)
                       : request_.source);
    out_.model = std::move(ordered);
    out_.record = record_->file;
    out_.chosen_by = record_->chosen_by;
    out_.facts = std::move(builder.facts);
    out_.ignored = keys.ignored;
    out_.unknown = keys.unknown;
    if (!out_.unknown.empty())
      d_.warning(
          config_.part->span,
          fmt::format(
              "keys that neither {} nor presets/import.yaml knows, taken to change no cost: {}",
              record_->file, join(out_.unknown, ", ")));
    vision_note();
    explain_count(work_, *record_, builder.evaluator(), request_, out_, d_);
    out_.notes.insert(out_.notes.end(), builder.notes.begin(), builder.notes.end());
  }

  void vision_note() {
    if (out_.model.find("vision"))
      out_.notes.emplace_back("the vision tower is kept apart: off the token path");
    else if (tree_.find("vision_config"))
      out_.notes.emplace_back("vision_config: no record of the vision tower, which is left out");
  }

  Workspace& work_;
  const std::string file_;
  Span said_;
  const ImportRequest& request_;
  Diagnostics& d_;
  Value tree_;
  ImportRules rules_;
  Config config_;
  std::string descended_;
  Named named_;
  std::optional<Record> record_;
  bool assumed_ = false;
  std::vector<ClassFormats> stored_;
  Imported out_;
};

bool has_key(const std::string& text, const char* key) {
  return text.find(fmt::format("\"{}\"", key)) != std::string::npos;
}

}  // namespace

fs::path config_called(Workspace& work, std::string_view name, std::string_view beside) {
  const bool json = name.ends_with(".json");
  if (!json && name.find('/') == name.npos && name != "." && name != "..") return {};
  std::error_code error;
  const fs::path given{std::string(name)};
  if (!json) {
    for (const fs::path& p : {fs::path(std::string(beside)).parent_path() / given, given})
      if (fs::is_directory(p, error)) return p;
    return {};
  }
  const fs::path file = work.find(Shelf::kModels, name, beside);
  std::string text;
  if (file.empty() || !read_file(file, text)) return {};
  const bool theirs = has_key(text, "architectures") || has_key(text, "model_type");
  const bool ours = has_key(text, "kind") || has_key(text, "layers") || has_key(text, "params");
  return ours && !theirs ? fs::path{} : file;
}

Imported import_model(Workspace& work, const std::string& file, Span said,
                      const ImportRequest& request, Diagnostics& diagnostics) {
  return Import(work, file, said, request, diagnostics).run();
}

}  // namespace reckon
