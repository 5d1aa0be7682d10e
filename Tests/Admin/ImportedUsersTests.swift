import Foundation
import MFAAdminTestSupport
import MFAModel
import MFATestSupport
import Testing

@testable import MFAAdmin

@Suite("The list of what a host has imported")
struct ImportedUsersTests {
  private static func list() throws -> ImportedUsers {
    var list = ImportedUsers(realm: "example.org")
    var alice = ImportedUser(name: Array("alice\u{7}".utf8))
    alice.factors = [
      ImportedUser.KnownFactor(id: try id(1), origin: .host(mark: [1, 2, 3])),
      ImportedUser.KnownFactor(id: try id(2), origin: .host(mark: nil)),
      ImportedUser.KnownFactor(id: try id(3), origin: .realm),
    ]
    alice.recoveryCodes = .host(mark: [9])
    alice.failures = FailureCount(failures: 3, last: 17)
    alice.pending = ImportedUser.Pending(
      number: [UInt8](repeating: 5, count: 16), after: 7,
      factors: [ImportedUser.KnownFactor(id: try id(4), origin: .host(mark: nil))],
      recoveryCodes: .host(mark: nil), failures: FailureCount(failures: 3, last: 17))
    list[alice.name] = alice
    var bob = ImportedUser(name: Array("bob".utf8))
    bob.recoveryCodes = .realm
    list[bob.name] = bob
    return list
  }

  @Test("the file is read back as it was written")
  func roundTrip() throws {
    let list = try Self.list()
    #expect(ImportedUsers(Array(list.text.utf8)) == list)
    let empty = ImportedUsers(realm: "")
    #expect(ImportedUsers(Array(empty.text.utf8)) == empty)
  }

  @Test("what is cut off or changed is refused")
  func refused() throws {
    let text = try Self.list().text
    for (old, new) in [
      ("\"version\": 1", "\"version\": 2"), ("\"unknown\"", "\"other\""), ("\"id\"", "\"uid\""),
      ("\"failures\": 3", "\"failures\": -3"), ("\"lastFailure\": 17", "\"lastFailure\": null"),
      ("\"import\"", "\"number\""), ("\"recoveryCodes\": \"realm\"", "\"recoveryCodes\": 1"),
    ] {
      let changed = text.replacingOccurrences(of: old, with: new)
      #expect(changed != text)
      #expect(ImportedUsers(Array(changed.utf8)) == nil, "\(old)")
    }
    #expect(ImportedUsers(Array(text.utf8.dropLast(5))) == nil)
  }

  @Test("a file of another realm, and one that another user could have written, are refused")
  func distrusted() throws {
    let store = try TemporaryStore()
    let path = store.folder + "/imported"
    let file = ImportedUsersFile(path)
    #expect(try file.read(realm: "example.org") == ImportedUsers(realm: "example.org"))
    try file.write(try Self.list())
    #expect(try file.read(realm: "example.org") == (try Self.list()))
    #expect(throws: AdminError.realm(.importListOfOtherRealm(path))) {
      _ = try file.read(realm: "example.com")
    }
    try Command.succeed(["/usr/bin/env", "chmod", "0666", path])
    #expect(throws: AdminError.self) { _ = try file.read(realm: "example.org") }
    try store.write([0x7B], to: path)
    #expect(throws: AdminError.realm(.importListUnusable(path))) {
      _ = try file.read(realm: "example.org")
    }
  }
}
