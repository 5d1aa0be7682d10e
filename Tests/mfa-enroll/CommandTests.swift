import MFAMessages
import MFABase
import MFAEnrollMessages
import MultiFactor
import Testing

@testable import mfa_enroll

@Suite struct CommandTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let arguments: [String]
    let isUnderstood: Bool
    var testDescription: String { "\(arguments)" }
  }

  static let rows: [Row] = [
    Row(arguments: [], isUnderstood: true),
    Row(arguments: ["--name", "phone"], isUnderstood: true),
    Row(
      arguments: ["enroll", "--algorithm", "sha512", "--digits", "8", "--period", "15"],
      isUnderstood: true),
    Row(arguments: ["--digits", "5"], isUnderstood: false),
    Row(arguments: ["--digits", "9"], isUnderstood: false),
    Row(arguments: ["--period", "14"], isUnderstood: false),
    Row(arguments: ["--period", "121"], isUnderstood: false),
    Row(arguments: ["--algorithm", "md5"], isUnderstood: false),
    Row(arguments: ["--name", ""], isUnderstood: false),
    Row(arguments: ["--name", "a\u{1B}b"], isUnderstood: false),
    Row(arguments: ["list", "--json"], isUnderstood: true),
    Row(arguments: ["rename", "a", "b"], isUnderstood: true),
    Row(arguments: ["rename", "a"], isUnderstood: false),
    Row(arguments: ["rename", "a", "\n"], isUnderstood: false),
    Row(arguments: ["unenroll", "a", "--yes"], isUnderstood: true),
    Row(arguments: ["unenroll"], isUnderstood: true),
    Row(arguments: ["test"], isUnderstood: true),
    Row(arguments: ["test", "123456"], isUnderstood: false),
    Row(arguments: ["bogus"], isUnderstood: false),
    Row(arguments: ["--qr", "png=key.png"], isUnderstood: true),
    Row(arguments: ["enroll", "--qr=svg=key.svg", "--json"], isUnderstood: true),
    Row(arguments: ["--qr", "none", "--json"], isUnderstood: true),
    Row(arguments: ["--qr", "terminal", "--json"], isUnderstood: false),
    Row(arguments: ["--qr", "gif=key.gif"], isUnderstood: false),
    Row(arguments: ["--qr", "png="], isUnderstood: false),
    Row(arguments: ["recovery-codes"], isUnderstood: true),
    Row(arguments: ["recovery-codes", "--new"], isUnderstood: true),
    Row(arguments: ["resync"], isUnderstood: true),
    Row(arguments: ["resync", "phone"], isUnderstood: true),
    Row(arguments: ["resync", "phone", "123456"], isUnderstood: false),
    Row(arguments: ["import"], isUnderstood: true),
    Row(arguments: ["import", "file", "--name", "phone"], isUnderstood: true),
    Row(arguments: ["forget"], isUnderstood: true),
    Row(arguments: ["forget", "everything"], isUnderstood: false),
    Row(arguments: ["import", "--name", "a\u{1B}b"], isUnderstood: false),
    Row(arguments: ["phone"], isUnderstood: true),
    Row(arguments: ["phone", "+15105551234", "--name", "work", "--json"], isUnderstood: true),
    Row(arguments: ["phone", "+15105551234", "+33612345678"], isUnderstood: false),
    Row(arguments: ["phone", "+15105551234", "--name", ""], isUnderstood: false),
    // British spelling, and a synonym.
    Row(arguments: ["enrol", "--digits", "8"], isUnderstood: true),
    Row(arguments: ["unenrol", "a", "--yes"], isUnderstood: true),
    Row(arguments: ["remove", "a", "--yes"], isUnderstood: true),
    Row(arguments: ["status"], isUnderstood: true),
    Row(arguments: ["status", "--json"], isUnderstood: true),
    Row(arguments: ["status", "alice"], isUnderstood: false),
    Row(arguments: ["remove", "a", "b"], isUnderstood: false),
    Row(arguments: ["--user", "alice"], isUnderstood: true),
    Row(arguments: ["notices"], isUnderstood: true),
    Row(arguments: ["list", "--user", "alice", "--stdin"], isUnderstood: true),
    Row(arguments: ["recovery-codes", "--new", "--save", "codes", "--print"], isUnderstood: true),
    Row(arguments: ["recovery-codes", "--save", "codes"], isUnderstood: false),
    Row(arguments: ["recovery-codes", "--print"], isUnderstood: false),
    Row(arguments: ["recovery-codes", "--new", "--save", ""], isUnderstood: false),
  ]

  @Test("an invalid command line is a usage error", arguments: rows)
  func parsing(row: Row) {
    do {
      let command = try MFAEnroll.parseAsRoot(row.arguments)
      try #require(command as? any EnrollCommand).check()
      #expect(row.isUnderstood)
    } catch let failure as Failure {
      #expect(!row.isUnderstood && failure.status == .usage)
    } catch {
      #expect(!row.isUnderstood)
      #expect(MFAEnroll.exitCode(for: error).rawValue == ExitStatus.usage.rawValue)
    }
  }

  @Test(
    "the nearest command is suggested for an unknown word",
    arguments: [
      (["lst"], "list"), (["unenrol", "phone"], nil), (["unenrolll", "phone"], "unenroll"),
      (["tset"], "test"), (["recoverycodes"], "recovery-codes"), (["imporrt"], "import"),
    ] as [([String], String?)])
  func suggestion(arguments: [String], meant: String?) {
    let failure = CommandSuggestion.failure(for: arguments, among: MFAEnroll.commandNames)
    let expected = meant.map { Failure(.unknownCommand(arguments[0], meant: $0), status: .usage) }
    #expect(failure == expected)
  }

  @Test(
    "options that all commands have can precede the command",
    arguments: [
      ("--json list", "list --json"), ("--user alice list", "list --user alice"),
      ("--user=alice --stdin rename a b", "rename --user=alice --stdin a b"),
      ("--help list", "list --help"), ("list --json", "list --json"), ("--json", "--json"),
      ("--user", "--user"), ("--name list", "--name list"), ("", ""),
      ("---completion unenroll", "---completion unenroll"), ("-- list", "-- list"),
    ])
  func order(typed: String, ordered: String) {
    let arguments = typed.split(separator: " ").map(String.init)
    #expect(CommandLineArguments.ordered(arguments).joined(separator: " ") == ordered)
  }

  struct Misuse: Sendable, CustomTestStringConvertible {
    let arguments: [String]
    let problem: UsageProblem
    var command = "mfa-enroll"
    var testDescription: String { "\(arguments)" }
  }

  static let misuses = [
    Misuse(arguments: ["--foo"], problem: .unknownOption("--foo")),
    Misuse(arguments: ["--nmae", "x"], problem: .unknownOption("--nmae")),
    Misuse(
      arguments: ["rename", "x"], problem: .argumentMissing("<name>"), command: "mfa-enroll rename"),
    Misuse(
      arguments: ["enroll", "--name"], problem: .valueMissing(option: "--name"),
      command: "mfa-enroll enroll"),
    Misuse(
      arguments: ["test", "123456"], problem: .argumentUnexpected("123456"),
      command: "mfa-enroll test"),
    Misuse(
      arguments: ["test", "a", "b"], problem: .argumentUnexpected("a"), command: "mfa-enroll test"),
    Misuse(arguments: ["--digits", "x"], problem: .valueInvalid(option: "--digits", value: "x")),
    Misuse(
      arguments: ["--qr", "gif='a'"], problem: .valueInvalid(option: "--qr", value: "gif='a'")),
    Misuse(
      arguments: ["--algorithm", "md5"], problem: .valueInvalid(option: "--algorithm", value: "md5")
    ),
  ]

  @Test("what the parser does not understand is said in the user's language", arguments: misuses)
  func misuse(row: Misuse) {
    let error = #expect(throws: (any Error).self) { try MFAEnroll.parseAsRoot(row.arguments) }
    guard let error else { return }
    let failure = CommandLineArguments.failure(
      for: row.arguments, MFAEnroll.message(for: error))
    #expect(failure == Failure(.usage(row.problem, command: row.command), status: .usage))
  }

  @Test("the usage in a help has lines of the width of the window, and is otherwise unchanged")
  func help() {
    for command in MFAEnroll.configuration.subcommands {
      let help = MFAEnroll.helpMessage(for: command, columns: 80)
      let wrapped = HelpText.wrapped(help, to: 80)
      #expect(wrapped.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(wrapped)")
      #expect(wrapped.replacing("\n       [", with: " [") == help)
    }
  }

  @Test("an argument that names a device is called so")
  func argumentName() {
    let commands: [any EnrollCommand.Type] = [Rename.self, Unenroll.self, Resync.self]
    for command in commands {
      let help = MFAEnroll.helpMessage(for: command)
      #expect(help.contains("<device>") && !help.contains("factor"), "\(help)")
    }
  }

  @Test("an unknown word without a similar command gets none, and an option is no word")
  func noSuggestion() {
    let names = MFAEnroll.commandNames
    let failure = CommandSuggestion.failure(for: ["frobnicate"], among: names)
    #expect(failure == Failure(.unknownCommand("frobnicate", meant: nil), status: .usage))
    #expect(CommandSuggestion.failure(for: ["--lst"], among: names) == nil)
    #expect(CommandSuggestion.failure(for: [], among: names) == nil)
  }

  @Test(
    "a device without a name is called by the day, and no two devices are called the same",
    arguments: [
      ([], "phone 2026-11-23"), (["phone"], "phone 2026-11-23"),
      (["phone 2026-11-23"], "phone 2026-11-23 (2)"),
      (["phone 2026-11-23", "phone 2026-11-23 (2)"], "phone 2026-11-23 (3)"),
    ] as [([String], String)])
  func usualName(taken: [String], name: String) {
    #expect(DeviceName.usual(day: "2026-11-23", among: taken) == name)
  }

  @Test(
    "a key is shown in groups of four",
    arguments: [
      ("", ""), ("A", "A"), ("ABCD", "ABCD"), ("ABCDE", "ABCD E"), ("ABCDEFGH", "ABCD EFGH"),
      ("ABCDEFGHI", "ABCD EFGH I"),
    ])
  func grouping(key: String, shown: String) {
    let grouped = Grouping.inFours(SecretBytes(copying: Array(key.utf8).span))
    let span = grouped.span
    #expect(String(decoding: span.indices.map { span[$0] }, as: UTF8.self) == shown)
  }

  @Test(
    "errors are shown with their hint and exit status",
    arguments: [
      (MultiFactorError.reauthenticationFailed, 2), (.invalidVerificationCode, 3),
      (.codeAlreadyUsed, 3), (.codeNotYetAccepted(seconds: 1), 3),
      (.codeOfAnotherTime(secondsAhead: -240), 3),
      (.codesNotConsecutive, 3),
      (.ticketInvalid, 2),
      (.lastFactorRequired, 1), (.tooManyAttempts(seconds: 28), 1), (.helperEnded, 1),
    ] as [(MultiFactorError, Int32)])
  func failures(error: MultiFactorError, status: Int32) {
    let failure = Failure(error)
    #expect(failure.status.rawValue == status)
    #expect(
      failure.report(in: .english).string
        == "mfa-enroll: error: \(error.description)\nhint: \(error.hint)")
    let french = error.text(in: .french)
    #expect(
      failure.report(in: .french).string
        == "mfa-enroll: erreur\u{a0}: \(french.description.string)\nconseil\u{a0}: "
        + french.hint.string)
  }
}
