/// Shows that kernel launches come in fours, which harness/device/cuda/launch_cycle.h is about: cold calls of
/// one to three empty kernels, one sample after the other, with so many empty kernels in between. Needs a
/// GPU, so it is no part of ./test. Each sample has two launches of its own, the flush and the hold: where
/// all of them add up to a multiple of four, a line has one level; where they do not, the levels take turns.
///
///   ninja show_launch_cycle && ./show_launch_cycle
#include "tests/variants/on_gpu/timing.cuh"

int main() {
  constexpr int samples = 16;
  constexpr int most_kernels = 3;
  constexpr int most_between = 3;
  tune::Timer timer;
  const auto launch = [&timer](int count) {
    for (int i = 0; i < count; ++i) tune::nothing<<<132, 256, 0, timer.stream()>>>();
  };
  std::printf("Microseconds of cold calls on an otherwise idle GPU.\n");
  for (int kernels = 1; kernels <= most_kernels; ++kernels) {
    for (int between = 0; between <= most_between; ++between) {
      std::printf("%d kernel%s, %d in between:", kernels, kernels == 1 ? " " : "s", between);
      for (int i = 0; i < samples; ++i) {
        launch(between);
        std::printf(" %5.2f", timer.sample([&] { launch(kernels); }, true, 1));
      }
      std::printf("\n");
    }
  }
}
