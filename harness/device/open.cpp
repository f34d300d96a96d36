#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "harness/device/device.h"
#include "harness/device/host/host_device.h"
#if TALLY_HAS_SIMT
#include "harness/device/simt/simt_device.h"
#endif
#if TALLY_HAS_CUDA
#include "harness/device/cuda/cuda_device.h"
#endif

namespace tally {
namespace {

using Json = nlohmann::json;

/// What `question` answers in a child process. A GPU opened in this process could not be used in those it
/// forks.
template <typename Question>
Json asked_in_a_child(Question question) {
  int ends[2];
  if (pipe(ends) != 0) throw DeviceError("pipe: cannot ask for the GPU's facts");
  const pid_t child = fork();
  if (child < 0) throw DeviceError("fork: cannot ask for the GPU's facts");
  if (child == 0) {
    Json answer;
    try {
      answer = question();
    } catch (const std::exception& error) {
      answer = {{"error", error.what()}};
    }
    const std::string text = answer.dump();
    const bool sent = write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
    _exit(sent ? 0 : 1);
  }
  close(ends[1]);
  std::string text;
  char part[4096];
  for (ssize_t got = 0; (got = read(ends[0], part, sizeof part)) > 0;)
    text.append(part, static_cast<std::size_t>(got));
  close(ends[0]);
  waitpid(child, nullptr, 0);
  const Json answer = Json::parse(text, nullptr, false);
  if (answer.is_discarded()) return {{"error", "the GPU's driver ended the process that asked for it"}};
  return answer;
}

Json to_json(const DeviceFacts& facts) {
  return {{"name", facts.name},
          {"uuid", facts.uuid},
          {"driver", facts.driver},
          {"cuda", facts.cuda},
          {"cccl", facts.cccl},
          {"multiprocessors", facts.multiprocessors},
          {"compute_capability", facts.compute_capability},
          {"l2_bytes", facts.l2_bytes},
          {"memory_bytes", facts.memory_bytes},
          {"free_memory_bytes", facts.free_memory_bytes},
          {"max_shared_bytes", facts.max_shared_bytes}};
}

DeviceFacts facts_from(const Json& json, int index) {
  DeviceFacts facts;
  facts.kind = DeviceKind::cuda;
  facts.index = index;
  facts.name = json.at("name");
  facts.uuid = json.at("uuid");
  facts.driver = json.at("driver");
  facts.cuda = json.at("cuda");
  facts.cccl = json.at("cccl");
  facts.multiprocessors = json.at("multiprocessors");
  facts.compute_capability = json.at("compute_capability");
  facts.l2_bytes = json.at("l2_bytes");
  facts.memory_bytes = json.at("memory_bytes");
  facts.free_memory_bytes = json.at("free_memory_bytes");
  facts.max_shared_bytes = json.at("max_shared_bytes");
  return facts;
}

}  // namespace

std::unique_ptr<Device> open_device(DeviceKind kind, int index) {
  switch (kind) {
    case DeviceKind::cuda:
#if TALLY_HAS_CUDA
      return open_cuda_device(index);
#else
      throw DeviceMissing("device cuda: this harness was built without CUDA; build with the preset `cuda`");
#endif
    case DeviceKind::simt:
#if TALLY_HAS_SIMT
      return open_simt_device();
#else
      throw DeviceMissing(
          "device simt: this harness was built without the CPU executor (Boost.Context was not found)");
#endif
    case DeviceKind::host:
      break;
  }
  static_cast<void>(index);
  return open_host_device();
}

int count_gpus() {
#if TALLY_HAS_CUDA
  const Json answer = asked_in_a_child([] { return Json{{"count", count_cuda_devices()}}; });
  return answer.value("count", 0);
#else
  return 0;
#endif
}

DeviceFacts probe_device(DeviceKind kind, int index) {
  if (kind != DeviceKind::cuda) return open_device(kind, index)->facts();
  const Json answer =
      asked_in_a_child([index] { return to_json(open_device(DeviceKind::cuda, index)->facts()); });
  if (answer.contains("error")) throw DeviceMissing(answer.at("error").get<std::string>());
  return facts_from(answer, index);
}

}  // namespace tally
