import MFAMessages
import MFAModel
import MultiFactor
import Testing

@testable import mfa_enroll

@Suite struct AccountSelectionTests {
  struct Row: Sendable {
    var named: String?
    let caller: AccountSelection.Caller
    /// What happens, or nil if the caller is refused.
    let step: AccountSelection.Step?

    init(
      naming named: String? = nil, by name: String, sudoUser: String? = nil,
      _ step: AccountSelection.Step?
    ) {
      self.named = named
      caller = AccountSelection.Caller(name: name, isRoot: name == "root", sudoUser: sudoUser)
      self.step = step
    }
  }

  static let rows = [
    Row(by: "alice", .own),
    Row(by: "root", .own),
    Row(by: "root", sudoUser: "alice", .ask(user: "alice")),
    Row(by: "root", sudoUser: "root", .own),
    Row(by: "root", sudoUser: "", .own),
    // Any user can set the variable.
    Row(by: "alice", sudoUser: "bob", .own),
    Row(naming: "root", by: "root", sudoUser: "alice", .own),
    Row(naming: "alice", by: "root", sudoUser: "alice", .become("alice")),
    Row(naming: "bob", by: "root", sudoUser: "alice", .become("bob")),
    Row(naming: "alice", by: "alice", .own),
    Row(naming: "bob", by: "alice", nil),
    Row(naming: "root", by: "alice", sudoUser: "root", nil),
  ]

  @Test("only root uses another account, and a user of sudo is asked", arguments: rows)
  func step(row: Row) {
    do throws(Failure) {
      let step = try AccountSelection.step(named: row.named, by: row.caller)
      #expect(step == row.step)
    } catch {
      #expect(row.step == nil)
      #expect(error == Failure(.otherAccount(name: row.named ?? "")))
    }
  }
}

@Suite struct FactorChoiceTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let text: String
    let uid: String?
    var testDescription: String { "\(text)" }
  }

  static func factors() throws -> [MultiFactorInfo] {
    [
      try Samples.factor([0xAB, 0xCD, 0xEF], "phone"),
      try Samples.factor([0xAB, 0xCD, 0xE0], "tablet"),
      // A factor whose name is the beginning of another one's identifier.
      try Samples.factor([0x12], "abcdef"),
    ]
  }

  static let phone = "abcdef00000000000000000000000000"
  static let named = "12000000000000000000000000000000"

  static let rows: [Row] = [
    Row(text: "phone", uid: phone),
    Row(text: phone, uid: phone),
    Row(text: "ABCDEF0", uid: phone),
    Row(text: "abcdef", uid: named),
    Row(text: "1200", uid: named),
    Row(text: "abcde", uid: nil),
    Row(text: "120", uid: nil),
    Row(text: "", uid: nil),
    Row(text: "Phone", uid: nil),
    Row(text: phone + "0", uid: nil),
  ]

  @Test("a factor is selected by its name, or else by its identifier", arguments: rows)
  func choice(row: Row) throws {
    let factors = try Self.factors()
    do throws(Failure) {
      #expect(try FactorChoice.factor(row.text, among: factors).uid == row.uid)
    } catch {
      #expect(row.uid == nil)
      #expect(error.status == .failed)
    }
  }

  @Test("control characters in the typed text are replaced")
  func escapes() throws {
    let factors = try Self.factors()
    do throws(Failure) {
      _ = try FactorChoice.factor("\u{1B}[2J\u{202E}x", among: factors)
      Issue.record("a factor was found")
    } catch {
      #expect(error == Failure(.noSuchDevice(name: "?[2J?x")))
    }
  }

  @Test("without a name the only factor is selected, but never one of several")
  func onlyFactor() throws {
    let phone = try Samples.factor([1], "phone")
    let tablet = try Samples.factor([2], "tablet")
    #expect(try FactorChoice.factor(nil, among: [phone]) == phone)
    #expect(throws: Failure(.noDevice)) { _ = try FactorChoice.factor(nil, among: []) }
    #expect(throws: Failure(.severalDevices)) {
      _ = try FactorChoice.factor(nil, among: [phone, tablet])
    }
  }

  @Test("a user without a device is told so, whichever device is named")
  func noDevice() {
    #expect(throws: Failure(.noDevice)) { _ = try FactorChoice.factor("phone", among: []) }
  }
}

@Suite struct OtherSessionsTests {
  struct Row: Sendable {
    let list: String
    var present = "2"
    let sessions: [String]
  }

  static let rows = [
    Row(list: "", sessions: []),
    Row(list: "      2 1000 alice seat0 tty1\n", sessions: []),
    Row(list: "      2 1000 alice seat0 tty1\n     c4 1000 alice       pts/0\n", sessions: ["c4"]),
    Row(list: "3 1001 bob\n4 10000 carol\n5 100 dave\n", sessions: []),
    Row(list: "2 1000 alice\n3 1000 alice\n", present: "3", sessions: ["2"]),
    Row(list: "22 1000 alice\n", sessions: ["22"]),
    // Text that is not a session identifier is not passed to a command.
    Row(list: "3;reboot 1000 alice\n$(id) 1000 alice\n-a 1000 alice\n", sessions: []),
    Row(list: "1000\n\n1000 \n", sessions: []),
  ]

  @Test("the user's own sessions end, except the current one", arguments: rows)
  func sessions(row: Row) {
    #expect(
      OtherSessions.sessions(in: row.list, of: 1000, except: row.present) == row.sessions, "\(row)")
  }
}

@Suite struct FactorTableTests {
  @Test("the table has a line for each factor, with the name at the end")
  func text() throws {
    let parameters = try #require(
      TOTPParameters(algorithm: .sha256, codeLength: .eight, period: 60))
    let factors = [
      try Samples.factor([0xAB, 0xCD], "phone", lastUse: 1_760_000_300),
      try Samples.factor([1], "電話 2", parameters: parameters),
    ]
    #expect(
      FactorTable.text(
        factors, in: .english, date: { "\(Int($0.timeIntervalSince1970)) s" }) == """
          ID        ADDED       LAST USED     CODES                   NAME
          abcd0000  1760000000  1760000300 s  sha1, 6 digits, 30 s    phone
          01000000  1760000000  -             sha256, 8 digits, 60 s  電話 2

          """)
  }

  @Test("columns of double-width characters are aligned")
  func wideCharacters() throws {
    let factors = [try Samples.factor([0xAB, 0xCD], "phone")]
    #expect(
      FactorTable.text(factors, in: .japanese, date: { _ in "2026-01-31 23:59" }) == """
        識別子    追加日時    最終使用  コード             名前
        abcd0000  2026-01-31  -         sha1、6 桁、30 秒  phone

        """)
  }
}
