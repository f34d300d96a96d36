#include "harness/sweep/interruption.h"

#include <csignal>
#include <initializer_list>

namespace tally {
namespace {

volatile std::sig_atomic_t counted = 0;
volatile std::sig_atomic_t first = 0;

void note(int number) {
  if (first == 0) first = number;
  counted = counted + 1;
}

}  // namespace

InterruptionWatch::InterruptionWatch() {
  counted = 0;
  first = 0;
  struct sigaction action {};
  action.sa_handler = note;  // without SA_RESTART: poll() returns at once
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  // A file that may grow no further is an error to be told, as a full disk is.
  std::signal(SIGXFSZ, SIG_IGN);
}

InterruptionWatch::~InterruptionWatch() {
  for (const int number : {SIGINT, SIGTERM, SIGPIPE, SIGXFSZ}) std::signal(number, SIG_DFL);
}

int InterruptionWatch::count() { return counted; }
int InterruptionWatch::first_signal() { return first; }

}  // namespace tally
