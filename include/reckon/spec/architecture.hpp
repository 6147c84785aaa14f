// What no config.json states: how an architecture spells its dimensions, and what its class implies.
//
//   models/architectures/qwen3.yaml
//     base: llama
//     architectures: [Qwen3ForCausalLM]
//     model_types: [qwen3]
//     mixers: {full: {qk_norm: head}}
//
// Right of a colon stands an expression over the config's keys: `hidden_size`, `n_inner or 4 * hidden`,
// `1 if multi_query else heads` (engine/import.hpp). `or` goes to the next where the file says nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "reckon/doc/field.hpp"
#include "reckon/doc/value.hpp"

namespace reckon {

// Which layers have which mixer or MLP, by its name in the record. Of several rules the first that
// the config's keys allow is taken.
struct LayerRule {
  std::string list, text, every, at, from, until, except, is, otherwise, only_if;
  doc::Value words;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("if", "", "the rule holds where this is yes"), s.only_if...);
    v(Field("list", "", "one entry a layer, each one of `words`"), s.list...);
    v(Field("text", "", "one character a layer, each one of `words`"), s.text...);
    v(Field("words", "", "what an entry stands for"), s.words...);
    v(Field("every", "", "of every so many layers one `is`"), s.every...);
    v(Field("at", "", "which of them, from 0; the last if not stated"), s.at...);
    v(Field("from", "", "layers before this one, from 0, are `else`"), s.from...);
    v(Field("until", "", "this layer and those after it are `else`"), s.until...);
    v(Field("except", "", "a list of layers that are `else`"), s.except...);
    v(Field("is", "", "the name of a mixer or MLP, or none"), s.is...);
    v(Field("else", "", "what the other layers have"), s.otherwise...);
  }
};

struct LayerRules {
  std::string count;
  std::vector<LayerRule> mixer, mlp;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("count", "", "how many layers").required(), s.count...);
    v(Field("mixer", "", "which layers have which mixer").required(), s.mixer...);
    v(Field("mlp", "", "which layers have which MLP").required(), s.mlp...);
  }
};

// What must hold for the record to be right about a config.
struct Requirement {
  std::string that, why;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("that", "", "an expression that must give yes").required(), s.that...);
    v(Field("why", "", "what is said where it does not").required(), s.why...);
  }
};

// Tensors that files may hold beside the parameters; taken where a published count shows them.
struct PossibleBuffer {
  std::string name, elements, format, source;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("name", "", "as the files call it").required(), s.name...);
    v(Field("elements", "", "an expression: all layers together").required(), s.elements...);
    v(Field("format", "", "a file in formats/"), s.format...);
    v(Field("source", "", "where that was seen"), s.source...);
  }
};

struct Architecture {
  std::string id, name, source, vision_inside;
  std::vector<std::string> architectures, model_types, ignore, projector;
  doc::Value values, model, mixers, mlps, mtp, vision, modules, formats;
  LayerRules layers;
  std::vector<Requirement> require;
  std::vector<PossibleBuffer> buffers;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("id", "", "the file's name, filled in by the program"), s.id...);
    v(Field("name", "", "as people call it").required(), s.name...);
    v(Field("architectures", "", "what `architectures` may say in a config"), s.architectures...);
    v(Field("model_types", "", "what `model_type` may say"), s.model_types...);
    v(Field("values", "", "names for expressions over the config's keys"), s.values...);
    v(Field("require", "", "what must hold, or the import stops"), s.require...);
    v(Field("model", "", "fields of the model, each an expression").required(), s.model...);
    v(Field("mixers", "", "by name, fields of a mixer; `like` takes another's").required(),
      s.mixers...);
    v(Field("mlps", "", "by name, fields of an MLP; `like` takes another's").required(), s.mlps...);
    v(Field("layers", "", "which layers have which").required(), s.layers...);
    v(Field("mtp", "", "modules for further tokens: modules, mixer, mlp, norms, copies"), s.mtp...);
    v(Field("vision", "", "fields of the vision tower, over the keys of its own part"),
      s.vision...);
    v(Field("vision_inside", "", "the key that holds the vision tower's part"), s.vision_inside...);
    v(Field("projector", "", "elements of each tensor between tower and model"), s.projector...);
    v(Field("modules", "", "by class of tensor, names of the modules that hold it"), s.modules...);
    v(Field("formats", "",
            "by class of tensor, the format that files keep it in where they quantize"),
      s.formats...);
    v(Field("buffers", "", "what files may hold beside the parameters"), s.buffers...);
    v(Field("ignore", "", "keys that change no cost in this architecture; * stands for anything"),
      s.ignore...);
    v(Field("source", "", "where the facts come from"), s.source...);
  }
};

// presets/import.yaml: what holds for configs of every architecture.
struct MistakenFile {
  std::string key, what, help;
  bool always = false;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("key", "", "a key by which the file is known").required(), s.key...);
    v(Field("what", "", "what such a file is").required(), s.what...);
    v(Field("help", "", "what to do instead"), s.help...);
    v(Field("always", "", "also where the file names an architecture"), s.always...);
  }
};

// How a file's quantization says what this project calls `format`.
struct QuantizationRule {
  std::string method, format, source;
  doc::Value where;
  std::vector<std::string> classes;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("method", "", "its quant_method or quant_algo").required(), s.method...);
    v(Field("where", "", "keys, dotted, and what they must say"), s.where...);
    v(Field("format", "", "a file in formats/").required(), s.format...);
    v(Field("classes", "", "classes of tensors it applies to; those of the file, where empty"),
      s.classes...);
    v(Field("source", "", "where that is said"), s.source...);
  }
};

// presets/quantization.yaml: read only for a config whose files quantize.
struct QuantizationRules {
  std::string name, source;
  std::vector<std::string> classes, prefixes, exclude, outside;
  std::vector<QuantizationRule> rules;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("name", "", "as people call it"), s.name...);
    v(Field("classes", "", "classes of tensors that a rule applies to, unless it says"),
      s.classes...);
    v(Field("rules", "", "the first rule that fits").required(), s.rules...);
    v(Field("exclude", "", "keys that list what is not quantized"), s.exclude...);
    v(Field("prefixes", "", "what may stand before the name of a module"), s.prefixes...);
    v(Field("outside", "", "modules outside the layers; * stands for anything"), s.outside...);
    v(Field("source", "", "where the figures come from"), s.source...);
  }
};

struct ImportRules {
  std::string name, source;
  std::vector<std::string> descend, shared, ignore, bears, nothing;
  doc::Value dtypes;
  std::vector<MistakenFile> mistaken;

  template <class V, class... S>
  static void fields(V&& v, S&... s) {
    v(Field("name", "", "as people call it"), s.name...);
    v(Field("descend", "", "keys under which the text model may lie"), s.descend...);
    v(Field("shared", "", "keys that may stay above it"), s.shared...);
    v(Field("ignore", "", "keys that change no cost; * stands for anything"), s.ignore...);
    v(Field("bears", "", "keys that stop an import where their meaning isn't known"), s.bears...);
    v(Field("nothing", "", "values by which such a key says nothing"), s.nothing...);
    v(Field("mistaken", "", "files that are taken for a config"), s.mistaken...);
    v(Field("dtypes", "", "torch_dtype to a file in formats/"), s.dtypes...);
    v(Field("source", "", "where the figures come from"), s.source...);
  }
};

}  // namespace reckon
