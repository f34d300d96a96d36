#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
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

/// A question that a child process works on. A GPU opened in this process could not be used in those it
/// forks.
class ChildQuestion {
 public:
  template <typename Question>
  explicit ChildQuestion(Question question) {
    int ends[2];
    if (pipe(ends) != 0) throw DeviceError("pipe: cannot ask for the GPU's facts");
    child_ = fork();
    if (child_ < 0) throw DeviceError("fork: cannot ask for the GPU's facts");
    if (child_ == 0) {
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
    answer_ = ends[0];
  }

  /// Waits for it. An object with "error" where there is none. The child takes a while yet to leave its GPU;
  /// nobody waits for that.
  const Json& answer() {
    if (given_.is_null()) given_ = received();
    return given_;
  }

 private:
  Json received() const {
    std::string text;
    char part[4096];
    for (ssize_t got = 0; (got = read(answer_, part, sizeof part)) > 0;)
      text.append(part, static_cast<std::size_t>(got));
    close(answer_);
    waitpid(child_, nullptr, WNOHANG);
    const Json answer = Json::parse(text, nullptr, false);
    if (answer.is_discarded()) return {{"error", "the GPU's driver ended the process that asked for it"}};
    return answer;
  }

  pid_t child_ = -1;
  int answer_ = -1;
  Json given_;
};

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

/// Those that were asked and whose answers nobody has taken, by the GPU's index.
std::map<int, ChildQuestion>& questions_for_facts() {
  static std::map<int, ChildQuestion> questions;
  return questions;
}

void ask_for_facts(int index) {
#if TALLY_HAS_CUDA
  questions_for_facts().try_emplace(index, [index] { return to_json(cuda_device_facts(index)); });
#else
  questions_for_facts().try_emplace(
      index, [index] { return to_json(open_device(DeviceKind::cuda, index)->facts()); });
#endif
}

#if TALLY_HAS_CUDA
/// How many GPUs the machine has by its device files, of which the driver may show fewer; one where it has
/// none.
int nodes_of_gpus() {
  int count = 0;
  while (std::filesystem::exists("/dev/nvidia" + std::to_string(count))) ++count;
  return std::max(count, 1);
}
#endif

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
  static const int count = [] {
    ChildQuestion question([] { return Json{{"count", count_cuda_devices()}}; });
    const int nodes = nodes_of_gpus();
    for (int index = 0; index < nodes; ++index) ask_for_facts(index);
    return question.answer().value("count", 0);
  }();
  return count;
#else
  return 0;
#endif
}

bool is_a_gpu_there(const std::vector<int>& indices) {
#if TALLY_HAS_CUDA
  for (const int index : indices) ask_for_facts(index);
  const bool first_is_there = !questions_for_facts().at(indices.front()).answer().contains("error");
  return first_is_there || count_gpus() > 0;
#else
  static_cast<void>(indices);
  return false;
#endif
}

std::vector<DeviceFacts> probe_devices(DeviceKind kind, const std::vector<int>& indices) {
  std::vector<DeviceFacts> devices;
  if (kind != DeviceKind::cuda) {
    devices.assign(indices.size(), open_device(kind, 0)->facts());
    for (std::size_t place = 0; place < indices.size(); ++place) devices[place].index = indices[place];
    return devices;
  }
  for (const int index : indices) ask_for_facts(index);
  std::string missing;
  for (std::size_t place = 0; place < indices.size(); ++place) {
    const Json answer = questions_for_facts().extract(indices[place]).mapped().answer();
    if (answer.contains("error")) {
      if (missing.empty()) missing = answer.at("error").get<std::string>();
    } else {
      devices.push_back(facts_from(answer, indices[place]));
    }
  }
  if (!missing.empty()) throw DeviceMissing(missing);
  return devices;
}

}  // namespace tally
