// A list of few elements without an allocation: the operators of one layer.
//
//   ShortList<NamedGemm<R>, 10> gemms;
//   gemms.push_back({"QKV", shape});
//
// More than N is a mistake of ours: std::length_error.
#pragma once

#include <array>
#include <cstddef>
#include <stdexcept>

namespace reckon {

template <class T, std::size_t N>
class ShortList {
 public:
  void push_back(const T& x) {
    if (count_ == N) throw std::length_error("ShortList: more elements than it was made for");
    all_[count_++] = x;
  }
  void clear() { count_ = 0; }
  std::size_t size() const { return count_; }
  const T& operator[](std::size_t i) const { return all_[i]; }
  T& operator[](std::size_t i) { return all_[i]; }
  const T* begin() const { return all_.data(); }
  const T* end() const { return all_.data() + count_; }

 private:
  std::array<T, N> all_;
  std::size_t count_ = 0;
};

}  // namespace reckon
