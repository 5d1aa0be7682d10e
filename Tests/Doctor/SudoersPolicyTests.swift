import MFAAdmin
import Testing

@testable import MFADoctor

@Suite("Rules as cvtsudoers and sudo print them")
struct SudoersPolicyTests {
  private func policy(_ text: String = SudoersSample.policy) throws -> SudoersPolicy {
    try SudoersPolicy(Array(text.utf8), runAsDefaults: Array(SudoersSample.runAs.utf8))
  }

  @Test("aliases are replaced by what they stand for, also within aliases and if negated")
  func aliases() throws {
    let rule = try #require(try policy().rules.first)
    #expect(
      rule.users.members == [
        SudoersMember(.name("alice")), SudoersMember(.group("staff")),
        SudoersMember(.name("eve"), isNegated: true), SudoersMember(.netgroup("ng")),
        SudoersMember(.userID(1000)), SudoersMember(.groupID(100)),
        SudoersMember(.group("staff"), isNegated: true), SudoersMember(.name("eve")),
      ])
    #expect(rule.users.words == ["FOLK", "OTHERS"])
    #expect(
      rule.commands.members == [
        SudoersMember(.command(SudoersCommand("/bin/cat \"a b,c\""))),
        SudoersMember(.command(SudoersCommand("/bin/ls")), isNegated: true),
        SudoersMember(.command(SudoersCommand("/bin/dd"))), SudoersMember(.all),
      ])
  }

  @Test("tags, accounts, hosts and times of a rule are read")
  func rule() throws {
    let rule = try #require(try policy().rules.first)
    #expect(rule.authenticates == false && rule.isNoExec)
    #expect(rule.notAfter == "20250101000000Z" && rule.notBefore == nil)
    #expect(rule.runAsUsers?.members == [SudoersMember(.invokingUser)])
    #expect(rule.runAsGroups?.members == [SudoersMember(.all)])
    #expect(
      rule.hosts.members == [
        SudoersMember(.network("10.0.0.0/8")), SudoersMember(.name("bar"), isNegated: true),
      ])
  }

  @Test("Defaults for users are told from Defaults for accounts")
  func defaults() throws {
    let found = try policy().defaults.map { "\($0.line) \($0.scope) \($0.name)=\($0.value.text)" }
    #expect(
      found == [
        "0 global env_reset=on", "0 global lecture=off", "1 users authenticate=off",
        "2 runAs targetpw=on", "3 hosts rootpw=on", "4 commands runaspw=on",
        "5 global timestamp_timeout=-1", "5 global timestamp_type=global",
      ])
  }

  @Test(
    "what is not understood is refused",
    arguments: [
      (1, "{", "is not JSON"), (2, "[]", "the output is not an object"),
      (3, #"{"User_Specs": {}}"#, "User_Specs is not a list"),
      (4, #"{"User_Specs": [{}]}"#, "a list is not a list"),
      (
        5,
        #"{"User_Specs": [{"User_List": [{"futureuser": "x"}], "Host_List": [], "Cmnd_Specs": []}]}"#,
        "a list has an unknown element: [\"futureuser\"]"
      ), (6, #"{"Defaults": []}"#, "Defaults for accounts were not found"),
      (
        7,
        #"{"User_Aliases": {"A": [{"useralias": "A"}]}, "User_Specs": [{"User_List": [{"useralias": "A"}]}]}"#,
        "aliases are nested too deep"
      ),
    ])
  func refused(number: Int, text: String, reason: String) throws {
    let runAs = number == 6 ? SudoersSample.runAs : "{}"
    do throws(AdminError) {
      let policy = try SudoersPolicy(Array(text.utf8), runAsDefaults: Array(runAs.utf8))
      Issue.record("row \(number): \(policy)")
    } catch {
      #expect(error.reason.hasSuffix(reason), "row \(number)")
    }
  }

  @Test("an empty output has no rules")
  func empty() throws {
    let policy = try SudoersPolicy(Array("{\n}\n".utf8), runAsDefaults: Array("{}".utf8))
    #expect(policy == SudoersPolicy())
    #expect(try SudoersPolicy([], runAsDefaults: []) == SudoersPolicy())
  }

  @Test("the list that sudo prints for a user is read")
  func listing() throws {
    let policy = try SudoersPolicy(listing: Array(SudoersSample.listing.utf8))
    #expect(policy.rules.count == 2)
    let rule = try #require(policy.rules.first)
    #expect(rule.authenticates == false && rule.isNoExec)
    #expect(
      rule.runAsUsers?.members == [
        SudoersMember(.all), SudoersMember(.userID(5), isNegated: true),
      ])
    #expect(
      rule.commands.members == [
        SudoersMember(.all), SudoersMember(.command(SudoersCommand("/bin/ls -l \"a b,c\""))),
        SudoersMember(.command(SudoersCommand("/bin/dd")), isNegated: true),
      ])
    #expect(policy.rules.last?.authenticates == nil)
    #expect(
      policy.defaults.map { "\($0.name)=\($0.value.text)" } == [
        "timestamp_timeout=-1", "pam_service=log in,x", "authenticate=off", "targetpw=on",
        "runaspw=on",
      ])
  }

  @Test("a list in another form is refused, and a user without rules has none")
  func otherListings() throws {
    #expect(throws: AdminError.self) {
      try SudoersPolicy(listing: Array("sudo: unknown user x\n".utf8))
    }
    let none = try SudoersPolicy(
      listing: Array("User games is not allowed to run sudo on vm.\n".utf8))
    #expect(none == SudoersPolicy())
  }
}
