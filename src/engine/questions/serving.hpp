// What the serving questions ask of their input alike, and how they say what they found.
#pragma once

#include "needs.hpp"
#include "question_of.hpp"
#include "reckon/spec/questions/serving.hpp"

namespace reckon {

// bf16 where nothing else is said: presets/serving.yaml.
void fill_formats(Workspace& work, doc::Value& tree, Diagnostics& diagnostics);

// Batch, and context or prompt and output.
void need_batch(const DecodeBatch<double>& load, std::string_view what, const Asked& asked);
// Layers, hidden width and heads: without them a cache has no size.
void need_cache(const Model<double>& model, std::string_view what, const Asked& asked);
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

long number(Count<double> n);
// Where ranks outnumber KV heads: what happens to the cache.
// What serving leaves out of mixers that are not plain attention.
void say_mixers(const Model<double>& model, Result& r);
void say_shared_heads(const Model<double>& model, Count<double> ranks, SharedHeads how, Result& r);
std::string model_name(const Model<double>& model);

}  // namespace reckon
