#include "npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <filesystem>
#include <limits>
#include <vector>

namespace reckon {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::uint64_t kLongestHeader = 1 << 20;

enum class Type { kHalf, kFloat, kDouble };
constexpr std::size_t width(Type t) { return t == Type::kHalf ? 2 : t == Type::kFloat ? 4 : 8; }

struct Header {
  std::string descr;
  bool fortran = false;
  std::vector<std::uint64_t> shape;
  std::uint64_t data_at = 0;
};

// The header is a Python dictionary: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class Dictionary {
 public:
  explicit Dictionary(std::string_view text) : text_(text) {}

  bool read(Header& out) {
    const auto descr = after("'descr'"), order = after("'fortran_order'"), shape = after("'shape'");
    if (!descr || !order || !shape) return false;
    if (descr->size() < 2 || (descr->front() != '\'' && descr->front() != '"')) {
      out.descr = "a record";  // a list of fields
    } else {
      const std::size_t end = descr->find(descr->front(), 1);
      if (end == descr->npos) return false;
      out.descr = descr->substr(1, end - 1);
    }
    if (!order->starts_with("True") && !order->starts_with("False")) return false;
    out.fortran = order->starts_with("True");
    return read_shape(*shape, out.shape);
  }

 private:
  std::optional<std::string_view> after(std::string_view key) const {
    std::size_t at = text_.find(key);
    if (at == text_.npos) return std::nullopt;
    at = text_.find(':', at + key.size());
    if (at == text_.npos) return std::nullopt;
    at = text_.find_first_not_of(' ', at + 1);
    return at == text_.npos ? std::nullopt : std::optional(text_.substr(at));
  }

  static bool read_shape(std::string_view text, std::vector<std::uint64_t>& out) {
    const std::size_t end = text.find(')');
    if (!text.starts_with("(") || end == text.npos) return false;
    std::uint64_t number = 0;
    bool digits = false;
    for (const char c : text.substr(1, end)) {
      if (c >= '0' && c <= '9') {
        if (number > std::numeric_limits<std::uint64_t>::max() / 16) return false;
        number = number * 10 + static_cast<std::uint64_t>(c - '0');
        digits = true;
      } else if (c == ',' || c == ')') {
        if (digits) out.push_back(number);
        number = 0;
        digits = false;
      } else if (c != ' ' && c != 'L') {
        return false;
      }
    }
    return true;
  }

  std::string_view text_;
};

Element half() {
  Element e;
  e.bits = 16;
  e.exponent = 5;
  e.mantissa = 10;
  e.bias = 15;
  e.infinity = true;
  e.nan = NanCode::kIeee;
  return e;
}

class Npy : public Source {
 public:
  Npy(std::string name, std::ifstream file, Shape shape, Type type, std::uint64_t data_at)
      : name_(std::move(name)),
        file_(std::move(file)),
        shape_(shape),
        type_(type),
        data_at_(data_at) {}

  Shape shape() const override { return shape_; }
  void rewind() override {
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(data_at_));
  }
  bool is_float() const override { return type_ != Type::kDouble; }
  void read(std::span<double> to) override {
    if (type_ == Type::kDouble) return raw(to.data(), to.size_bytes());
    if (type_ == Type::kFloat) return widened<float>(to);
    halves(to);
  }
  void read(std::span<float> to) override {
    if (type_ == Type::kFloat) return raw(to.data(), to.size_bytes());
    if (type_ == Type::kHalf) return halves(to);
    Source::read(to);
  }

 private:
  void raw(void* to, std::size_t bytes) {
    const auto wanted = static_cast<std::streamsize>(bytes);
    if (file_.rdbuf()->sgetn(static_cast<char*>(to), wanted) != wanted)
      throw SourceFailed{fmt::format("{} can't be read to its end", name_)};
  }
  template <class T>
  void widened(std::span<double> to) {
    std::vector<T> values(to.size());
    raw(values.data(), values.size() * sizeof(T));
    std::copy(values.begin(), values.end(), to.begin());
  }
  template <class T>
  void halves(std::span<T> to) {
    static const Element kHalf = half();
    std::vector<std::uint16_t> codes(to.size());
    raw(codes.data(), codes.size() * sizeof(std::uint16_t));
    std::transform(codes.begin(), codes.end(), to.begin(),
                   [](std::uint16_t code) { return static_cast<T>(decode(kHalf, code)); });
  }

  std::string name_;
  std::ifstream file_;
  Shape shape_;
  Type type_;
  std::uint64_t data_at_;
};

