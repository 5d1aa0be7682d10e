import Foundation
import MFAAdminTestSupport
import MFABase
import MFAImport
import MFAModel
import MFAStore
import MFATestSupport
import Testing

@testable import MFAAdmin

@Suite struct ImportTests {
  static let key = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
  static let step = TemporaryStore.now / 30
  static let file =
    "\(key)\n\" DISALLOW_REUSE \(step - 1) \(step)\n\" TOTP_AUTH\n\" TIME_SKEW 0\n12345678\n23456789\n"

  /// Creates the folder to import from.
  func homes(_ store: TemporaryStore) throws -> String {
    let path = store.folder + "/homes"
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
    return path
  }

  func add(_ user: String, _ text: String, to homes: String, _ store: TemporaryStore) throws {
    try FileManager.default.createDirectory(
      atPath: homes + "/" + user, withIntermediateDirectories: false)
    try store.write(Array(text.utf8), to: "\(homes)/\(user)/.google_authenticator")
  }

  func texts(
    _ store: TemporaryStore, _ source: ImportSource, user: String? = nil, isTrial: Bool = false
  ) throws -> [String] {
    try store.administration.importFactors(from: source, user: user, isTrial: isTrial).map(\.text)
  }

  @Test func googleAuthenticator() throws {
    let store = try TemporaryStore()
    store.accounts = ["alice": 1000, "bob": 1001, "carol": 1002]
    let homes = try homes(store)
    try add("alice", Self.file, to: homes, store)
    try add("bob", Self.key + "\n\" HOTP_COUNTER 1\n", to: homes, store)
    try add("nobody-here", Self.file, to: homes, store)
    try store.write(Array(Self.file.utf8), to: homes + "/carol")
    try FileManager.default.createDirectory(
      atPath: homes + "/dave", withIntermediateDirectories: false)
    let source = ImportSource.googleAuthenticator(folder: homes)
    let codes = "; 2 recovery codes imported, 26 bits: replace them"
    let refused = [
      "bob: not imported: line 2: counter-based codes (HOTP) cannot be imported, only time-based "
        + "ones; enrol a new factor"
    ]
    let unknown = "nobody-here: not imported: there is no user nobody-here"

    // A dry run changes nothing.
    #expect(
      try texts(store, source, isTrial: true) == [
        "alice: would be imported as \"imported\"" + codes
      ]
        + refused + ["carol: would be imported as \"imported\"" + codes, unknown])
    #expect(try store.snapshot("alice") == nil)
    #expect(!store.exists(store.attemptsPath("alice")))

    #expect(try texts(store, source, user: "alice") == ["alice: imported as \"imported\"" + codes])
    #expect(try store.snapshot("carol") == nil)
    let snapshot = try #require(try store.snapshot("alice"))
    let factor = try #require(snapshot.record.factors.first)
    #expect(factor.origin == .imported && factor.parameters == .standard)
    #expect(factor.enrolledAt == TemporaryStore.now)
    #expect(snapshot.attempts.watermark(of: factor.id) == Self.step)
    #expect(snapshot.record.recoveryCodes.map(\.kind) == [.imported, .imported])
    #expect(store.lines.count == 1 && store.lines[0].contains("result=imported user=alice"))
    #expect(!store.lines[0].contains(Self.key) && !store.lines[0].contains("12345678"))

