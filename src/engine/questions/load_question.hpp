// kind: load, defined in load.cpp. Apart from questions.hpp, which every question includes.
#pragma once

namespace reckon {

class Question;

const Question& load_question();

}  // namespace reckon
