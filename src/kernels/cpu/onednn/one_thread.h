#pragma once

namespace tessera::kernels {

/// A scope in which oneDNN stays on the calling thread; the number belongs to the thread. It
/// becomes part of a primitive that is made within the scope.
class OneThread {
 public:
  OneThread() noexcept;
  ~OneThread();
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

}  // namespace tessera::kernels
