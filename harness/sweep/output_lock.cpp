#include "harness/sweep/output_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "harness/sweep/config.h"

namespace tally {

OutputLock::OutputLock(const std::string& out_path) : path_(out_path + ".lock") {
  while (true) {
    descriptor_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (descriptor_ < 0) throw ConfigError("--out " + out_path + ": " + path_ + ": " + std::strerror(errno));
    if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      close(descriptor_);
      throw ConfigError("--out " + out_path +
                        ": another run writes there now; wait for it or name another file");
    }
    // The run before takes the file away when it ends; a lock on a file that is gone holds nobody back.
    struct stat locked {};
    struct stat named {};
    if (fstat(descriptor_, &locked) == 0 && stat(path_.c_str(), &named) == 0 && locked.st_ino == named.st_ino)
      return;
    close(descriptor_);
  }
}

OutputLock::~OutputLock() {
  unlink(path_.c_str());
  close(descriptor_);
}

}  // namespace tally
