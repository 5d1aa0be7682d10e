/// Finds stopped or frozen processes that hold a lock in the store and block every process that
/// needs the lock.
enum StoppedLockHolder: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    snapshot.host.stoppedLockHolders().map { holder in
      let isLedger = holder.file.hasSuffix("/ledger.head")
      return Finding(
        severity: .error, code: "stopped-lock-holder", place: holder.file,
        message:
          "\(holder.sentence), holds the lock: "
          + (isLedger
            ? "no change and no recovery code can be recorded in the audit log"
            : "the user cannot sign in where a code is required"),
        hint:
          "inspect it: ps -fp \(holder.process); then run mfa-admin unlock USER --end-holder, or "
          + "kill -KILL \(holder.process)")
    }
  }
}
