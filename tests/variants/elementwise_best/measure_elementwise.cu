/// variants/elementwise/best.cuh on a GPU, for one type: exact answers at every alignment, in place, behind
/// the kernel that writes the input, and beyond 2^30 elements; then its kernels in every shape beside CUB and
/// Thrust, and `transform` beside the faster of them. Needs a Hopper GPU, so it is no part of ./test.
///
///   nvcc -std=c++20 -O3 -arch=sm_90 --expt-relaxed-constexpr --extended-lambda -I. -DTUNE_TYPE=float
///        tests/variants/elementwise_best/measure_elementwise.cu -o measure_float32
///   ./measure_float32 float32 check|sweep|compare results.jsonl
///
/// Exit code: 0 if all is right, 1 if an answer is wrong, 2 for a wrong command line.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstring>

#include "elementwise_candidates.cuh"

namespace {

using namespace tune;
using T = TUNE_TYPE;

constexpr std::int64_t guard = 64;  // elements before and behind an output that must stay as they are
constexpr unsigned char poison = 0x77;

struct Square {
  __host__ __device__ T operator()(T x) const { return x * x; }
};
struct AddThree {
  __host__ __device__ T operator()(T x, T y, T z) const { return x + y + z; }
};

/// Adds to `wrong` the elements of `out` that are not op of the inputs, and the bytes around it that are not
/// poison. One element a thread: shares nothing with what is tested but op.
template <typename Op, typename... In>
__global__ void count_wrong(const T* out, std::int64_t n, unsigned long long* wrong, Op op, const In*... in) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x - guard;
       i < n + guard; i += stride) {
    unsigned char expected[sizeof(T)];
    if (i < 0 || i >= n) {
      memset(expected, poison, sizeof(T));
    } else {
      const T value = op(in[i]...);
      memcpy(expected, static_cast<const void*>(&value), sizeof(T));
    }
    bool same = true;
    for (std::size_t b = 0; b < sizeof(T); ++b) {
      same = same && reinterpret_cast<const unsigned char*>(out + i)[b] == expected[b];
    }
    if (!same) atomicAdd(wrong, 1ull);
  }
}

class Arrays {
 public:
  explicit Arrays(std::int64_t n) : n_(n) {
    for (T*& input : inputs_) {
      input = device_array<T>(n + 2 * guard);
      fill_values<<<528, 256>>>(input, n + 2 * guard, ++seed_);
    }
    out_ = device_array<T>(n + 4 * guard);
    wrong_ = device_array<unsigned long long>(1);
  }
  ~Arrays() {
    for (T* input : inputs_) cudaFree(input);
    cudaFree(out_);
    cudaFree(wrong_);
  }
  Arrays(const Arrays&) = delete;
  Arrays& operator=(const Arrays&) = delete;

  const T* input(int which, std::int64_t offset = 0) const { return inputs_[which] + offset; }
  T* out(std::int64_t offset = 0) const { return out_ + guard + offset; }
  void poison_output() const {
    TUNE_REQUIRE(cudaMemset(out_, poison, static_cast<std::size_t>(n_ + 4 * guard) * sizeof(T)));
  }
  template <typename Op, typename... In>
  bool right(const T* out, std::int64_t n, Op op, const In*... in) const {
    unsigned long long wrong = 0;
    TUNE_REQUIRE(cudaMemset(wrong_, 0, sizeof wrong));
    count_wrong<<<528, 256>>>(out, n, wrong_, op, in...);
    TUNE_REQUIRE(cudaMemcpy(&wrong, wrong_, sizeof wrong, cudaMemcpyDeviceToHost));
    return wrong == 0;
  }

 private:
  std::int64_t n_;
  std::uint64_t seed_ = 7;
  T* inputs_[3];
  T* out_;
  unsigned long long* wrong_;
};

