#include "reckon/base/edit_distance.hpp"

#include "catch.hpp"

using namespace reckon;

TEST_CASE("edit distance counts insertions, deletions, changes and swaps") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("tensor", "tensor") == 0);
  CHECK(edit_distance("tenser", "tensor") == 1);
  CHECK(edit_distance("tesnor", "tensor") == 1);  // a swap
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("sitting", "kitten") == 3);
}

TEST_CASE("the closest candidate, or none") {
  const std::vector<std::string> mesh{"tensor", "pipeline", "context", "expert", "data"};
  CHECK(closest("tenser", mesh) == "tensor");
  CHECK(closest("Tensor", mesh) == "tensor");
  CHECK(closest("TENSOR", mesh) == "tensor");
  CHECK(closest("pipe", mesh) == "pipeline");           // the word begins it
  CHECK(closest("tensor_parallel", mesh) == "tensor");  // it begins the word
  CHECK(closest("zzz", mesh) == "");
  CHECK(closest("", mesh) == "");
  CHECK(closest("p", mesh) == "");  // one letter says nothing
  CHECK(closest("x", {"y"}) == "");
  CHECK(closest("tb", {"tc", "td"}) == "tc");  // ties go to the first
  CHECK(closest("anything", {}) == "");
  CHECK(closest("h200", {"b200", "h200-sxm"}) == "h200-sxm");                 // of a family
  CHECK(closest("capacity", {"capacity_factor", "capacitx"}) == "capacitx");  // nearer wins
}
