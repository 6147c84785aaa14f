// What a model's published files hold, tensor by tensor: elements, scales of blocks, bytes.
//
//   FileContents<double> f = file_contents(model);   // of a model that states `files`
//   f.elements, f.scales, f.bytes                    // what `files` says is there
//   for_each_stored(model, [](const StoredTensor<double>& t) { … });   // all that could be there
//
// Totals that are published differ in what they count: modules for further tokens (with or without
// their copies of embedding and head), vision towers, a tied head stored a second time, scales, and
// buffers that are no parameters. Each is a part of its own here. Scales of a matrix: blocks at its
// edges count whole, in both directions. A matrix's format is that of its class in the layer group's
// `stored`, else in `files.formats`, else `files.base`; matrices too narrow for blocks (routers,
// gates) are kept as routers are, the matrix that joins two hidden states as the head is.
#pragma once

#include "reckon/cost/parameters.hpp"

namespace reckon {

inline const Formula kFileElements{"files.elements", "N_file", "elements in the model's files",
                                   "parameters and what else is stored, without scales",
                                   Hint::kParams};
inline const Formula kFileScales{"files.scales", "N_scale", "scales of blocks in the files",
                                 "ceil(rows / block) · ceil(columns / block) of each matrix",
                                 Hint::kParams};
inline const Formula kFileBytes{"files.bytes", "M_file", "the model's files, headers excluded",
                                "elements and scales, each in its format"};

enum class FilePart { kMain, kTiedCopy, kMtp, kMtpCopies, kVision, kBuffers };
inline constexpr std::size_t kFileParts = 6;

enum class TensorClass {
  kEmbedding,
  kHead,
  kAttention,
  kMlp,
  kExperts,
  kShared,
  kRouter,
  kCorrection,
  kVectors,
  kBase
};

template <class R>
struct StoredTensor {
  FilePart part;
  const char* name;
  const Stored<R>* format;  // nullptr: the model states no `files`
  Count<R> elements, scales;
};

template <class R>
const Stored<R>* stated_format(const TensorFormats<R>& f, TensorClass c) {
  const auto of = [](const std::optional<Stored<R>>& x) { return x ? &*x : nullptr; };
  switch (c) {
    case TensorClass::kEmbedding:
      return of(f.embedding);
    case TensorClass::kHead:
      return of(f.head);
    case TensorClass::kAttention:
      return of(f.attention);
    case TensorClass::kMlp:
      return of(f.mlp);
    case TensorClass::kExperts:
      return of(f.experts);
    case TensorClass::kShared:
      return of(f.shared);
    case TensorClass::kRouter:
      return of(f.router);
    case TensorClass::kCorrection:
      return f.router_bias ? &*f.router_bias : of(f.vectors);
    case TensorClass::kVectors:
      return of(f.vectors);
    case TensorClass::kBase:
      break;
  }
  return nullptr;
}

// Of a layer group with formats of its own, or of the whole model.
template <class R>
const Stored<R>* format_in_files(const Model<R>& model, const std::optional<TensorFormats<R>>& own,
                                 TensorClass c) {
  if (!model.files) return nullptr;
  const Stored<R>* found = own ? stated_format(*own, c) : nullptr;
  if (!found && model.files->formats) found = stated_format(*model.files->formats, c);
  return found ? found : &model.files->base;
}

template <class R>
TensorClass class_of(const Matrix<R>& m) {
  constexpr TensorClass kOf[] = {TensorClass::kAttention, TensorClass::kMlp, TensorClass::kExperts,
                                 TensorClass::kShared, TensorClass::kRouter};
  return m.narrow ? TensorClass::kRouter : kOf[static_cast<int>(m.part)];
}

// Scales of `copies` matrices of so many rows and columns.
template <class R>
Count<R> scales_of(const Stored<R>* format, Count<R> copies, Count<R> rows, Count<R> columns) {
  if (!format || !format->scales) return {};
  const BlockScales<R>& block = *format->scales;
  return copies * ceil(rows / block.rows) * ceil(columns / block.columns);
}

// One tensor of a model's files, or so many alike.
template <class R, class Visit>
class StoredWalk {
 public:
  StoredWalk(const Model<R>& model, Visit visit) : model_(model), visit_(visit) {}

  void run() {
    main();
    if (model_.mtp) modules(*model_.mtp);
    if (model_.vision) vision(*model_.vision);
    if (!model_.files) return;
    for (const StoredBuffer<R>& b : model_.files->buffers)
      visit_(StoredTensor<R>{FilePart::kBuffers,
                             b.name.c_str(),
                             b.format ? &*b.format : &model_.files->base,
                             b.elements,
                             {}});
  }

