/// variants/upsample_nearest2x/best.cuh on a GPU, for one type: exact answers for every width and alignment,
/// behind the kernel that writes the input, and beyond 2^30 pieces; then its kernels in every shape beside
/// CUB and Thrust, and its calls beside the fastest of them. Needs a Hopper GPU, so it is no part of ./test.
///
///   nvcc -std=c++20 -O3 -arch=sm_90 --expt-relaxed-constexpr --extended-lambda -I. -DTUNE_TYPE=float
///        tests/variants/upsample_best/measure_upsample.cu -o measure_float32
///   ./measure_float32 float32 check|sweep|compare results.jsonl
///
/// Exit code: 0 if all is right, 1 if an answer is wrong, 2 for a wrong command line.
#include <cstring>

#include "upsample_candidates.cuh"

namespace {

using namespace tune;
using T = TUNE_TYPE;

constexpr std::int64_t guard = 64;  // elements before and behind an output that must stay as they are
constexpr unsigned char poison = 0x77;

/// Adds to `wrong` the elements of `out` that are not what `in` makes of them, and those around it that are
/// not poison. Sums are exact: the inputs are eighths up to 8.
template <bool forward>
__global__ void count_wrong(const T* in, const T* out, std::int64_t outputs, std::int64_t width,
                            unsigned long long* wrong) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x - guard;
       i < outputs + guard; i += stride) {
    if (i < 0 || i >= outputs) {
      for (std::size_t b = 0; b < sizeof(T); ++b) {
        if (reinterpret_cast<const unsigned char*>(out + i)[b] != poison) atomicAdd(wrong, 1ull);
      }
    } else {
      float expected = 0;
      if constexpr (forward) {
        expected = static_cast<float>(in[i / (2 * width) / 2 * width + i % (2 * width) / 2]);
      } else {
        const std::int64_t corner = i / width * 4 * width + i % width * 2;
        for (const std::int64_t at : {corner, corner + 1, corner + 2 * width, corner + 2 * width + 1}) {
          expected += static_cast<float>(in[at]);
        }
      }
      if (!(static_cast<float>(out[i]) == expected)) atomicAdd(wrong, 1ull);
    }
  }
}

/// The small images and the large ones, with room around them.
class Stacks {
 public:
  explicit Stacks(std::int64_t elements) : elements_(elements) {
    in_ = device_array<T>(4 * elements + 2 * guard);
    out_ = device_array<T>(4 * elements + 4 * guard);
    wrong_ = device_array<unsigned long long>(1);
    fill_values<<<1056, 256>>>(in_, 4 * elements + 2 * guard, 7u);
  }
  ~Stacks() {
    cudaFree(in_);
    cudaFree(out_);
    cudaFree(wrong_);
  }
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;

  const T* in(int offset = 0) const { return in_ + offset; }
  T* out(int offset = 0) const { return out_ + guard + offset; }
  void poison_output() const {
    TUNE_REQUIRE(cudaMemset(out_, poison, static_cast<std::size_t>(4 * elements_ + 4 * guard) * sizeof(T)));
  }
  template <bool forward>
  bool right(const T* in, const T* out, std::int64_t elements, std::int64_t width) const {
    unsigned long long wrong = 0;
    TUNE_REQUIRE(cudaMemset(wrong_, 0, sizeof wrong));
    count_wrong<forward><<<1056, 256>>>(in, out, forward ? 4 * elements : elements, width, wrong_);
    TUNE_REQUIRE(cudaMemcpy(&wrong, wrong_, sizeof wrong, cudaMemcpyDeviceToHost));
    return wrong == 0;
  }

 private:
  std::int64_t elements_;
  T* in_;
  T* out_;
  unsigned long long* wrong_;
};

