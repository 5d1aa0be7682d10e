import MFATestSupport
import Testing

/// The state after system calls fail, or after a process is killed.
@Suite(.serialized, .privateMachine, .machine)
enum Faults {
  /// Calls that only allocate memory: a program may end if they fail.
  static let memoryCalls: Set<String> = ["brk", "mmap", "mprotect", "munmap", "mremap", "madvise"]

  /// Calls that fail on a full disk.
  static let writingCalls: Set<String> = [
    "fdatasync", "fsync", "ftruncate", "fallocate", "openat", "pwrite64", "renameat", "renameat2",
    "sendto", "unlinkat", "write",
  ]

  /// Calls that change something outside the process, including those that write. A process killed
  /// at any other call leaves the same state as at the call before, so those are not tested again.
  static let changingCalls: Set<String> = writingCalls.union(["fchmod", "fchown", "flock"])

  /// Calls that block, so that a signal can interrupt them.
  static let waitingCalls: Set<String> = writingCalls.union([
    "close", "connect", "flock", "poll", "pread64", "read", "recvfrom",
  ])

  /// Returns whether a call changes something outside the process.
  static func isChanging(_ call: SystemCall) -> Bool {
    changingCalls.contains(call.name) && (call.name != "openat" || call.line.contains("O_CREAT"))
  }

  /// Returns the faults to inject at a system call.
  static func faults(at call: SystemCall) -> [SystemCallTrace.Fault] {
    // The C library ends a program when futex returns an unexpected error, so this is not tested.
    if call.name == "futex" { return [] }
    if memoryCalls.contains(call.name) { return [.error("ENOMEM")] }
    var faults: [SystemCallTrace.Fault] = [.error("EIO")]
    if waitingCalls.contains(call.name) { faults.append(.error("EINTR")) }
    if isChanging(call) { faults += [.kill, .error("ENOSPC")] }
    return faults
  }

  /// Performs a change of the helper without faults, and then with every fault at each call of the
  /// copy that decides: from its beginning, or from its first call that changes something if
  /// `fromBeginning` is false. Until then, the copy does the same for each change. `reset` restores the
  /// initial state, `perform` makes the change with strace's command line, and `check` examines the
  /// state, given whether the helper reported success.
  static func everyCall<Answer>(
    on machine: Machine, fromBeginning: Bool, reset: () throws -> Void,
    perform: ([String]) throws -> Answer,
    isDone: (Answer) -> Bool, check: (Answer, Bool, String) throws -> Void
  ) throws {
    let list = machine.folder + "/calls"
    let undisturbed = try perform(SystemCallTrace.list(to: list, copies: .followed))
    #expect(isDone(undisturbed), "\(undisturbed)")
    try check(undisturbed, isDone(undisturbed), "undisturbed")
    let calls = try SystemCallTrace.calls(inListAt: list, from: "read(0", ofCopy: 2)
    #expect(calls.contains { $0.name == "fsync" })
    #expect(calls.count > 5)
    // The first copy gives up the caller's identity, and waits for the second.
    let waiting = try SystemCallTrace.calls(inListAt: list, from: "read(0", ofCopy: 1)
    #expect(waiting.contains { $0.name == "setresuid" && $0.line.contains(" = 0") })
    for call in fromBeginning ? waiting + calls : Array(calls.drop { !isChanging($0) }) {
      for fault in faults(at: call) {
        try reset()
        let answer = try perform(SystemCallTrace.inject(fault, at: call, copies: .followed))
        try check(answer, isDone(answer), "\(call) \(fault): \(call.line) \(answer)")
        guard isChanging(call) else { continue }
        // The tests restore records directly, so only the audit log itself is verified here.
        let auditLog = try Command.run(["/usr/sbin/mfa-admin", "audit-log", "verify", "--json"])
        #expect(auditLog.text.contains("\"fault\": null"), "\(call) \(fault): \(auditLog.text)")
      }
    }
  }
}