/// One size with inputs and output at those offsets, all three ops.
void check_at(Checks& checks, const Arrays& a, std::int64_t n, const int (&offset)[4]) {
  using namespace tally_elementwise;
  const std::string where = "n=" + std::to_string(n) + " offsets " + std::to_string(offset[0]) + "," +
                            std::to_string(offset[1]) + "," + std::to_string(offset[2]) + "->" +
                            std::to_string(offset[3]);
  const T* x = a.input(0, offset[0]);
  const T* y = a.input(1, offset[1]);
  const T* z = a.input(2, offset[2]);
  T* out = a.out(offset[3]);
  a.poison_output();
  TUNE_REQUIRE(transform(from(x, y), out, n, Multiply()));
  checks.expect(a.right(out, n, Multiply(), x, y), "multiply " + where);
  a.poison_output();
  TUNE_REQUIRE(transform(from(x), out, n, Square()));
  checks.expect(a.right(out, n, Square(), x), "square " + where);
  a.poison_output();
  TUNE_REQUIRE(transform(from(x, y, z), out, n, AddThree()));
  checks.expect(a.right(out, n, AddThree(), x, y, z), "add three " + where);
}

void check_alignments(Checks& checks) {
  const std::int64_t largest = (1 << 24) + 100;
  const Arrays a(largest);
  std::vector<std::int64_t> sizes{0, 1, 2, 3, 7, 8, 15, 16, 17, 100, 1000, 1023, 4096, 4097, 65535};
  for (const int bits : {16, 18, 20, 21, 22, 23, 24}) sizes.push_back((1 << bits) + 5);
  const unsigned seed = std::random_device()();
  std::printf("sizes drawn with seed %u\n", seed);
  std::mt19937 random(seed);
  for (int i = 0; i < 20; ++i) sizes.push_back(random() % (1u << (4 + random() % 19)));
  for (const std::int64_t n : sizes) {
    check_at(checks, a, n, {0, 0, 0, 0});
    for (const int same : {1, 2, 3, 7, 8, 9, 33, 63}) check_at(checks, a, n, {same, same, same, same});
    check_at(checks, a, n, {1, 0, 0, 0});
    check_at(checks, a, n, {0, 2, 1, 0});
    check_at(checks, a, n, {0, 0, 0, 1});
    check_at(checks, a, n, {8, 16, 24, 0});
    check_at(checks, a, n, {3, 11, 19, 35});
  }
}

void check_in_place_and_in_order(Checks& checks) {
  using namespace tally_elementwise;
  const std::int64_t largest = 3 << 20;
  const Arrays a(largest);
  cudaStream_t stream = nullptr;
  TUNE_REQUIRE(cudaStreamCreate(&stream));
  T* between = device_array<T>(largest);
  for (const std::int64_t n : {std::int64_t{1000}, std::int64_t{70001}, largest}) {
    a.poison_output();
    TUNE_REQUIRE(
        cudaMemcpy(a.out(), a.input(0), static_cast<std::size_t>(n) * sizeof(T), cudaMemcpyDeviceToDevice));
    TUNE_REQUIRE(transform(from(static_cast<const T*>(a.out()), a.input(1)), a.out(), n, Multiply()));
    checks.expect(a.right(a.out(), n, Multiply(), a.input(0), a.input(1)), "in place n=" + std::to_string(n));
    for (int turn = 0; turn < 50; ++turn) {
      a.poison_output();
      TUNE_REQUIRE(cudaMemset(between, poison, static_cast<std::size_t>(n) * sizeof(T)));
      TUNE_REQUIRE(cudaDeviceSynchronize());
      TUNE_REQUIRE(transform(from(a.input(0)), between, n, Square(), stream));
      TUNE_REQUIRE(
          transform(from(static_cast<const T*>(between), a.input(1)), a.out(), n, Multiply(), stream));
      TUNE_REQUIRE(cudaStreamSynchronize(stream));
      const auto both = [] __device__(T x, T y) { return Multiply()(Square()(x), y); };
      checks.expect(a.right(a.out(), n, both, a.input(0), a.input(1)),
                    "behind the kernel that writes the input, n=" + std::to_string(n));
    }
  }
  checks.expect(transform(from(a.input(0)), a.out(), -1, Square()) == cudaErrorInvalidValue, "n = -1");
  TUNE_REQUIRE(cudaFree(between));
  TUNE_REQUIRE(cudaStreamDestroy(stream));
}

