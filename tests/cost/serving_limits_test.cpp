// What a machine does not hold, and what moves between its GPUs: loads, pools, prefills and decodes of a model.
#include <string>

#include "asked.hpp"

using namespace reckon;
using reckon::test::ask;
using reckon::test::Asked;

namespace {

const std::string kLoad =
    "kind: load\nmodel: llama-3-8b\nrate: 8 requests/s\nprompt: 1000\noutput: 300\nbatch: 128\n";
const std::string kWorkers = kLoad + "prefill_workers: 1\ndecode_workers: 2\n";

}  // namespace

TEST_CASE("a load's pools move a prompt's cache as pools do, unless it is stated") {
  const Asked load = ask(kWorkers + "cluster: 8xh100-sxm\n");
  const Asked pools =
      ask("kind: pools\nmodel: llama-3-8b\nprompt: 1000\noutput: 300\nbatch: 128\n"
          "cluster: 8xh100-sxm\nassume: {prefill.mfu: 50%}\n");
  const double move = pools.value("kv.transfer");
  CHECK(move > 0);
  CHECK(load.value("load.ttft.sharing") == Approx(move).epsilon(1e-6));
  const Asked stated = ask(kWorkers + "cluster: 8xh100-sxm\ntransfer: 3 ms\n");
  CHECK(stated.value("load.ttft.sharing") == Approx(0.003));
  CHECK(ask(kWorkers + "cluster: 8xh100-sxm\ntransfer: 0 s\n").value("load.ttft.sharing") == 0);
}

TEST_CASE("workers and pools lie in their cluster, or the answer is no") {
  CHECK(ask(kWorkers + "cluster: 8xh100-sxm\n").result.fits());
  CHECK_FALSE(ask(kWorkers + "cluster: 2xh100-sxm\n").result.fits());
  CHECK_FALSE(ask(kWorkers + "cluster: 8xh100-sxm\ntensor: 4\n").result.fits());
  const std::string pools =
      "kind: pools\nmodel: llama-3-8b\nprompt: 2000\noutput: 500\nbatch: 32\n"
      "assume: {prefill.mfu: 50%}\nrate: 100 requests/s\n";
  const Asked eight = ask(pools + "cluster: 8xh100-sxm\n");
  CHECK_FALSE(eight.result.fits());
  CHECK(eight.value("pools.gpus") > 8);
  CHECK(ask(pools + "cluster: 24xh100-sxm\n").result.fits());
}

TEST_CASE("a load whose model does not fit is answered with by how much, not refused") {
  const std::string one =
      "kind: load\nmodel: llama-3-70b\nrate: 8 requests/s\nprompt: 1000\n"
      "output: 300\nbatch: 128\nchunk: 512\ncluster: ";
  const Asked x = ask(one + "1xh100-sxm\n");
  CHECK(x.faults.empty());
  CHECK_FALSE(x.result.fits());
  CHECK(x.value("fits") == 0);
  CHECK(x.absent("load.ttft.mean"));
  REQUIRE_FALSE(x.result.answer.lines.empty());
  CHECK(x.result.answer.lines[0].find("short by") != std::string::npos);
  CHECK(ask(one + "8xh100-sxm\ntensor: 4\n").value("fits") == 1);
}

TEST_CASE("a prompt beyond its target is no") {
  const std::string one =
      "kind: prefill\nmodel: llama-3-8b\ncluster: 1xh100-sxm\nassume: {prefill.mfu: 50%}\n"
      "target: 500 ms\nprompt: ";
  const auto longest = static_cast<int>(ask(one + "1000\n").value("prefill.longest_prompt"));
  CHECK(ask(one + std::to_string(longest) + "\n").result.fits());
  CHECK_FALSE(ask(one + std::to_string(longest + 1) + "\n").result.fits());
}

TEST_CASE("hidden states are handed over between stages, one time fewer than there are stages") {
  const auto sent = [](int ranks) {
    return ask("kind: decode\nmodel: llama-3-8b\ncluster: 8xh100-sxm\ncontext: 4096\nbatch: " +
               std::to_string(8 * ranks) + "\nranks: " + std::to_string(ranks) + "\n")
        .value("decode.pipeline.communication");
  };
  CHECK(sent(8) == Approx(7 * sent(2)));
  CHECK(sent(4) == Approx(3 * sent(2)));
}

TEST_CASE("what does not fit: ranks beyond a node, stages and narrower weights are tried") {
  const Asked x =
      ask("kind: serving\nmodel: llama-3-405b\nengine: trtllm-1\ntensor: 8\ncluster: 16xh100-sxm\n"
          "prompt: 1000\noutput: 64\nassume: physical\n");
  std::string changes;
  for (const Fix& f : x.result.fixes) changes += f.change + " ";
  CHECK(changes.find("tensor=16") != std::string::npos);
  CHECK(changes.find("pipeline=2") != std::string::npos);
  CHECK(changes.find("weights=") != std::string::npos);
}

TEST_CASE("answers of one token over tensor ranks wait a finite time") {
  const Asked x =
      ask("kind: serving\nmodel: llama-3.1-70b\nengine: trtllm-1\ntensor: 4\nweights: fp8-e4m3\n"
          "cluster: 8xh100-sxm\nprompt: 2048\noutput: 1\nrate: 5 requests/s\nassume: physical\n");
  CHECK(x.value("serve.ttft") >= x.value("prefill.ttft"));
  CHECK(x.value("serve.ttft") < 2 * x.value("prefill.ttft"));
}
