#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "harness/device/device.h"
#include "harness/device/machine_code.h"
#include "harness/measure/row.h"
#include "harness/measure/sampler.h"

namespace tally {

/// Keys stay in the order in which they were written.
using Json = nlohmann::ordered_json;

/// The JSON on one line. Bytes that are no text, of a command line, a file's name or what an entry threw, are
/// replaced: they must not cost the results.
inline std::string json_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// One element of the results file's `benchmarks`: a Google Benchmark row with our object `tally` in it.
/// Numbers that are not finite are left out, for JSON has none.
Json to_json(const Row& row);

/// The same back; what is not in the file stays as Row has it. Throws nlohmann::json::exception where it is
/// not a row.
Row row_from_json(const Json& json);

Json to_json(const Failure& failure);
Failure failure_from_json(const Json& json);

/// Turns stand in the journal only.
Json to_json(const Turn& turn);
Turn turn_from_json(const Json& json);

/// As the keys launch_gap and round_trip; what is not there is 0.
Json to_json(const Pace& pace);
Pace pace_from_json(const Json& json);

Json to_json(const Ceilings& ceilings, std::int64_t l2_bytes);
Ceilings ceilings_from_json(const Json& json);

/// One element of the results file's `tally.static_facts`.
Json to_json(const KernelCode& kernel);

/// "op": "sum" or 64 or [16, 32]: a knob's value as JSON has it.
Json to_json(const KnobValue& value);

}  // namespace tally