 private:
  using Own = std::optional<TensorFormats<R>>;
  const Own none_{};

  void matrix(FilePart part, const char* name, TensorClass c, const Own& own, Count<R> copies,
              Count<R> rows, Count<R> columns) {
    const Stored<R>* format = format_in_files(model_, own, c);
    visit_(StoredTensor<R>{part, name, format, copies * rows * columns,
                           scales_of(format, copies, rows, columns)});
  }
  void vector(FilePart part, const char* name, TensorClass c, const Own& own, Count<R> n) {
    visit_(StoredTensor<R>{part, name, format_in_files(model_, own, c), n, {}});
  }

  void layer(FilePart part, const LayerGroup<R>& g) {
    for_each_matrix(model_, g, [&](const Matrix<R>& m) {
      matrix(part, m.name, class_of(m), g.stored, g.count * m.copies, m.out, m.in);
    });
    for_each_vector(model_, g, [&](const Vector<R>& v) {
      const bool correction = v.kind == VectorKind::kCorrection;
      vector(part, v.name, correction ? TensorClass::kCorrection : TensorClass::kVectors, g.stored,
             g.count * elements(v));
    });
  }

  void main() {
    const Count<R> one{1};
    auto h = *model_.hidden;
    matrix(FilePart::kMain, "embedding", TensorClass::kEmbedding, none_, one, model_.vocab, h);
    if (!(model_.positions <= 0))
      matrix(FilePart::kMain, "positions", TensorClass::kEmbedding, none_, one, model_.positions,
             h);
    matrix(model_.tied ? FilePart::kTiedCopy : FilePart::kMain, "head", TensorClass::kHead, none_,
           one, model_.vocab, h);
    for (const LayerGroup<R>& g : model_.layers) layer(FilePart::kMain, g);
    for_each_outer_vector(model_, [&](const char* name, VectorKind, Count<R> width) {
      vector(FilePart::kMain, name, TensorClass::kVectors, none_, width);
    });
  }

  void modules(const Mtp<R>& x) {
    auto h = *model_.hidden;
    layer(FilePart::kMtp, mtp_layer(model_, x));
    matrix(FilePart::kMtp, "join", TensorClass::kHead, none_, x.modules, h, 2 * h);
    if (!x.copies) return;
    matrix(FilePart::kMtpCopies, "embedding", TensorClass::kEmbedding, none_, x.modules,
           model_.vocab, h);
    matrix(FilePart::kMtpCopies, "head", TensorClass::kHead, none_, x.modules, model_.vocab, h);
  }

  void vision(const VisionTower<R>& x) {
    for_each_vision_tensor(x, [&](const char* name, Count<R> n) {
      vector(FilePart::kVision, name, TensorClass::kBase, none_, n);
    });
  }

  const Model<R>& model_;
  Visit visit_;
};

// Every tensor that the files of this model hold or could hold.
template <class R, class Visit>
void for_each_stored(const Model<R>& model, Visit visit) {
  StoredWalk<R, Visit>(model, visit).run();
}

// Whether `files` says that they hold a part.
template <class R>
bool in_files(const Model<R>& model, FilePart part) {
  switch (part) {
    case FilePart::kMain:
      return true;
    case FilePart::kTiedCopy:
      return model.files && model.files->tied_copy;
    case FilePart::kMtp:
    case FilePart::kMtpCopies:
      return model.files && model.files->mtp;
    case FilePart::kVision:
      return model.files && model.files->vision;
    case FilePart::kBuffers:
      return model.files.has_value();
  }
  return false;
}

template <class R>
Bytes<R> stored_bytes(const StoredTensor<R>& t) {
  if (!t.format->scales) return t.elements * t.format->size;
  return t.elements * t.format->scales->element + t.scales * t.format->scales->size;
}

template <class R>
struct FileContents {
  Count<R> elements, scales;
  Bytes<R> bytes;
};

template <class R>
FileContents<R> file_contents(const Model<R>& model) {
  Sum<kOne, R> elements, scales;
  Sum<kByte, R> bytes;
  for_each_stored(model, [&](const StoredTensor<R>& t) {
    if (!in_files(model, t.part)) return;
    elements.add(t.name, t.elements);
    scales.add(t.name, t.scales);
    bytes.add(t.name, stored_bytes(t));
  });
  return {kFileElements(elements.total()), kFileScales(scales.total()), kFileBytes(bytes.total())};
}

}  // namespace reckon
