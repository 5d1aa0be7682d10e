import MFABase

/// A process that holds the lock of a file in the store.
package struct LockHolder: Equatable {
  /// The state of a process.
  package enum State: String {
    case running
    /// Stopped by a signal or a tracer.
    case stopped
    /// In a frozen control group.
    case frozen
  }

  /// The process identifier.
  package let process: Int32
  /// The start time in clock ticks since boot. With the process identifier, it identifies the
  /// process uniquely.
  package let start: UInt64
  /// The start time in seconds since the epoch, or nil if unknown.
  let startTime: Int64?
  /// The program's name, as reported by the kernel.
  package let command: String
  /// The process's real UID.
  package let user: UInt32
  /// The user's name, or nil if no account has the UID.
  package let userName: [UInt8]?
  /// The state of the process.
  package let state: State
  /// The path of the locked file.
  package let file: String

  /// The process described in words.
  package var sentence: String {
    let name = userName.map { VisibleText.escaping($0) } ?? "uid \(user)"
    let start = startTime.flatMap { Timestamp($0) }.map { ", started \($0.full)" } ?? ""
    let program = VisibleText.escaping(command)
    return "process \(process) (\(program)) of \(name)\(start), \(state.rawValue)"
  }
}

/// The handling of locks that another process holds for too long.
package enum LockedStore {
  /// Runs `body`. If a lock cannot be acquired, throws an error that names the processes that hold
  /// it. If `ending` is true, kills those processes and runs `body` once more instead.
  package static func run<Result: ~Copyable>(
    ending: Bool, _ body: () throws(AdminError) -> Result
  ) throws(AdminError) -> Result {
    do throws(AdminError) {
      return try body()
    } catch {
      guard let path = lockedFile(error) else { throw error }
      let holders = LockHolders.holders(of: path)
      guard ending, !holders.isEmpty else { throw .locked(path, holders) }
      for holder in holders {
        guard LockHolders.end(holder) else { throw .notEnded(holder) }
        log(holder)
      }
    }
    return try run(ending: false, body)
  }

  /// Returns the file whose lock could not be acquired, or nil for any other error.
  static func lockedFile(_ error: AdminError) -> String? {
    switch error {
    case .unusable(let user, .store(.busy)):
      FileName(percentEncoding: user.bytes).map {
        "\(StoreFile.attempts.path)/" + String(decoding: $0.bytes, as: UTF8.self)
      }
    case .unusable(_, .store(.system(.auditLogHead, let cause))) where cause.isBusy,
      .store(.system(.auditLogHead, let cause)) where cause.isBusy:
      StoreFile.auditLogHead.path
    case _: nil
    }
  }

  private static func log(_ holder: LockHolder) {
    var line = LogLine()
    line.add("result", "lock-holder-ended")
    line.add("process", Int64(holder.process))
    line.add("command", escaping: Array(holder.command.utf8))
    line.add("uid", Int64(holder.user))
    line.add("state", escaping: Array(holder.state.rawValue.utf8))
    line.add("file", escaping: Array(holder.file.utf8))
    line.add("by", escaping: Console.actor)
    Log.write(.notice, line)
  }
}
