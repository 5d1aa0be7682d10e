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

  /// Calls that change something outside of the process, beside those that write. A process that is
  /// killed at any other leaves what it would have left at the one before: that is not tried again.
  static let changingCalls: Set<String> = writingCalls.union(["fchmod", "fchown", "flock"])

  /// Calls that wait, so that a signal can end them.
  static let waitingCalls: Set<String> = writingCalls.union([
    "close", "connect", "flock", "poll", "pread64", "read", "recvfrom",
  ])

  /// Whether a call changes something outside of the process.
  static func isChanging(_ call: SystemCall) -> Bool {
    changingCalls.contains(call.name) && (call.name != "openat" || call.line.contains("O_CREAT"))
  }

  /// What is done to a system call.
  static func faults(at call: SystemCall) -> [SystemCallTrace.Fault] {
    // The C library ends a program whose futex does the impossible; that is not tried.
    if call.name == "futex" { return [] }
    if memoryCalls.contains(call.name) { return [.error("ENOMEM")] }
    var faults: [SystemCallTrace.Fault] = [.error("EIO")]
    if waitingCalls.contains(call.name) { faults.append(.error("EINTR")) }
    if isChanging(call) { faults += [.kill, .error("ENOSPC")] }
    return faults
  }

  /// Goes through a change of the helper's undisturbed, and then with every fault at each call that
  /// it makes. `reset` puts back what was there before, `perform` goes through the change with
  /// strace's command line, and `check` looks at what is there, knowing whether the helper said that
  /// it is done.
  static func everyCall<Answer>(
    on machine: Machine, reset: () throws -> Void, perform: ([String]) throws -> Answer,
    isDone: (Answer) -> Bool, check: (Answer, Bool, String) throws -> Void
  ) throws {
    let list = machine.folder + "/calls"
    let undisturbed = try perform(SystemCallTrace.list(to: list))
    #expect(isDone(undisturbed), "\(undisturbed)")
    try check(undisturbed, isDone(undisturbed), "undisturbed")
    let calls = try SystemCallTrace.calls(inListAt: list, from: "read(0")
    #expect(calls.contains { $0.name == "fsync" })
    #expect(calls.count > 5)
    for call in calls {
      for fault in faults(at: call) {
        try reset()
        let answer = try perform(SystemCallTrace.inject(fault, at: call))
        try check(answer, isDone(answer), "\(call) \(fault): \(call.line) \(answer)")
        guard isChanging(call) else { continue }
        // The records were put back by hand: what the ledger says of them is not asked here.
        let ledger = try Command.run(["/usr/sbin/mfa-admin", "ledger", "verify", "--json"])
        #expect(ledger.text.contains("\"fault\": null"), "\(call) \(fault): \(ledger.text)")
      }
    }
  }
}
