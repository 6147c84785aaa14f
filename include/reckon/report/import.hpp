// What an import found, for people and programs: each field with its value and what says so.
//
//   field     value  from           by
//   hidden    4096   stated         hidden_size  config.json:9
//   tied      no     class default
#pragma once

#include <string>

#include "reckon/engine/import.hpp"

namespace reckon {

std::string import_text(const Imported& imported, std::size_t width);
std::string import_markdown(const Imported& imported);
std::string import_json(const Imported& imported);
std::string import_csv(const Imported& imported);

}  // namespace reckon
