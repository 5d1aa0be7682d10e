import MFABase

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
    do throws(AdminError) {
      return try body()
    } catch {
      guard let path = lockedFile(error) else { throw error }
      throw .locked(path, LockHolders.holders(of: path))
    }
  }

  /// Returns the file whose lock could not be acquired, or nil for any other error.
  static func lockedFile(_ error: AdminError) -> String? {
    switch error {
    case .unusable(let user, .store(.busy)):
      FileName(percentEncoding: user.bytes).map {
        "\(StoreFile.attempts.path)/" + String(decoding: $0.bytes, as: UTF8.self)
      }
    case .unusable(_, .store(.system(.ledgerHead, let cause))) where cause.isBusy,
      .store(.system(.ledgerHead, let cause)) where cause.isBusy:
      StoreFile.ledgerHead.path
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
