// Plans of any kind over the product of what is varied: every point evaluated, the best kept.
#pragma once

#include "reckon/engine/search.hpp"

namespace reckon::searching {

Found search_points(Workspace& work, const SearchRequest& request, Diagnostics& diagnostics);

}  // namespace reckon::searching