void check_many_elements(Checks& checks) {
  using namespace tally_elementwise;
  const std::int64_t n = most_of_one_launch + 77;
  const Arrays a(n);
  for (const int offset : {0, 3}) {
    a.poison_output();
    TUNE_REQUIRE(transform(from(a.input(0, offset), a.input(1, offset)), a.out(offset), n, Multiply()));
    checks.expect(a.right(a.out(offset), n, Multiply(), a.input(0, offset), a.input(1, offset)),
                  "n=" + std::to_string(n));
  }
}

void check_every_kernel(Checks& checks) {
  const Arrays a((1 << 23) + 100);
  for (const std::int64_t n : {1000, 65536, (1 << 20) + 5, (1 << 23) - 3}) {
    for (const int offset : {0, 5}) {
      const Question<T> q{a.input(0, offset), a.input(1, offset), a.out(offset), n};
      for (const Candidate& candidate : candidates_of(q)) {
        a.poison_output();
        TUNE_REQUIRE(candidate.call(nullptr));
        checks.expect(a.right(q.out, n, Multiply(), q.x, q.y),
                      candidate.name + " n=" + std::to_string(n) + " offset " + std::to_string(offset));
      }
    }
  }
}

bool check(const std::string& type) {
  Checks checks;
  check_every_kernel(checks);
  check_alignments(checks);
  check_in_place_and_in_order(checks);
  check_many_elements(checks);
  return checks.report("elementwise " + type);
}

constexpr int smallest = 10;
constexpr int largest = 28;

struct Problem {
  QuestionName name;
  Question<T> question;
};

template <typename Use>
void for_every_size(const std::string& type, Use use) {
  const std::int64_t most = std::int64_t{1} << largest;
  T* inputs = device_array<T>(2 * most);
  T* out = device_array<T>(2 * most);
  fill_values<<<1056, 512>>>(inputs, 2 * most, 7u);
  for (int bits = smallest; bits <= largest; ++bits) {
    const std::int64_t n = std::int64_t{1} << bits;
    const std::int64_t bytes = 3 * n * static_cast<std::int64_t>(sizeof(T));
    use(Problem{{"elementwise", type, "multiply", n, bytes}, {inputs, inputs + most, out, n}});
  }
}

void sweep_all(const std::string& type, std::FILE* json) {
  Timer timer;
  for_every_size(type, [&](const Problem& p) {
    auto all = candidates_of(p.question);
    add_copies(all, p.question.out, p.question.x, p.name.bytes);
    for (const bool cold : {true, false}) sweep(timer, p.name, all, cold, json);
  });
}

void compare_all(const std::string& type, std::FILE* json) {
  Timer timer;
  for_every_size(type, [&](const Problem& p) {
    std::vector<Candidate> libraries;
    add_libraries(libraries, p.question);
    const Candidate ours{"best", [q = p.question](cudaStream_t stream) {
                           return tally_elementwise::transform(tally_elementwise::from(q.x, q.y), q.out, q.n,
                                                               Multiply(), stream);
                         }};
    for (const bool cold : {true, false}) compare(timer, p.name, ours, libraries, cold, json);
  });
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc == 4 ? argv[2] : "";
  if (what != "check" && what != "sweep" && what != "compare") {
    std::fprintf(stderr, "usage: %s TYPE check|sweep|compare JSON_LINES\n", argv[0]);
    return 2;
  }
  // CUB sizes its tiles in the first call of a process and keeps that size.
  T* some = device_array<T>(1 << 16);
  TUNE_REQUIRE(cub::DeviceTransform::Transform(cuda::std::make_tuple(some, some), some, 1 << 16, Multiply()));
  TUNE_REQUIRE(cudaDeviceSynchronize());
  if (what == "check") return check(argv[1]) ? 0 : 1;
  std::FILE* json = std::fopen(argv[3], "a");
  if (json == nullptr) {
    std::fprintf(stderr, "%s: cannot be written\n", argv[3]);
    return 2;
  }
  if (what == "sweep") {
    sweep_all(argv[1], json);
  } else {
    compare_all(argv[1], json);
  }
  std::fclose(json);
  return 0;
}
