// What the serving questions ask of their input alike, and how they say what they found.
#pragma once

#include "needs.hpp"
#include "question_of.hpp"
#include "reckon/cost/decode_limits.hpp"
#include "reckon/spec/questions/serving.hpp"

namespace reckon {

// `recipe: NAME` written out: keys of the recipe under keys of the question, where the question says nothing of its
// own. Weights stated beside a recipe are a fault.
using RecipeKeys = std::vector<std::pair<std::string, std::string>>;
void lay_recipe(Workspace& work, doc::Value& tree, const RecipeKeys& keys,
                Diagnostics& diagnostics);
// The recipe's formats, and bf16 where nothing else is said: presets/serving.yaml.
void fill_formats(Workspace& work, doc::Value& tree, Diagnostics& diagnostics);

// Batch, and context or prompt and output.
void need_batch(const DecodeBatch<double>& load, std::string_view what, const Asked& asked);
// Layers, hidden width and heads: without them a cache has no size.
void need_cache(const Model<double>& model, std::string_view what, const Asked& asked);
// Tokens of a sequence against the model: beyond its learned positions a fault, beyond the length that it is published
// for a warning. `what`: "prompt and answer take".
void check_context_length(const Model<double>& model, double tokens, std::string_view what,
                          std::string_view key, const Asked& asked);
// The same of a decode batch, whichever way its length is stated.
void check_batch_length(const Model<double>& model, const DecodeBatch<double>& load,
                        const Asked& asked);
// A batch that memory does not hold: by how much, and what it would; the answer is then no.
void say_batch_fits(const BatchLimits<double>& limits, const Model<double>& model,
                    const DecodeBatch<double>& load, Count<double> ranks, Result& r);
// The fewest tensor ranks beyond these that hold so many sequences, of those that share the KV heads; 0 where none do.
long ranks_that_hold(const BatchLimits<double>& limits, const Model<double>& model, double batch,
                     long ranks);
// Ranks share heads evenly; links are there where there are several.
struct TensorAsk {
  const Model<double>& model;
  const MaybeCluster& cluster;
  const OnLinks<double>& on;
  const Assume<double>& assume;
  Count<double> ranks;
  std::string_view key;  // "tensor"
};
void need_tensor(const TensorAsk& ask, const Asked& asked);
// Conventions that the model can't be counted under.
void need_countable(const Model<double>& model, const Assume<double>& assume, bool chunk,
                    const Asked& asked);

// The formats in force, where a recipe or classes of tensors say more than a word.
void say_formats(const Served<double>& served, Result& r);

long number(Count<double> n);
// Where ranks outnumber KV heads: what happens to the cache.
// What serving leaves out of mixers that are not plain attention.
void say_mixers(const Model<double>& model, Result& r);
void say_shared_heads(const Model<double>& model, Count<double> ranks, SharedHeads how, Result& r);
std::string model_name(const Model<double>& model);

}  // namespace reckon
