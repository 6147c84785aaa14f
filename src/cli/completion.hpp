// What may stand where a command line is being typed.
//
//   reckon completion bash > ~/.local/share/bash-completion/completions/reckon
//
// The script asks the program itself, `reckon completion words eval --mod`, so it knows the models, chips and formats
// of the data folder in use, and never grows old; words that an option takes are told where it is declared
// (command.hpp). Where nothing is printed the shell offers files.
#pragma once

#include <string>
#include <vector>

#include "session.hpp"

namespace reckon::cli {

// Of bash, zsh or fish; empty for another word.
std::string completion_script(const std::string& shell);

// What an option takes, by what is known of its name ("--model"); of a chip's name with a count: "8xh100-sxm".
std::vector<std::string> option_values(Session& session, const std::string& option,
                                       const std::string& typed);
// What stands in an argument, by what a command's help calls it ("MODEL", "NAME", "PATTERN"), after these.
std::vector<std::string> argument_values(Session& session, const std::string& argument,
                                         const std::vector<std::string>& before);

}  // namespace reckon::cli
