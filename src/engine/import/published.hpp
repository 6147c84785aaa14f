// A published count beside an imported model: which of what the files may hold explains it.
#pragma once

#include "expression.hpp"
#include "reckon/engine/import.hpp"
#include "record.hpp"

namespace reckon::importing {

// Sets `files` of the model so that the count is met, if some combination meets it: modules for further tokens, vision
// tower, tied copy, buffers the record knows. Says in `out.notes` what was found.
void explain_count(Workspace& work, const Record& record, const Evaluator& eval,
                   const ImportRequest& request, Imported& out, Diagnostics& diagnostics);

}  // namespace reckon::importing
