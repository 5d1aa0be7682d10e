/// A process that holds a lock of the store's and cannot go on: everyone who needs the lock waits.
enum StoppedLockHolder: Examination {
  static func findings(on chart: Chart) -> [Finding] {
    chart.host.stoppedLockHolders().map { holder in
      let isLedger = holder.file.hasSuffix("/ledger.head")
      return Finding(
        severity: .error, code: "stopped-lock-holder", place: holder.file,
        message:
          "\(holder.sentence), holds the lock: "
          + (isLedger
            ? "no change and no recovery code can be entered in the audit log"
            : "the user cannot sign in where a code is asked for"),
        hint:
          "look at it: ps -fp \(holder.process); mfa-admin unlock USER --end-holder, or kill -KILL "
          + "\(holder.process)")
    }
  }
}
