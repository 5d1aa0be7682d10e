import Factors
import Policy
import System

/// A process that holds the lock on a file of the store's.
struct LockHolder: Equatable {
  /// Whether the process can go on.
  enum State: String {
    case running
    /// A signal or a tracer has stopped it.
    case stopped
    /// Its control group is frozen.
    case frozen
  }

  /// The number of the process.
  let process: Int32
  /// When it was started, in clock ticks since the machine was: with the number, it names the process.
  let start: UInt64
  /// The same in seconds since the epoch; nil where that cannot be found out.
  let startTime: Int64?
  /// The name of its program, as the kernel has it.
  let command: String
  /// The user that it was started by (the real identity).
  let user: UInt32
  /// The user's name, or nil for a number without an account.
  let userName: [UInt8]?
  /// Whether the process can go on.
  let state: State
  /// The path of the file.
  let file: String

  /// The process in words.
  var sentence: String {
    let name = userName.map { VisibleText.escaping($0) } ?? "uid \(user)"
    let since = startTime.flatMap { Timestamp($0) }.map { ", since \($0)" } ?? ""
    let program = VisibleText.escaping(command)
    return "process \(process) (\(program)) of \(name)\(since), \(state.rawValue)"
  }
}

/// What to do about a process that holds a lock for too long.
enum LockedStore {
  /// Runs a command's work. Where a lock cannot be had, names the processes that hold it; with
  /// `ending`, kills them and runs the work once more.
  static func run<Result>(
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
    do throws(AdminError) {
      return try body()
    } catch {
      guard let path = lockedFile(error) else { throw error }
      throw .locked(path, LockHolders.holders(of: path))
    }
  }

  /// The file whose lock was not to be had; nil for another error.
  static func lockedFile(_ error: AdminError) -> String? {
    switch error {
    case .unusable(let user, .store(.busy)):
      FileName(percentEncoding: user.bytes).map {
        "/var/lib/mfa/attempts/" + String(decoding: $0.bytes, as: UTF8.self)
      }
    case .unusable(_, .store(.system(.ledgerHead, let cause))) where cause.isBusy,
      .store(.system(.ledgerHead, let cause)) where cause.isBusy:
      "/var/lib/mfa/ledger.head"
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
    line.add("actor", escaping: Console.actor)
    Log.write(.notice, line)
  }
}
