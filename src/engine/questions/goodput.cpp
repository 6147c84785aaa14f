// kind: goodput
#include "reckon/cost/questions/goodput.hpp"

#include <fmt/format.h>

#include "needs.hpp"
#include "question_of.hpp"
#include "questions.hpp"
#include "reckon/units/format.hpp"

namespace reckon {
namespace {

class GoodputKind : public QuestionOf<GoodputQuestion> {
 public:
  const QuestionInfo& info() const override {
    static const QuestionInfo info{
        "goodput",
        "how often to checkpoint, and what failures leave of a run's time",
        "",
        {"reckon goodput --gpus 16384 --mtbf-per-gpu 50000h --checkpoint 5.67TB "
         "--write-bandwidth 200GB/s --restart 10min",
         "reckon goodput --gpus 1024,4096,16384 --mtbf-per-gpu 50000h --stall 30s --restart 10min",
         "reckon goodput --mtbf 3h --stall 1min --interval 10min,30min,1h"},
        {},
        {"run.mtbf", "run.checkpoint.interval", "run.checkpoint.share", "run.failure_share",
         "run.goodput"}};
    return info;
  }

 protected:
  void legal(const Input& q, const Asked& asked) const override {
    if (q.mtbf && q.mtbf_per_gpu)
      asked.fault("mtbf", "how often the run fails is stated twice, of the cluster and of a GPU")
          .note(asked.places.of("mtbf_per_gpu"), "of a GPU it is stated here")
          .help("leave one of them out");
    if (!q.mtbf && !q.mtbf_per_gpu)
      asked.fault("mtbf", "goodput: how often the run fails is not stated, and nothing is assumed")
          .help("mtbf_per_gpu: 50000 h with gpus: 16384, or mtbf: 3 h of the whole cluster");
    if (!q.mtbf && q.mtbf_per_gpu && !q.gpus)
      asked.fault("gpus", "how often one GPU fails is stated, and how many there are is not")
          .help("gpus: 16384");
    legal_saving(q, asked);
  }

  void say(const Input& q, const Output& out, Result& r) const override {
    if (r.name.empty())
      r.name = q.gpus ? fmt::format("a run of {} GPUs that fails every {}", whole(*q.gpus),
                                    text(r, kClusterMtbf.id))
                      : fmt::format("a run that fails every {}", text(r, kClusterMtbf.id));
    if (out.goodput.share)
      r.answer.lines.push_back(fmt::format(
          "{} of the time trains: {} wait for checkpoints, {} go at failures", text(r, kGoodput.id),
          text(r, kCheckpointShare.id), text(r, kFailureShare.id)));
    else
      r.answer.lines.emplace_back(
          "nothing gets done: an interval and a restart take longer than the time between "
          "failures");
    r.answer.lines.push_back(
        fmt::format("a checkpoint every {} of training{}; each failure loses {} on average",
                    text(r, kInterval.id),
                    q.interval ? fmt::format(" (best: {})", text(r, kBestInterval.id)) : "",
                    text(r, kLostPerFailure.id)));
    if (out.elapsed)
      r.answer.lines.push_back(fmt::format("{} in place of {}, with {} failures",
                                           text(r, kElapsed.id), format_length(*q.length),
                                           text(r, kFailures.id)));
    warn(q, out, r);
    r.answer.formulas = {std::string(kGoodput.id), std::string(kBestInterval.id)};
    if (out.elapsed) r.answer.formulas.emplace_back(kElapsed.id);
    r.answer.notes = {
        "To the first order in failures (Young, Daly): a failure comes at any time alike and loses "
        "half an interval. Good while an interval is well below the time between failures."};
    r.not_modelled = {"failures during a restart", "slow machines that don't fail"};
  }

  std::vector<Alternative> alternatives(const Input& q) const override {
    std::vector<Alternative> out;
    if (q.interval)
      return {{"the best interval", {{"interval", "null"}}, {std::string(kGoodput.id)}}};
    return out;
  }

 private:
  static std::string format_length(const Seconds<double>& x) {
    return format_quantity(x.raw, kSecond, Hint::kDays);
  }

  static void legal_saving(const Input& q, const Asked& asked) {
    if (q.checkpoint && !q.write_bandwidth)
      asked.fault("checkpoint", "the checkpoint's bytes are stated, the storage's bandwidth is not")
          .help("write_bandwidth: 200 GB/s");
    if (q.write_bandwidth && !q.checkpoint)
      asked
          .fault("write_bandwidth",
                 "the storage's bandwidth is stated, the checkpoint's bytes are not")
          .help("checkpoint: 5.67 TB");
    if (!q.checkpoint && !q.write_bandwidth && !q.stall)
      asked.fault("stall", "goodput: what a checkpoint takes is not stated")
          .help("stall: 30 s, or checkpoint: 5.67 TB and write_bandwidth: 200 GB/s");
    if (q.async && !(q.stall && q.checkpoint))
      asked
          .fault("async", "written beside training, a checkpoint has a stall and a time of writing")
          .help("state stall, checkpoint and write_bandwidth");
    if (q.stall && q.checkpoint && !q.async)
      asked
          .fault("stall",
                 "training waits for all of the writing, unless checkpoints are written beside it")
          .help("add async: yes, or leave stall out");
  }

  static void warn(const Input& q, const Output& out, Result& r) {
    const Goodput<double>& g = out.goodput;
    if (q.async && *g.interval < out.saving.write)
      r.warnings.push_back(
          fmt::format("writing takes {}, longer than the interval: the next checkpoint begins "
                      "before it is done",
                      text(r, kCheckpointWrite.id)));
    if (g.share && *g.mtbf < 3 * *g.interval)
      r.warnings.push_back(
          fmt::format("an interval of {} is not well below the {} between failures: a first order "
                      "overstates the share",
                      text(r, kInterval.id), text(r, kClusterMtbf.id)));
  }
};

}  // namespace

const Question& goodput_question() {
  static const GoodputKind kind;
  return kind;
}

}  // namespace reckon
