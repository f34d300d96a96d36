/// \file
/// What the lanes of the warp at work do, noted as it happens and looked at later: an event costs a hook a
/// few instructions, and all lanes' events together cost far less to look at than each by itself. Nothing
/// stays in it past the warp's turn.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "harness/device/simt/types.h"

namespace tally::simt {

/// One word: what kind of event, and of which block of code or which site.
class Event {
 public:
  enum class Kind : std::uint32_t {
    code,         ///< enters a block of code
    access,       ///< accesses memory: one address beside it
    not_counted,  ///< an access that turned out to be of no memory that counts
    fence         ///< orders the lane's writes before its later ones
  };

  Event() = default;
  Event(Kind kind, std::uint32_t index) : bits_(index << 2 | static_cast<std::uint32_t>(kind)) {}
  Kind kind() const { return static_cast<Kind>(bits_ & 3); }
  /// The guard of a block of code, or the number of a site.
  std::uint32_t index() const { return bits_ >> 2; }
  friend bool operator==(const Event&, const Event&) = default;

 private:
  std::uint32_t bits_;
};

/// What one lane did in one go.
struct Stretch {
  unsigned lane = 0;  ///< in its warp
  std::uint32_t event_count = 0;
  Event* first_event = nullptr;
  const std::uint64_t* addresses = nullptr;  ///< one for each access

  std::span<Event> events() const { return {first_event, event_count}; }
};

class EventLog {
 public:
  EventLog() : events_(new Event[most_events]), addresses_(new std::uint64_t[most_events]) { clear(); }

  /// Whether there may be no room for another stretch.
  bool is_full() const { return next_event_ > last_begin_ || stretch_ == &stretches_.back(); }
  /// What comes now is of `lane`. The log must not be full.
  void begin_stretch(unsigned lane) {
    if (stretch_->first_event != next_event_) {
      stretch_->event_count = static_cast<std::uint32_t>(next_event_ - stretch_->first_event);
      ++stretch_;
      stretch_->first_event = next_event_;
      stretch_->addresses = next_address_;
    }
    stretch_->lane = lane;
    stretch_end_ = next_event_ + events_a_stretch;
  }

  void add_code(std::uint32_t guard) { *next_event_++ = {Event::Kind::code, guard}; }
  void add_fence() {
    *next_event_++ = {Event::Kind::fence, 0};
    fenced_ = true;
  }
  void add_access(std::uint32_t site, std::uint64_t address) {
    *next_event_++ = {Event::Kind::access, site};
    *next_address_++ = address;
  }
  /// Whether the lane has done so much in one go that it must give way.
  bool stretch_is_full() const { return next_event_ >= stretch_end_; }

  /// In the order in which they were made. The last one may be empty.
  std::span<const Stretch> stretches() {
    stretch_->event_count = static_cast<std::uint32_t>(next_event_ - stretch_->first_event);
    return {stretches_.data(), stretch_ + 1};
  }
  bool is_empty() const { return next_event_ == events_.get(); }
  /// Whether there is more in it than blocks of code.
  bool has_work() const { return fenced_ || next_address_ != addresses_.get(); }
  const std::uint64_t* addresses_end() const { return next_address_; }

  /// Forgets everything but whose stretch it is.
  void clear() {
    const unsigned lane = stretch_->lane;
    stretch_ = stretches_.data();
    next_event_ = events_.get();
    next_address_ = addresses_.get();
    fenced_ = false;
    *stretch_ = {lane, 0, next_event_, next_address_};
    stretch_end_ = next_event_ + events_a_stretch;
    last_begin_ = events_.get() + most_events - 2 * events_a_stretch;
  }

 private:
  /// After so many events a lane gives way, at the next block of code or when its accesses make a turn.
  static constexpr std::size_t events_a_stretch = 8192;
  static constexpr std::size_t most_events = 34 * events_a_stretch;

  std::array<Stretch, 1024> stretches_{};
  Event* next_event_ = nullptr;
  Event* stretch_end_ = nullptr;
  std::uint64_t* next_address_ = nullptr;
  bool fenced_ = false;
  Stretch* stretch_ = stretches_.data();
  const Event* last_begin_ = nullptr;
  std::unique_ptr<Event[]> events_;
  std::unique_ptr<std::uint64_t[]> addresses_;
};

}  // namespace tally::simt