/// Both directions of one shape at those offsets.
void check_at(Checks& checks, const Stacks& s, std::int64_t images, std::int64_t height, std::int64_t width,
              int in_offset, int out_offset) {
  const std::string where = std::to_string(images) + "x" + std::to_string(height) + "x" +
                            std::to_string(width) + " offsets " + std::to_string(in_offset) + "->" +
                            std::to_string(out_offset);
  const std::int64_t elements = images * height * width;
  const T* in = s.in(in_offset);
  T* out = s.out(out_offset);
  s.poison_output();
  TUNE_REQUIRE(tally_upsample::upsample_nearest2x(in, out, images, height, width));
  checks.expect(s.right<true>(in, out, elements, width), "forward " + where);
  s.poison_output();
  TUNE_REQUIRE(tally_upsample::upsample_nearest2x_backward(in, out, images, height, width));
  checks.expect(s.right<false>(in, out, elements, width), "backward " + where);
}

void check_shapes(Checks& checks) {
  const Stacks s(1 << 20);
  for (const std::int64_t width : {1,  2,  3,  4,   5,   6,   7,    8,    9,    12,   15,   16,   17,
                                   31, 32, 33, 100, 255, 256, 1000, 1001, 1002, 1004, 4096, 65537}) {
    for (const std::int64_t height : {1, 2, 7}) {
      check_at(checks, s, 1, height, width, 0, 0);
      check_at(checks, s, 2, height, width, 1, 0);
      check_at(checks, s, 1, height, width, 0, 1);
      check_at(checks, s, 1, height, width, 2, 2);
      check_at(checks, s, 1, height, width, 8, 4);
    }
  }
  const unsigned seed = std::random_device()();
  std::printf("shapes drawn with seed %u\n", seed);
  std::mt19937 random(seed);
  for (int i = 0; i < 60; ++i) {
    const int images = 1 + static_cast<int>(random() % 5);
    const int height = 1 + static_cast<int>(random() % 200);
    const int width = 1 + static_cast<int>(random() % 1000);
    check_at(checks, s, images, height, width, static_cast<int>(random() % 9),
             static_cast<int>(random() % 9));
  }
  check_at(checks, s, 0, 5, 5, 0, 0);
  check_at(checks, s, 5, 0, 5, 0, 0);
  check_at(checks, s, 5, 5, 0, 0, 0);
  checks.expect(tally_upsample::upsample_nearest2x(s.in(), s.out(), 1, 1, -1) == cudaErrorInvalidValue,
                "width -1");
  checks.expect(
      tally_upsample::upsample_nearest2x_backward(s.in(), s.out(), -1, 1, 1) == cudaErrorInvalidValue,
      "-1 images");
}

/// There and back in one stream: four times the input.
void check_in_order(Checks& checks) {
  const std::int64_t height = 700;
  const std::int64_t width = 1022;
  const Stacks s(height * width);
  T* large = device_array<T>(4 * height * width);
  T* expected = device_array<T>(4 * height * width);
  cudaStream_t stream = nullptr;
  TUNE_REQUIRE(cudaStreamCreate(&stream));
  TUNE_REQUIRE(tally_upsample::upsample_nearest2x(s.in(), expected, 1, height, width));
  for (int turn = 0; turn < 50; ++turn) {
    s.poison_output();
    TUNE_REQUIRE(cudaMemset(large, poison, static_cast<std::size_t>(4 * height * width) * sizeof(T)));
    TUNE_REQUIRE(cudaDeviceSynchronize());
    TUNE_REQUIRE(tally_upsample::upsample_nearest2x(s.in(), large, 1, height, width, stream));
    TUNE_REQUIRE(tally_upsample::upsample_nearest2x_backward(large, s.out(), 1, height, width, stream));
    TUNE_REQUIRE(cudaStreamSynchronize(stream));
    checks.expect(s.right<false>(expected, s.out(), height * width, width), "behind the kernel before");
  }
  TUNE_REQUIRE(cudaFree(large));
  TUNE_REQUIRE(cudaFree(expected));
  TUNE_REQUIRE(cudaStreamDestroy(stream));
}