std::unique_ptr<Source> fault(Diagnostics& d, std::string text, std::string help) {
  d.error({}, std::move(text)).help(std::move(help));
  return nullptr;
}

bool read_header(std::ifstream& in, Header& out) {
  std::array<unsigned char, 12> start{};
  in.read(reinterpret_cast<char*>(start.data()), 8);  // NOLINT: bytes of a file
  if (!in) return false;
  const int length_bytes = start[6] == 1 ? 2 : 4;
  in.read(reinterpret_cast<char*>(start.data() + 8), length_bytes);  // NOLINT
  if (!in) return false;
  std::uint64_t length = 0;
  for (int i = length_bytes - 1; i >= 0; --i)
    length = length << 8 | start[static_cast<std::size_t>(8 + i)];
  if (length > kLongestHeader) return false;
  std::string text(length, ' ');
  in.read(text.data(), static_cast<std::streamsize>(length));
  out.data_at = 8 + static_cast<std::uint64_t>(length_bytes) + length;
  return in && Dictionary(text).read(out);
}

// Rows along the last dimension; false if they are too many to count.
bool shape_of(const std::vector<std::uint64_t>& dimensions, Shape& out) {
  out = {1, dimensions.empty() ? 1 : dimensions.back()};
  constexpr std::uint64_t kMost = std::uint64_t{1} << 48;
  for (std::size_t i = 0; i + 1 < dimensions.size(); ++i) {
    if (dimensions[i] > kMost || out.rows > kMost / std::max<std::uint64_t>(dimensions[i], 1))
      return false;
    out.rows *= dimensions[i];
  }
  return out.rows == 0 || out.columns <= kMost / out.rows;
}

}  // namespace

bool is_npy(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::string start(kMagic.size(), ' ');
  in.read(start.data(), static_cast<std::streamsize>(start.size()));
  return in && start == kMagic;
}

std::unique_ptr<Source> open_npy(const std::string& file, Diagnostics& d) {
  std::ifstream in(file, std::ios::binary);
  Header header;
  if (!is_npy(file) || !read_header(in, header))
    return fault(d, fmt::format("{} is no whole .npy file", file),
                 "write it with numpy.save(FILE, array)");
  const std::pair<const char*, Type> types[] = {
      {"<f2", Type::kHalf}, {"<f4", Type::kFloat}, {"<f8", Type::kDouble}};
  const auto type = std::find_if(std::begin(types), std::end(types),
                                 [&](const auto& t) { return header.descr == t.first; });
  if (type == std::end(types))
    return fault(d,
                 fmt::format("{} holds {}, not floating-point numbers in this byte order", file,
                             header.descr),
                 "save it as float32: numpy.save(FILE, array.astype('<f4'))");
  if (header.fortran && header.shape.size() > 1)
    return fault(d, fmt::format("{} is in Fortran order", file),
                 "save it in C order: numpy.save(FILE, numpy.ascontiguousarray(array))");
  Shape shape;
  if (!shape_of(header.shape, shape))
    return fault(d, fmt::format("{} says it has more values than there can be", file),
                 "its header is damaged");
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(file, error);
  const std::uint64_t wanted = header.data_at + shape.size() * width(type->second);
  if (error || size != wanted)
    return fault(d,
                 fmt::format("{} has {} bytes, and {} values of {} take {}", file, size,
                             shape.size(), header.descr, wanted),
                 size < wanted ? "it is cut short: copy it again" : "it is no single array");
  return std::make_unique<Npy>(file, std::move(in), shape, type->second, header.data_at);
}

}  // namespace reckon
