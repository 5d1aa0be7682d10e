import MFAWire
import MFABase
import MFAResidentTestSupport
import Testing

@testable import MFAModule

/// The MUSTs of Settlement.swift.
@Suite("Account lines after an accepted code")
struct SettlementTests {
  private static func request(_ arguments: [String] = [], user: String = "alice") -> SignInRequest {
    SignInRequest(
      user: Array(user.utf8), service: [], arguments: arguments.map { Array($0.utf8) })
  }

  @Test("the account line of a user whom the auth line allowed is settled, for that user only")
  func allowedUserIsSettled() {
    let module = ScriptedModule()
    #expect(!Settlement.isSettled(Self.request(), module))
    Settlement.settle(Self.request(["hints", "configuration"]), module)
    #expect(module.storedNote == Array("aalice".utf8))
    #expect(Settlement.isSettled(Self.request(), module))
    #expect(!Settlement.isSettled(Self.request(user: "bob"), module))
    #expect(!Settlement.isSettled(Self.request(user: ""), module))
  }

  @Test("a user who used a bypass code, or must enrol, is not settled")
  func otherNotesAreKept() {
    for note in [.bypass, .enrollment] as [TransactionNote] {
      let module = ScriptedModule()
      #expect(module.note(note, of: Array("alice".utf8)))
      Settlement.settle(Self.request(), module)
      #expect(module.isNoted(note, of: Array("alice".utf8)))
      #expect(!Settlement.isSettled(Self.request(), module))
    }
  }

  @Test("an auth line with its own configuration settles nothing")
  func ownConfigurationSettlesNothing() {
    for arguments in [["config=/etc/other"], ["hints", "config="]] {
      let module = ScriptedModule()
      Settlement.settle(Self.request(arguments), module)
      #expect(module.storedNote == nil)
    }
  }

  @Test("an account line with an argument decides itself")
  func argumentsAreDecided() {
    let module = ScriptedModule()
    Settlement.settle(Self.request(), module)
    for arguments in [["config=/etc/other"], ["hints"], [""]] {
      #expect(!Settlement.isSettled(Self.request(arguments), module))
    }
  }

  @Test("if the note cannot be stored, the account line decides")
  func failureSettlesNothing() {
    let module = ScriptedModule()
    module.accepts = false
    Settlement.settle(Self.request(), module)
    #expect(!Settlement.isSettled(Self.request(), module))
  }
}