/// More pieces than one launch takes, in many rows and in one. Rows of odd width, so that a piece is an
/// element.
void check_many_pieces(Checks& checks) {
  const std::int64_t rows = 1025;
  const std::int64_t width = (tally_upsample::most_pieces >> 10) + 1;
  const Stacks s(rows * width);
  check_at(checks, s, 1, rows, width, 0, 0);
  check_at(checks, s, 1, 1, tally_upsample::most_pieces + 1, 0, 0);
}

void check_every_kernel(Checks& checks) {
  const Stacks s(1 << 20);
  struct Shape {
    std::int64_t height, width;
  };
  for (const Shape shape : {Shape{32, 32}, Shape{1000, 1024}, Shape{999, 1026}, Shape{333, 511}}) {
    const Question<T> q{s.in(), s.out(), shape.height, shape.width};
    const std::string where = " " + std::to_string(shape.height) + "x" + std::to_string(shape.width);
    for (const Candidate& candidate : candidates_of<true>(q)) {
      s.poison_output();
      TUNE_REQUIRE(candidate.call(nullptr));
      checks.expect(s.right<true>(q.in, q.out, q.elements(), q.width), "forward " + candidate.name + where);
    }
    for (const Candidate& candidate : candidates_of<false>(q)) {
      s.poison_output();
      TUNE_REQUIRE(candidate.call(nullptr));
      checks.expect(s.right<false>(q.in, q.out, q.elements(), q.width), "backward " + candidate.name + where);
    }
  }
}

bool check(const std::string& type) {
  Checks checks;
  check_every_kernel(checks);
  check_shapes(checks);
  check_in_order(checks);
  check_many_pieces(checks);
  return checks.report("upsample_nearest2x " + type);
}

constexpr int smallest = 10;
constexpr int largest = 26;

template <bool forward>
void measure_direction(const std::string& type, bool compare_best, const T* in, T* out, std::FILE* json) {
  Timer timer;
  for (int bits = smallest; bits <= largest; ++bits) {
    // As the harness shapes it: one image, its sides as equal as powers of two can be.
    const Question<T> q{in, out, std::int64_t{1} << (bits / 2), std::int64_t{1} << (bits - bits / 2)};
    const std::int64_t bytes = 5 * q.elements() * static_cast<std::int64_t>(sizeof(T));
    const QuestionName name{"upsample_nearest2x", type, forward ? "forward" : "backward", q.elements(),
                            bytes};
    if (compare_best) {
      std::vector<Candidate> libraries;
      add_libraries<forward>(libraries, q);
      const Candidate ours{"best", [q](cudaStream_t stream) {
                             return forward ? tally_upsample::upsample_nearest2x(q.in, q.out, 1, q.height,
                                                                                 q.width, stream)
                                            : tally_upsample::upsample_nearest2x_backward(
                                                  q.in, q.out, 1, q.height, q.width, stream);
                           }};
      for (const bool cold : {true, false}) compare(timer, name, ours, libraries, cold, json);
    } else {
      auto all = candidates_of<forward>(q);
      add_copies(all, out, in, bytes);
      for (const bool cold : {true, false}) sweep(timer, name, all, cold, json);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc == 4 ? argv[2] : "";
  if (what != "check" && what != "sweep" && what != "compare") {
    std::fprintf(stderr, "usage: %s TYPE check|sweep|compare JSON_LINES\n", argv[0]);
    return 2;
  }
  if (what == "check") return check(argv[1]) ? 0 : 1;
  std::FILE* json = std::fopen(argv[3], "a");
  if (json == nullptr) {
    std::fprintf(stderr, "%s: cannot be written\n", argv[3]);
    return 2;
  }
  const std::int64_t most = std::int64_t{4} << largest;
  T* in = device_array<T>(most);
  T* out = device_array<T>(most);
  fill_values<<<1056, 512>>>(in, most, 7u);
  measure_direction<true>(argv[1], what == "compare", in, out, json);
  measure_direction<false>(argv[1], what == "compare", in, out, json);
  std::fclose(json);
  return 0;
}
