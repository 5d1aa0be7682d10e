import TestSupport
import Testing

/// What is left when system calls fail, and when a process is killed in the middle.
@Suite(.serialized, .privateMachine)
enum Faults {
  /// Calls that only hand out memory: a program that gets none may end.
  static let memoryCalls: Set<String> = ["brk", "mmap", "mprotect", "munmap", "mremap", "madvise"]

  /// Calls that a full disk makes fail.
  static let writingCalls: Set<String> = [
    "fdatasync", "fsync", "ftruncate", "fallocate", "openat", "pwrite64", "renameat", "renameat2",
    "sendto", "unlinkat", "write",
  ]

  /// What is done to a system call.
  static func faults(at call: SystemCall) -> [SystemCallTrace.Fault] {
    // The C library ends a program whose futex does the impossible; that is not tried.
    if call.name == "futex" { return [.kill] }
    if memoryCalls.contains(call.name) { return [.error("ENOMEM"), .kill] }
    let always: [SystemCallTrace.Fault] = [.error("EIO"), .error("EINTR"), .kill]
    return writingCalls.contains(call.name) ? always + [.error("ENOSPC")] : always
  }
}
