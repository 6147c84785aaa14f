// The questions there are; each is defined in a file of its own and listed in kinds.cpp.
#pragma once

namespace reckon {

class Question;

const Question& accumulate_question();
const Question& activations_question();
const Question& attention_question();
const Question& chunk_question();
const Question& collective_question();
const Question& compress_question();
const Question& critical_batch_question();
const Question& decode_question();
const Question& dtype_question();
const Question& emergence_question();
const Question& experts_question();
const Question& gemm_question();
const Question& goodput_question();
const Question& layer_question();
const Question& lifetime_question();
const Question& load_question();
const Question& loss_error_question();
const Question& mup_question();
const Question& pipeline_question();
const Question& pools_question();
const Question& prefill_question();
const Question& quantize_question();
const Question& repeat_question();
const Question& scaling_question();
const Question& serving_question();
const Question& states_question();
const Question& tensor_question();

}  // namespace reckon
