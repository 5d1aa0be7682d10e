import ArgumentParser
import MFAAdmin
import MFAStore

/// `mfa-admin audit-log`
struct AuditLogCommand: ParsableCommand {
  static let configuration = command(
    "audit-log", "Show and verify the audit log.",
    subcommands: [AuditLogShowCommand.self, AuditLogVerifyCommand.self, AuditLogBeginCommand.self])
}

/// `mfa-admin audit-log show`
struct AuditLogShowCommand: ParsableCommand {
  static let configuration = command(
    "show", "Show the latest entries of the audit log.")

  @Option(help: ArgumentHelp("Show only entries about this user.", valueName: "name"))
  var user: String?

  @Option(
    help: ArgumentHelp(
      "Show only entries from this time on, in UTC: 2026-11-21 or 2026-11-21T10:18:00Z.",
      valueName: "time"))
  var since: String?

  @Option(
    help: ArgumentHelp(
      "Show at most this many entries. Default: 20; with --user or --since, 1000000.",
      valueName: "count"))
  var last: Int?

  @Flag(help: "Print JSON, for programs; times are in UTC, in ISO 8601 format.")
  var json = false

  func validate() throws {
    if let last, !(1...1_000_000).contains(last) {
      throw ValidationError("--last takes a number from 1 to 1000000")
    }
    if let since, since.wholeMatch(of: /\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\dZ)?/) == nil {
      throw ValidationError("--since takes a time such as 2026-11-21 or 2026-11-21T10:18:00Z")
    }
  }

  func run() throws(AdminError) {
    let name = user.map { Array($0.utf8) }
    // With a user or a time, show all matching entries.
    let count = last ?? (name == nil && since == nil ? 20 : 1_000_000)
    let includes = { (entry: AuditLogEntry) in
      if let name, entry.bytes("user") != name { return false }
      // Both use ISO 8601 in UTC, so the order of the texts is the order of the times.
      if let since, (entry.text("time") ?? "") < since { return false }
      return true
    }
    let entries: [AuditLogEntry]
    let problem: AuditLogProblem?
    if let realm = try ThisHost.realm() {
      (entries, problem) = try realm.auditLog(
        last: count, isFiltered: name != nil || since != nil, where: includes)
    } else {
      let (administration, _) = try ThisHost.administration(needsConfiguration: false)
      (entries, problem) = try administration.auditLog(last: count, where: includes)
    }
    if json {
      try JSON.writeObject("entries", entries, value: \.json) { text throws(AdminError) in
        try Console.write(text)
      }
    } else if entries.isEmpty {
      if problem == nil { Console.printError("no matching entries") }
    } else {
      try Console.write(
        TextWidth.wrapped(entries.map(\.line).joined(), to: Console.columns))
    }
    if let problem { throw .auditLog(problem) }
  }
}

/// `mfa-admin audit-log verify`
struct AuditLogVerifyCommand: ParsableCommand {
  static let configuration = command(
    "verify", "Verify that the audit log is complete and matches the stored records.",
    """
    Reports an error if an entry was changed, inserted, moved or removed, or if a user's stored \
    record differs from the last entry about that user. A record without an entry means that an \
    earlier audit log was removed, or that the record was added by other means.

    An attacker who has both the key and the store can forge an audit log. To detect this, pass \
    --expect with a value that a log host has kept, such as 17:9f2c0a1b from a line with \
    checkpoint=17:9f2c0a1b.
    """)

  @Option(
    help: ArgumentHelp("A checkpoint that the audit log must contain.", valueName: "checkpoint"))
  var expect: String?

  @Flag(help: "Accept records without an entry: the earlier audit log was removed on purpose.")
  var begunAnew = false

  @Flag(help: "Print JSON, for programs; times are in UTC, in ISO 8601 format.")
  var json = false

  func validate() throws {
    if let expect, AuditLogCheckpoint(Array(expect.utf8)) == nil {
      throw ValidationError("--expect takes a checkpoint from the system log, such as 17:9f2c0a1b")
    }
  }

  func run() throws(AdminError) {
    let expected = expect.flatMap { AuditLogCheckpoint(Array($0.utf8)) }
    let verification: AuditLogVerification
    if let realm = try ThisHost.realm() {
      guard !begunAnew else { throw .localOption("--begun-anew") }
      verification = try realm.verifyAuditLog(expecting: expected)
    } else {
      verification = try ThisHost.administration(needsConfiguration: false).0.verifyAuditLog(
        expecting: expected, allowsUnlistedRecords: begunAnew)
    }
    try Console.write(json ? verification.json.text + "\n" : verification.text)
    if let problem = verification.problem { throw .auditLog(problem) }
  }
}

/// `mfa-admin audit-log begin`
struct AuditLogBeginCommand: ParsableCommand {
  static let configuration = command(
    "begin", "Start a new audit log when the current one is damaged or missing.",
    """
    The files of the current audit log are kept under other names. The new audit log starts with \
    the reason and an entry for each stored record.

    First find out what happened to the current audit log. This command accepts every record as \
    it is: a user whose files were restored from an earlier copy regains the earlier factors.
    """)

  @Option(
    help: ArgumentHelp("The reason, in one line. It becomes the first entry.", valueName: "text"))
  var reason: String

  @OptionGroup var confirmation: Confirmation

  func validate() throws { _ = try grantReason(reason) }

  func run() throws {
    let reason = try grantReason(reason)
    let (administration, _) = try ThisHost.administration(needsConfiguration: false)
    try confirmation.require("start a new audit log, and accept every record as it is now?")
    let beginning = try administration.beginAuditLog(reason: reason)
    try Console.write(beginning.text)
    guard beginning.unusable.isEmpty else {
      throw AdminError.unusableRecords(
        beginning.unusable.count, of: beginning.unusable.count + beginning.entered)
    }
  }
}
