// A topic of the help as people read it: a block a row in text, a table in Markdown.
//
//   tensor
//     splits     every matrix of a layer, by columns, then by rows
//     costs      two all-reduces …
#pragma once

#include <string>

#include "reckon/engine/topics.hpp"
#include "reckon/report/style.hpp"

namespace reckon {

std::string topic_text(const TopicPage& page, const TextStyle& style);
std::string topic_markdown(const TopicPage& page);

}  // namespace reckon
