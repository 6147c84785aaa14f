// reckon show NAME: the file behind a name, as it stands.
#include <fmt/format.h>

#include "commands.hpp"
#include "reckon/base/edit_distance.hpp"

namespace reckon::cli {

int show(Session& session, const Shared&, const ShowOptions& options) {
  Workspace& work = session.work();
  std::vector<std::filesystem::path> found;
  for (const Shelf shelf : kShelves) {
    const auto file = work.find(shelf, options.name);
    if (!file.empty() && (found.empty() || found.back() != file)) found.push_back(file);
  }
  if (found.empty()) {
    std::vector<std::string> known;
    for (const Shelf shelf : kShelves) {
      const auto ids = work.ids(shelf);
      known.insert(known.end(), ids.begin(), ids.end());
    }
    auto& fault =
        session.diagnostics().error({}, fmt::format("no file behind the name '{}'", options.name));
    const std::string near = closest(options.name, known);
    fault.help(near.empty() ? "`reckon list` prints all names"
                            : fmt::format("did you mean '{}'?", near));
    session.report_faults();
    return kUsage;
  }
  std::string text;
  if (options.path) {
    session.print(found.front().string() + "\n");
  } else {
    if (!read_file(found.front(), text)) return kInternal;
    session.print(fmt::format("# {}\n{}", found.front().string(), text));
  }
  for (std::size_t i = 1; i < found.size(); ++i)
    session.note(fmt::format("the name also stands for {}", found[i].string()));
  return kOk;
}

}  // namespace reckon::cli
