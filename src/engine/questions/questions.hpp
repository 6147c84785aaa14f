// The questions there are; each is defined in a file of its own and listed in kinds.cpp.
#pragma once

namespace reckon {

class Question;

const Question& collective_question();
const Question& pipeline_question();

}  // namespace reckon
