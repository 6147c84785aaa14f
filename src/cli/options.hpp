// From the words of the command line to a command that has run.
#pragma once

namespace reckon::cli {

// The program's exit code. Throws nothing of its own.
int run(int argc, char** argv);

}  // namespace reckon::cli
