import ArgumentParser
import FactorStore

/// `mfa-admin ledger`
struct LedgerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ledger", abstract: "Show what happened to factors, and prove that it is all.",
    discussion: AdminStatus.explanation,
    subcommands: [LedgerShowCommand.self, LedgerVerifyCommand.self, LedgerBeginCommand.self])
}

/// `mfa-admin ledger show`
struct LedgerShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show the last entries of the ledger.",
    discussion: AdminStatus.explanation)

  @Option(help: ArgumentHelp("Those about this user.", valueName: "name"))
  var user: String?

  @Option(
    help: ArgumentHelp(
      "Those from this moment on, in UTC: 2026-11-21 or 2026-11-21T10:18:00Z.", valueName: "time"))
  var since: String?

  @Option(help: ArgumentHelp("At most so many: 20 unless told otherwise.", valueName: "count"))
  var last: Int?

  @Flag(help: "Print JSON, for programs; times are UTC, as ISO 8601 writes them.")
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
    let (administration, _) = try ThisHost.administration(needsConfiguration: false)
    let name = user.map { Array($0.utf8) }
    // Whom a time or a name was given for wants all of it.
    let count = last ?? (name == nil && since == nil ? 20 : 1_000_000)
    let (entries, verification) = try administration.ledger(last: count) { entry in
      if let name, entry.bytes("user") != name { return false }
      // Both are written in one way, biggest part first.
      if let since, (entry.text("time") ?? "") < since { return false }
      return true
    }
    if json {
      try JSON.writeObject("entries", entries, value: \.json) { text throws(AdminError) in
        try Console.write(text)
      }
    } else if entries.isEmpty {
      if verification.trouble == nil { Console.complain("nothing was entered") }
    } else {
      try Console.write(entries.map(\.line).joined())
    }
    if let trouble = verification.trouble { throw .ledger(trouble) }
  }
}

/// `mfa-admin ledger verify`
struct LedgerVerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Find out whether the ledger is whole, and fits the records.",
    discussion: """
      Nothing may have been changed, put in, moved or left out, and every user's record must be what \
      the last entry about it says; a record that the ledger knows nothing of tells of one that was \
      taken away. Who holds both the key and the store can write another ledger: \
      give --expect what a log host has kept, such as 17:9f2c0a1b from a line with ledger=17:9f2c0a1b.

      \(AdminStatus.explanation)
      """)

  @Option(help: ArgumentHelp("An entry that has to be in it.", valueName: "mark"))
  var expect: String?

  @Flag(help: "A new ledger was begun: records that are older than it are no fault.")
  var begunAnew = false

  @Flag(help: "Print JSON, for programs; times are UTC, as ISO 8601 writes them.")
  var json = false

  func validate() throws {
    if let expect, LedgerMark(Array(expect.utf8)) == nil {
      throw ValidationError("--expect takes what stands behind ledger= in the system log")
    }
  }

  func run() throws(AdminError) {
    let (administration, _) = try ThisHost.administration(needsConfiguration: false)
    let verification = try administration.verifyLedger(
      expecting: expect.flatMap { LedgerMark(Array($0.utf8)) }, isBegunAnew: begunAnew)
    try Console.write(json ? verification.json.text + "\n" : verification.text)
    if let trouble = verification.trouble { throw .ledger(trouble) }
  }
}

/// `mfa-admin ledger begin`
struct LedgerBeginCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "begin", abstract: "Begin another ledger when the present one is damaged or gone.",
    discussion: """
      The files of the present ledger are kept under other names. The new ledger begins with the reason \
      and an entry for each record that is there now. Find out first what happened to the present one: \
      a user whose files were put back from an earlier copy gets the earlier factors back by this.

      \(AdminStatus.explanation)
      """)

  @Option(help: ArgumentHelp("Why, in one line. It is the first entry.", valueName: "text"))
  var reason: String

  @Flag(name: [.short, .long], help: "Do not ask.")
  var yes = false

  func validate() throws { _ = try grantReason(reason) }

  func run() throws {
    let reason = try grantReason(reason)
    let (administration, _) = try ThisHost.administration(needsConfiguration: false)
    if !yes {
      guard Console.canAsk else { throw AdminError.unconfirmed }
      guard Console.confirms("begin another ledger, and accept every record as it is now?") else {
        throw AdminError.declined
      }
    }
    let beginning = try administration.beginLedger(reason: reason)
    try Console.write(beginning.text)
    guard beginning.unusable.isEmpty else {
      throw AdminError.unusableRecords(
        beginning.unusable.count, of: beginning.unusable.count + beginning.entered)
    }
  }
}

extension Administration.LedgerBeginning {
  /// What was done, for an administrator.
  var text: String {
    var text = unusable.map(\.line).joined()
    if !moved.isEmpty { text += "kept as \(Chart.list(moved)) in /var/lib/mfa\n" }
    text += "began a ledger with \(entered) \(entered == 1 ? "record" : "records")\n"
    return text
  }
}

extension Administration.LedgerVerification {
  /// What was found, for a person; what is wrong with the ledger itself is left to the error.
  var text: String {
    var text = findings.map(\.line).joined()
    if let mark = reading.last, let last {
      let time = last.text("time") ?? "an unknown time"
      text += mark.number == 1 ? "1 entry is" : "\(mark.number) entries are"
      text += " good; the last is \(LedgerTrouble.text(mark)), of \(time)\n"
    } else {
      text += "no entry\n"
    }
    if reading.torn > 0 {
      text +=
        reading.torn == 1
        ? "1 line was left by an interrupted process\n"
        : "\(reading.torn) lines were left by interrupted processes\n"
    }
    if reading.left > 0 {
      text += reading.left == 1 ? "1 byte at the end was" : "\(reading.left) bytes at the end were"
      text += " left by an interrupted process, or by somebody else; no entry is among them\n"
    }
    if unlisted > 0, isBegunAnew {
      text += "the ledger knows nothing of "
      text += unlisted == 1 ? "1 record\n" : "\(unlisted) records\n"
    }
    return text
  }

  /// The same for programs. Names of members stay the same from version to version.
  var json: JSON {
    let (word, line): (String?, Int?) =
      switch reading.fault {
      case nil: (unexpected == nil ? nil : "unexpected", nil)
      case .broken(let line): ("broken", line)
      case .cut: ("cut", nil)
      case .headless: ("headless", nil)
      case .badIndex: ("bad-index", nil)
      }
    return .object([
      ("good", .bool(trouble == nil)),
      ("entries", .number(Int64(reading.last?.number ?? 0))),
      ("ledger", JSON(reading.last.map { LedgerTrouble.text($0) })),
      ("lastTime", JSON(last?.text("time"))),
      ("fault", JSON(word)),
      ("line", line.map { .number(Int64($0)) } ?? .null),
      ("message", JSON(trouble?.sentence)),
      ("tornLines", .number(Int64(reading.torn))),
      ("bytesLeft", .number(Int64(reading.left))),
      ("olderRecords", .number(Int64(unlisted))),
      ("records", .array(findings.map(\.json))),
    ])
  }
}
