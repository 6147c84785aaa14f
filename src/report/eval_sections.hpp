// The sections of an estimate, in the order they are read. Each is a function in a file of its own; a section that has
// nothing to say is empty.
#pragma once

#include <string>
#include <vector>

#include "reader.hpp"
#include "reckon/report/section.hpp"

namespace reckon {

// What a result is called: its name, or its file, with its case.
std::string title_of(const Result& result);

// Model, cluster, split … as the engine words them.
Section headline_section(Reader& r, const Canvas& canvas);

// What everybody asks first: does it fit, how fast is it, what does it cost. The verdict is the first line.
std::vector<std::string> answer(Reader& r);

Section mesh_section(Reader& r, const Canvas& canvas);
Section mesh_picture_section(Reader& r,
                             const Canvas& canvas);  // which ranks the GPUs of a node are
Section memory_section(Reader& r, const Canvas& canvas);
Section memory_stages_section(Reader& r, const Canvas& canvas);
Section memory_curve_section(Reader& r, const Canvas& canvas);
Section recompute_section(Reader& r, const Canvas& canvas);
Section schedule_section(Reader& r, const Canvas& canvas);
Section step_section(Reader& r, const Canvas& canvas);
Section communication_section(Reader& r, const Canvas& canvas);
Section collectives_section(Reader& r, const Canvas& canvas);  // among whom, over what, behind what
Section throughput_section(Reader& r, const Canvas& canvas);
Section run_section(Reader& r, const Canvas& canvas);
Section fixes_section(Reader& r, const Canvas& canvas);
Section assumed_section(Reader& r, const Canvas& canvas);
Section limits_section(Reader& r,
                       const Canvas& canvas);  // what is not modelled, how good it has been

// All of the above from `memory` on, with what no section knows under «Other» or, if verbose, every metric.
std::vector<Section> eval_sections(Reader& r, const Canvas& canvas);

// Every metric: id, what it is, value or reason.
Section every_metric(const std::vector<const Metric*>& metrics, std::string title,
                     const Canvas& canvas);

}  // namespace reckon
