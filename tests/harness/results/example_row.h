#pragma once

#include "harness/measure/row.h"

namespace tally::testing {

/// A row with something in every field.
inline Row example_row() {
  Row row;
  row.name = "reduce/korean_course/reduce2/op:sum/type:float32/n:1024/blocks:256/threads:256/cold/device";
  row.repetitions = 2;
  row.repetition_index = 1;
  row.cpu_seconds = 2e-6;
  row.entry = "reduce/korean_course/reduce2";
  row.family = "reduce";
  row.series = "korean_course";
  row.stage = 2;
  row.follows = "reduce/korean_course/reduce1";
  row.published = {{"RTX 2070", 16777216, ScalarType::float32, 0.166, "ms"}};
  row.problem = "reduce/op:sum/type:float32/n:1024";
  row.n = 1024;
  row.knobs = {{"op", std::string("sum")},
               {"taps", std::int64_t{5}},
               {"scale", 0.5},
               {"shape", std::vector<std::int64_t>{1, 2}}};
  row.tuning = Tuning({{"threads", 256}, {"blocks", 256}});
  row.device = DeviceKind::cuda;
  row.gpu_index = 0;
  row.gpu_uuid = "GPU-0";
  row.bytes = 4100;
  row.items = 1024;
  row.series_of_samples = {{4e-6, 5e-6, 4.5e-6}, {0, 0, 1}};
  row.batch = 3;
  row.median = 4.5e-6;
  row.interval = Interval{4e-6, 5e-6};
  row.noise = 0.1;
  row.stop_reason = "precise";
  row.ratios["reduce/cub/sum"] = {1.21, Interval{1.19, 1.23}};
  row.ratios["reduce/thrust/reduce"] = {2, std::nullopt};
  row.ceiling = CeilingFigures{"hbm_read", 3.7e-6, 0.82, false};
  row.check = {0.5, 0.01, 1, 100, 1, {{"uniform", {0.5, 0.01, 1024}}}, true};
  row.counters["launches"] = 2;
  row.clocks = ClockReading{1980, 2619, 40, 250, true, "power cap"};
  return row;
}

}  // namespace tally::testing
