import Foundation
import MFAAdminTestSupport
import MFABase
import MFAStore
import MFAModel
import MFATestSupport
import Testing

@testable import MFAAdmin

/// A store with two users, and its backup.
struct BackedUpStore {
  let store: TemporaryStore
  var backup: String { store.folder + "/backup.tar" }

  init(key: BackupKeyChoice = .apart) throws {
    store = try TemporaryStore()
    try store.enroll(
      "alice", uid: 1000, ["phone", "tablet"], failures: 3, lastFailure: 1_699_999_000)
    try store.enroll("bob", uid: 1001, ["phone"])
    for user in ["alice", "bob"] {
      try store.remember(user, rememberedCount: 1)
      _ = try store.administration.clearRememberedSignIns(of: user)
    }
    let kept: Administration.BackupKey =
      switch key {
      case .apart: .apart
      case .included: .included
      case .file: .file(store.folder + "/backup.key")
      }
    _ = try store.administration.backUp(
      to: backup, key: kept, overwriting: false,
      services: ["sshd --factors key+code", "sudo"])
  }

  enum BackupKeyChoice { case apart, included, file }

  /// Returns the contents of all files of a store.
  static func files(of store: TemporaryStore) throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    let names = try FileManager.default.subpathsOfDirectory(atPath: store.folder + "/store")
    for name in names {
      files[name] = FileManager.default.contents(atPath: store.folder + "/store/" + name).map {
        Array($0)
      }
    }
    files["key"] = try store.bytes(of: store.folder + "/key")
    return files
  }
}

@Suite("Backups", .privateMachine)
struct BackupTests {
  @Test("only root can read a backup, and an existing file is kept")
  func mode() throws {
    let backed = try BackedUpStore(key: .file)
    let status = try Command.succeed([
      "/usr/bin/stat", "-c", "%u %g %a %h", backed.backup, backed.store.folder + "/backup.key",
    ])
    #expect(status == "0 0 600 1\n0 0 400 1\n")
    let before = try backed.store.bytes(of: backed.backup)
    let administration = backed.store.administration
    #expect(
      refusal(try administration.backUp(to: backed.backup, key: .apart, overwriting: false))
        == .backup(.exists(backed.backup)))
    #expect(try backed.store.bytes(of: backed.backup) == before)
    _ = try administration.backUp(to: backed.backup, key: .included, overwriting: true)
    #expect(try backed.store.bytes(of: backed.backup) != before)
    for path in ["/tmp/backup.tar", "backup.tar", "/nowhere/backup.tar"] {
      #expect(
        refusal(try administration.backUp(to: path, key: .apart, overwriting: false)) != nil,
        "\(path)")
    }
  }

  @Test("tar lists and unpacks a backup; the key is in it only if that was wanted")
  func readByTar() throws {
    for key in [BackedUpStore.BackupKeyChoice.apart, .included] {
      let backed = try BackedUpStore(key: key)
      let names = try Command.succeed(["/bin/tar", "-tf", backed.backup])
        .split(separator: "\n").map(String.init)
      #expect(
        names.filter { !$0.hasPrefix("mfa-backup/configuration/") }
          == ["manifest"].map { "mfa-backup/" + $0 } + (key == .included ? ["mfa-backup/key"] : [])
          + [
            "factors/alice", "attempts/alice", "factors/bob", "attempts/bob", "log/audit-log",
            "log/audit-log.index", "log/audit-log.head", "services", "checksum",
          ].map { "mfa-backup/" + $0 })
      let record = try Command.run([
        "/bin/tar", "-xOf", backed.backup, "mfa-backup/factors/alice",
      ])
      #expect(record.output == (try backed.store.bytes(of: backed.store.recordPath("alice"))))
      let bytes = try backed.store.bytes(of: backed.backup)
      let secretKey = try backed.store.bytes(of: backed.store.folder + "/key")
      let hasKey = Data(bytes).range(of: Data(secretKey)) != nil
      #expect(hasKey == (key == .included))
    }
  }

  @Test("a backup that fails has no file with its name")
  func interrupted() throws {
    let backed = try BackedUpStore()
    try Command.succeed(["/bin/chmod", "0644", backed.store.recordPath("bob")])
    let path = backed.store.folder + "/second.tar"
    let administration = backed.store.administration
    let error = refusal(try administration.backUp(to: path, key: .apart, overwriting: false))
    #expect(
      error
        == .unusable(
          try #require(UserName(Array("bob".utf8))), .store(.untrusted(.record, .wrongPermissions)))
    )
    #expect(!backed.store.exists(path))
  }

  @Test("a backup is refused while the key is being changed")
  func keyChanging() throws {
    let backed = try BackedUpStore()
    try backed.store.store.beginKeyChange()
    let path = backed.store.folder + "/second.tar"
    let administration = backed.store.administration
    #expect(
      refusal(try administration.backUp(to: path, key: .apart, overwriting: false))
        == .backup(.keyChanging))
  }
}

@Suite("Members of a tar archive")
struct TarMemberTests {
  private static let names = [1, 99, 100, 101, 240].map { [UInt8](repeating: 0x61, count: $0) }

  @Test("a header parses back equal, also with a long name", arguments: names)
  func roundTrip(name: [UInt8]) throws {
    for length in [0, 1, 511, 512, 513, 1_000_000] {
      let member = try #require(TarMember(name: name, time: 1_700_000_000, length: length))
      #expect(TarMember(header: member.header + [1, 2, 3]) == member)
      #expect((length + member.padding.count) % 512 == 0 && member.header.count % 512 == 0)
    }
  }

  @Test("a header with any byte changed is refused, or is another one", arguments: names)
  func everyByte(name: [UInt8]) throws {
    let member = try #require(TarMember(name: name, time: 1_700_000_000, length: 77))
    let header = member.header
    for index in header.indices {
      var changed = header
      changed[index] ^= 1
      #expect(TarMember(header: changed) != member, "byte \(index)")
      #expect(TarMember(header: Array(header.prefix(index))) == nil, "byte \(index)")
    }
  }
}
