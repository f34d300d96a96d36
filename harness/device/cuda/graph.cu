#include "harness/device/cuda/graph.h"

#include <memory>
#include <string>
#include <type_traits>

#include "harness/device/cuda/launch.h"

namespace tally::cuda {
namespace {

struct DestroyGraph {
  void operator()(cudaGraph_t graph) const { cudaGraphDestroy(graph); }
  void operator()(cudaGraphExec_t graph) const { cudaGraphExecDestroy(graph); }
};
using Graph = std::unique_ptr<std::remove_pointer_t<cudaGraph_t>, DestroyGraph>;

Graph captured(DeviceQueue& queue, const Device::Work& work) {
  const auto stream = static_cast<cudaStream_t>(queue.native_stream());
  require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  std::string refused;
  try {
    work(queue);
  } catch (const std::exception& error) {
    refused = error.what();
  }
  cudaGraph_t graph = nullptr;
  const cudaError_t status = cudaStreamEndCapture(stream, &graph);
  Graph kept(graph);
  if (refused.empty() && status != cudaSuccess) refused = cudaGetErrorString(status);
  if (refused.empty()) return kept;
  cudaGetLastError();  // this error does not stick: the next call must not see it
  throw DeviceError("the call cannot be recorded as a graph: " + refused);
}

}  // namespace

Device::Work recorded(DeviceQueue& queue, const Device::Work& work) {
  const Graph graph = captured(queue, work);
  cudaGraphExec_t made = nullptr;
  require(cudaGraphInstantiate(&made, graph.get(), 0), "cudaGraphInstantiate");
  const std::shared_ptr<std::remove_pointer_t<cudaGraphExec_t>> executable(made, DestroyGraph());
  // Or the first replay would bring it to the GPU inside the timed region.
  require(cudaGraphUpload(made, static_cast<cudaStream_t>(queue.native_stream())), "cudaGraphUpload");
  return [executable](DeviceQueue& target) {
    require(cudaGraphLaunch(executable.get(), static_cast<cudaStream_t>(target.native_stream())),
            "cudaGraphLaunch");
  };
}

}  // namespace tally::cuda
