#include "reckon/cost/questions/critical_batch.hpp"

namespace reckon {

template <class R>
CriticalBatchAnswer<R> answer(const CriticalBatchQuestion<R>& q) {
  CriticalBatchAnswer<R> out;
  out.loss =
      q.loss ? *q.loss : loss_at(loss_curve(*q.loss_law->loss), {*q.params, *q.tokens}).total;
  out.critical = critical_batch(*q.law.batch, out.loss);
  if (q.batch) out.cost = batch_cost(*q.batch, out.critical);
  if (q.per_rank) out.largest_data = largest_data_degree(out.critical, *q.per_rank);
  return out;
}

template CriticalBatchAnswer<double> answer(const CriticalBatchQuestion<double>&);
template CriticalBatchAnswer<Dual> answer(const CriticalBatchQuestion<Dual>&);
template CriticalBatchAnswer<Traced> answer(const CriticalBatchQuestion<Traced>&);

}  // namespace reckon
