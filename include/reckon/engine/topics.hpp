// Topics that `reckon help TOPIC` explains; some put a plan's own numbers beside what they say.
//
//   const Topic* t = topic("parallelism");
//   TopicPage page = t->page(plan);          // nullptr, or a training plan
//
// A new topic is a file in src/engine/topics and a line in topics.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reckon/engine/load.hpp"

namespace reckon {

// A table whose cells are sentences: a row says of one thing what each column asks.
struct TopicPage {
  struct Row {
    std::string name;
    std::vector<std::string> cells;  // as many as there are columns; an empty one is left out
    bool marked = false;             // the plan's own
  };
  std::string title, corner;
  std::vector<std::string> intro, columns;
  std::vector<Row> rows;
  std::vector<std::string> notes;
};

struct Topic {
  std::string_view word, summary;
  TopicPage (*page)(const LoadedTraining* plan);
};

// In the order of the help.
const std::vector<Topic>& topics();
const Topic* topic(std::string_view word);  // nullptr if there is none

}  // namespace reckon
