// A value typed behind a flag: `--ranks 2,4,8` is three, `--model 7B` an abstract model.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reckon/doc/value.hpp"
#include "session.hpp"

namespace reckon::cli {

// Parted at commas that stand in no brackets and no quotes. A text with spaces or semicolons ("1 2; 3 4") is one value.
std::vector<std::string> split_values(const std::string& word);

// --node-gpus for node_gpus. Data ranks leave --data to the folder that all commands take.
std::string flag_of_field(std::string_view field);

// The value of a question's field, placed in `--flag value` for faults.
doc::Value said_value(Session& session, const std::string& field, const std::string& word);

}  // namespace reckon::cli
