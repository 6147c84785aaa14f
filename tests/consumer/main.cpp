// A project that uses the installed library with the installed data: a chip's memory.
#include <cstdio>
#include <reckon/engine/workspace.hpp>

int main(int, char** argv) {
  reckon::Workspace data({argv[1]});
  reckon::Diagnostics faults;
  const auto* chip = data.load(reckon::Shelf::kChips, "h100-sxm", {}, faults);
  std::printf("%s\n", chip ? chip->at("memory.capacity")->text.c_str() : faults.render().c_str());
  return chip ? 0 : 1;
}
