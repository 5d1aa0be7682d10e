import Testing

@testable import mfa_enroll

@Suite struct AccountSelectionTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let number: Int
    var named: String?
    let caller: AccountSelection.Caller
    /// What happens, or nil if the caller is refused.
    let step: AccountSelection.Step?
    var testDescription: String { "\(number)" }

    init(
      _ number: Int, naming named: String? = nil, by name: String, sudoUser: String? = nil,
      _ step: AccountSelection.Step?
    ) {
      self.number = number
      self.named = named
      caller = AccountSelection.Caller(name: name, isRoot: name == "root", sudoUser: sudoUser)
      self.step = step
    }
  }

  static let rows = [
    Row(1, by: "alice", .own),
    Row(2, by: "root", .own),
    Row(3, by: "root", sudoUser: "alice", .ask(user: "alice")),
    Row(4, by: "root", sudoUser: "root", .own),
    Row(5, by: "root", sudoUser: "", .own),
    // Any user can set the variable.
    Row(6, by: "alice", sudoUser: "bob", .own),
    Row(7, naming: "root", by: "root", sudoUser: "alice", .own),
    Row(8, naming: "alice", by: "root", sudoUser: "alice", .become("alice")),
    Row(9, naming: "bob", by: "root", sudoUser: "alice", .become("bob")),
    Row(10, naming: "alice", by: "alice", .own),
    Row(11, naming: "bob", by: "alice", nil),
    Row(12, naming: "root", by: "alice", sudoUser: "root", nil),
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