    // A second import, with a different file for carol.
    #expect(
      try texts(store, source) == ["alice: already present as \"imported\""] + refused
        + ["carol: imported as \"imported\"" + codes, unknown])
    #expect(try store.snapshot("alice") == snapshot)
  }

  @Test func importKeepsExistingFactors() throws {
    let store = try TemporaryStore()
    try store.enroll("alice", ["imported"], failures: 3, lastFailure: 5)
    let homes = try homes(store)
    try add("alice", Self.file.replacing("SKEW 0", with: "SKEW -4"), to: homes, store)
    let texts = try texts(store, .googleAuthenticator(folder: homes))
    #expect(
      texts.count == 1 && texts[0].hasPrefix("alice: imported as \"imported (2)\"; the clock"))
    let snapshot = try #require(try store.snapshot("alice"))
    #expect(snapshot.record.factors.map(\.origin) == [.enrolled, .imported])
    #expect(snapshot.record.factors[1].timeOffset == -4)
    #expect(snapshot.attempts.failures == 3)
    #expect(snapshot.attempts.watermarks.count == 2)
  }

  @Test func excessRecoveryCodesAreDropped() throws {
    let store = try TemporaryStore()
    store.accounts = ["alice": 1000]
    let homes = try homes(store)
    for (name, key, first) in [("one", Self.key, 1), ("two", "A" + Self.key.dropFirst(), 2)] {
      let codes = (0..<6).map { "\(first)000000\($0)\n" }.joined()
      let path = homes + "/alice"
      if store.exists(path) { try FileManager.default.removeItem(atPath: path) }
      try store.write(Array("\(key)\n\" TOTP_AUTH\n\(codes)".utf8), to: path)
      let text = try texts(store, .googleAuthenticator(folder: homes)).joined()
      #expect(text.contains("2 recovery codes are left out") == (name == "two"), "\(name): \(text)")
    }
    #expect(try store.snapshot("alice")?.record.recoveryCodes.count == 10)
  }

  @Test func wrongSpellingAndLongFileAreRefused() throws {
    let store = try TemporaryStore()
    store.accounts = ["alice": 1000]
    store.spellings = ["ALICE": "alice"]
    let homes = try homes(store)
    try add("ALICE", Self.file, to: homes, store)
    try add("alice", Self.file + String(repeating: "\n", count: 70_000), to: homes, store)
    let texts = try texts(store, .googleAuthenticator(folder: homes))
    #expect(texts.count == 2 && texts[0].hasPrefix("ALICE: not imported: "), "\(texts)")
    #expect(texts.last?.hasPrefix("alice: not imported: the file is longer") == true, "\(texts)")
    #expect(try store.snapshot("alice") == nil)
  }

  @Test func outcomes() {
    let rows: [(ImportReport.Outcome, String, Bool)] = [
      (.imported(name: "phone", []), "imported", false),
      (.possible(name: "phone", []), "possible", false),
      (.present(name: "phone"), "present", false), (.refused("why"), "refused", true),
    ]
    for (outcome, name, isRefused) in rows {
      let report = ImportReport(user: nil, line: 1, outcome: outcome)
      #expect(report.isRefused == isRefused, "\(name)")
      #expect(report.json.text.contains("\"result\": \"\(name)\""), "\(report.json.text)")
    }
  }

  @Test func usersOATH() throws {
    let store = try TemporaryStore()
    store.accounts = ["alice": 1000]
    let path = store.folder + "/users.oath"
    let key = "3132333435363738393031323334353637383930"
    let text = """
      # tokens
      HOTP/T30 alice - \(key)
      HOTP/T60/8 alice secret \(key)ff
      HOTP alice - \(key)aa
      TOTP alice - \(key)
      """
    try store.write(Array(text.utf8), to: path)
    let source = ImportSource.usersOATH(file: path, window: 5)
    let first = try texts(store, source)
    #expect(first.count == 4)
    #expect(first[0] == "alice: imported as \"imported 1\"")
    #expect(first[1].hasPrefix("alice: imported as \"imported 2\"; the password is left out"))
    #expect(first[2].hasPrefix("alice: not imported: line 4: counter-based"))
    #expect(first[3].hasPrefix("line 5: not imported: line 5: not a token"))
    #expect(!first.joined().contains("secret"))
    let snapshot = try #require(try store.snapshot("alice"))
    #expect(snapshot.record.factors.map(\.parameters?.period) == [30, 60])
    #expect(snapshot.record.factors.map(\.parameters?.codeLength) == [.six, .eight])
    #expect(try texts(store, source)[0] == "alice: already present as \"imported 1\"")
    #expect(try store.snapshot("alice") == snapshot)
  }

  @Test func distrusted() throws {
    let files = FileManager.default
    let store = try TemporaryStore()
    store.accounts = ["alice": 1000]
    let homes = try homes(store)
    try add("alice", Self.file, to: homes, store)
    let path = homes + "/alice/.google_authenticator"
    let source = ImportSource.googleAuthenticator(folder: homes)
    func refusal() throws -> String { try texts(store, source).joined() }

    for mode in [0o620, 0o602] {
      try files.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
      #expect(try refusal().contains("wrong-permissions"))
    }
    try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    try files.setAttributes([.ownerAccountID: 1001], ofItemAtPath: path)
    #expect(try refusal().contains("wrong-owner"))
    try files.setAttributes([.ownerAccountID: 1000], ofItemAtPath: path)
    try files.linkItem(atPath: path, toPath: homes + "/alice/other")
    #expect(try refusal().contains("several-names"))
    try files.removeItem(atPath: path)
    try files.createSymbolicLink(atPath: path, withDestinationPath: homes + "/alice/other")
    #expect(try refusal().contains("symbolic-link"))
    try files.removeItem(atPath: path)
    try files.createDirectory(atPath: path, withIntermediateDirectories: false)
    #expect(try refusal().contains("not-a-regular-file"))
    #expect(try store.snapshot("alice") == nil)

    // The folder itself has a wrong owner.
    try files.setAttributes([.ownerAccountID: 1000], ofItemAtPath: homes)
    #expect(
      throws: AdminError.importSource(
        homes, ImportRefusal(reason: .system(.untrusted(.wrongOwner))))
    ) {
      try texts(store, source)
    }
    try files.setAttributes([.ownerAccountID: 0], ofItemAtPath: homes)
    try files.setAttributes([.posixPermissions: 0o777], ofItemAtPath: homes)
    #expect(
      throws: AdminError.importSource(
        homes, ImportRefusal(reason: .system(.untrusted(.wrongPermissions))))
    ) {
      try texts(store, source)
    }
    #expect(throws: AdminError.notAPath("homes")) {
      try texts(store, .googleAuthenticator(folder: "homes"))
    }
  }
}

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
    #expect(throws: AdminError.importListOfOtherRealm(path)) {
      _ = try file.read(realm: "example.com")
    }
    try Command.succeed(["/usr/bin/env", "chmod", "0666", path])
    #expect(throws: AdminError.self) { _ = try file.read(realm: "example.org") }
    try store.write([0x7B], to: path)
    #expect(throws: AdminError.importListUnusable(path)) {
      _ = try file.read(realm: "example.org")
    }
  }
}
