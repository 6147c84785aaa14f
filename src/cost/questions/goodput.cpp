#include "reckon/cost/questions/goodput.hpp"

namespace reckon {
namespace {

template <class R>
Saving<R> saving_of(const GoodputQuestion<R>& q) {
  Saving<R> s;
  if (q.checkpoint) {
    auto S = *q.checkpoint;
    NAME(S);
    s.write = kCheckpointWrite(S / *q.write_bandwidth);
  } else {
    s.write = *q.stall;
  }
  s.stall = q.stall ? *q.stall : kCheckpointStall(s.write);
  s.interval = q.interval;
  s.async = q.async;
  return s;
}

template <class R>
void add_length(const GoodputQuestion<R>& q, GoodputAnswer<R>& out) {
  if (!q.length || !out.goodput.share) return;
  auto share = *out.goodput.share;
  NAME(share);
  auto elapsed = kElapsed(*q.length / share);
  out.elapsed = elapsed;
  if (q.gpus) out.gpu_time = kElapsedGpuTime(*q.gpus * elapsed);
  auto failures = kFailures(elapsed / *out.goodput.mtbf);
  out.failures = failures;
  out.lost_work = kLostWork(failures * *out.goodput.lost_per_failure);
}

}  // namespace

template <class R>
GoodputAnswer<R> answer(const GoodputQuestion<R>& q) {
  GoodputAnswer<R> out;
  out.saving = saving_of(q);
  GoodputInputs<R> in;
  in.gpus = q.mtbf ? Count<R>{1} : *q.gpus;
  in.mtbf_per_gpu = q.mtbf ? q.mtbf : q.mtbf_per_gpu;
  in.saving = out.saving;
  in.restart = q.restart;
  in.evaluation = q.evaluation;
  out.goodput = goodput(in);
  add_length(q, out);
  return out;
}

template GoodputAnswer<double> answer(const GoodputQuestion<double>&);
template GoodputAnswer<Traced> answer(const GoodputQuestion<Traced>&);

}  // namespace reckon
