import MFAAdmin
import MFAStore
import ArgumentParser

/// `mfa-admin ledger verify`
struct LedgerVerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Verify that the audit log is complete and matches the stored records.",
    discussion: """
      Reports an error if an entry was changed, inserted, moved or removed, or if a user's stored \
      record differs from the last entry about that user. A record without an entry means that an \
      earlier audit log was removed, or that the record was added by other means.

      An attacker who has both the key and the store can forge an audit log. To detect this, pass \
      --expect with a value that a log host has kept, such as 17:9f2c0a1b from a line with \
      checkpoint=17:9f2c0a1b.

      \(AdminStatus.explanation)
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
    if let realm = try ThisHost.realm() {
      guard !begunAnew else { throw .realm(.localOption("--begun-anew")) }
      let verification = try realm.verifyLedger(
        expecting: expect.flatMap { AuditLogCheckpoint(Array($0.utf8)) })
      try Console.write(json ? verification.json.text + "\n" : verification.text)
      if let problem = verification.problem { throw .ledger(problem) }
      return
    }
    let (administration, _) = try ThisHost.administration(needsConfiguration: false)
    let verification = try administration.verifyLedger(
      expecting: expect.flatMap { AuditLogCheckpoint(Array($0.utf8)) },
      allowsUnlistedRecords: begunAnew)
    try Console.write(json ? verification.json.text + "\n" : verification.text)
    if let problem = verification.problem { throw .ledger(problem) }
  }
}
