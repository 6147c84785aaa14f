#include "reckon/engine/topics.hpp"

#include "topics_list.hpp"

namespace reckon {

const std::vector<Topic>& topics() {
  static const std::vector<Topic> all{
      {"parallelism", "ways to split training over GPUs: what each costs, when it wins",
       parallelism_page},
  };
  return all;
}

const Topic* topic(std::string_view word) {
  for (const Topic& t : topics()) {
    if (t.word == word) return &t;
  }
  return nullptr;
}

}  // namespace reckon
