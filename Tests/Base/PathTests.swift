import Foundation
import MFABase
import MFATestSupport
import Testing

@Suite("Trusted paths", .privateMachine)
struct TrustedPathTests {
  /// The result of opening the parent folders of a path.
  enum Expected: Sendable {
    case opened, notADirectory, notFound
    case untrusted(TrustFailure)
  }

  /// Scripts that change the folders `outer` and `outer/inner`, and the result for
  /// `outer/inner/name`.
  static let rows: [(number: Int, script: String, expected: Expected)] = [
    (1, ":", .opened),
    (2, "chmod g+w outer", .untrusted(.wrongPermissions)),
    (3, "chmod o+w outer/inner", .untrusted(.wrongPermissions)),
    (4, "chmod 01777 outer", .untrusted(.wrongPermissions)),
    (5, "chown 65534 outer", .untrusted(.wrongOwner)),
    (6, "chown 65534 outer/inner", .untrusted(.wrongOwner)),
    (7, "mv outer real; ln -s real outer", .notADirectory),
    (8, "mv outer/inner real; ln -s ../real outer/inner", .notADirectory),
    (9, "rm -r outer; echo x > outer", .notADirectory),
    (10, "rm -r outer/inner; echo x > outer/inner", .notADirectory),
    (11, "rm -r outer/inner; mkfifo outer/inner", .notADirectory),
    (12, "rm -r outer", .notFound),
    (13, "rm -r outer/inner", .notFound),
    // A folder that may not be listed can still be traversed.
    (14, "chmod 0711 outer", .opened),
  ]

  private func path(_ script: String) throws -> TrustedPath {
    let folder = "/var/lib/mfa-path-\(UInt32.random(in: 0...UInt32.max))"
    try Command.succeed([
      "/usr/bin/env", "sh", "-ec",
      "mkdir -p \"$1/outer/inner/name\"; chmod -R 0755 \"$1\"; cd \"$1\"; \(script)", "sh", folder,
    ])
    return try #require(TrustedPath(Array("\(folder)/outer/inner/name".utf8)))
  }

  private func check(
    _ expected: Expected, _ number: Int, _ body: () throws(SystemError) -> Void
  ) {
    do throws(SystemError) {
      try body()
      guard case .opened = expected else {
        Issue.record("row \(number): it was trusted")
        return
      }
    } catch {
      switch expected {
      case .notADirectory where error.isNotADirectory: break
      case .notFound where error.isNotFound: break
      case .untrusted(let distrust) where error.distrust == distrust: break
      case _: Issue.record("row \(number): \(error)")
      }
    }
  }

  @Test("directories that users other than root could change, links and files are refused")
  func parents() throws {
    for row in Self.rows {
      let path = try path(row.script)
      check(row.expected, row.number) { () throws(SystemError) in _ = try path.parent() }
      check(row.expected, row.number) { () throws(SystemError) in try path.checkParents() }
    }
  }

  @Test("a link in place of the last directory is not followed")
  func lastDirectory() throws {
    let path = try path("rmdir outer/inner/name; ln -s ../inner outer/inner/name")
    do throws(SystemError) {
      _ = try path.lastDirectory()
      Issue.record("a link was followed")
    } catch {
      #expect(error.isNotADirectory || error.distrust == .symbolicLink)
    }
  }

  @Test("the components and the last component are those of the given path")
  func components() throws {
    let path = try #require(TrustedPath(Array("/one/..two/three.".utf8)))
    #expect(
      path.components.map { String(decoding: $0.bytes, as: UTF8.self) }
        == ["one", "..two", "three."])
    #expect(path.last == path.components.last)
  }
}

/// Compares the constants with the shell scripts and the unit file, which cannot share them.
@Suite struct InstalledPathTests {
  /// The paths that packaging/install and packaging/make-store create.
  static let installed =
    [
      InstalledPath.configurationFolder, InstalledPath.configuration, InstalledPath.dropIns,
      InstalledPath.key, InstalledPath.storeIdentity, InstalledPath.newMachine,
      InstalledPath.pendingChanges, InstalledPath.confirmedChanges,
      InstalledPath.store, InstalledPath.helper, InstalledPath.helperService,
      InstalledPath.resident, InstalledPath.checksums,
    ].map(\.description) + ["\(InstalledPath.gateways)/sweep"]

  /// The other paths of the installation, which exist only if something needs them, and PAM's
  /// folders. `installCreatesTheFilesOfTheStore` checks the folders of the store.
  static let others =
    [
      InstalledPath.programFolder, InstalledPath.vendorConfiguration,
      InstalledPath.configurationLock, InstalledPath.services, InstalledPath.vendorServices,
      InstalledPath.sshdDropIns, InstalledPath.residentFolder, InstalledPath.residentRootSocket,
      InstalledPath.residentUserSocket, InstalledPath.gatewaySocket, InstalledPath.gateways,
    ].map(\.description) + [
      StoreFile.factors.path, StoreFile.attempts.path, StoreFile.uids.path, StoreFile.mail.path,
      StoreFile.realmMailPath, StoreFile.phone.path,
    ] + fleet

  /// The paths of a realm: the certificate of a host, what the relay keeps for outages, and the socket between the
  /// processes of a verifier.
  static let fleet = [
    "/var/lib/mfa-fleet", "/var/lib/mfa-fleet-offline", "/run/mfa-verifier",
    "/run/mfa-verifier/front",
  ]

  /// The file that packaging/make-store renames to the key, and the file in the folder of the identity.
  static let storeParts = [
    "/etc/mfa/.key.new", "\(InstalledPath.storeIdentity)/store",
  ]

  private func text(_ file: String) throws -> String {
    let checkout = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    return try String(contentsOf: checkout.appending(path: "packaging/" + file), encoding: .utf8)
  }

  /// Returns the paths of the installation and of PAM's files that a text contains.
  private func paths(in text: String) -> Set<String> {
    let pattern =
      #/(/etc/mfa|/var/lib/mfa|/usr/lib/mfa|/run/mfa|/etc/pam\.d|/usr/lib/pam\.d)[\w./-]*/#
    return Set(
      text.matches(of: pattern).map { match in
        // A slash or a full stop can follow the path.
        match.output.0.trimmingCharacters(in: CharacterSet(charactersIn: "./"))
      }.map { "/" + $0 })
  }

  @Test func installCreatesEachPath() throws {
    let found = paths(in: try text("install") + text("make-store"))
    for path in Self.installed { #expect(found.contains(path), "\(path) is not installed") }
  }

  @Test(arguments: [
    "install", "make-store", "uninstall", "systemd/mfa-restore.service",
    "systemd/mfa-store.service", "pam-configs/mfa",
  ])
  func packagingUsesNoOtherPath(file: String) throws {
    let known = Set(
      Self.installed + Self.others + Self.storeParts + ["\(InstalledPath.storeScript)"])
    for path in paths(in: try text(file)) {
      let isKnown = known.contains(path)
      #expect(isKnown, "packaging/\(file) has the unknown path \(path)")
    }
  }

  @Test func installCreatesTheFilesOfTheStore() throws {
    let script = try text("make-store")
    let start = try #require(script.range(of: "\nmake_store() {"))
    let end = try #require(script.range(of: "\n}\n", range: start.upperBound..<script.endIndex))
    let body = script[start.upperBound..<end.lowerBound]
    #expect(body.contains("cd \(InstalledPath.store)\n"))
    let folders = [
      StoreFile.factors.name, StoreFile.attempts.name, StoreFile.uids.name, StoreFile.mail.name,
      StoreFile.realmMailName,
      StoreFile.phone.name,
    ].map(\.description)
    #expect(body.contains("for folder in \(folders.joined(separator: " ")); do"))
    for file in [StoreFile.auditLog, .auditLogHead] { #expect(body.contains(": >\(file.name)\n")) }
  }

  @Test func uninstallRemovesTheLockOfTheConfiguration() throws {
    #expect(try text("uninstall").contains(" \(InstalledPath.configurationLock) "))
  }

  @Test func pathsAreWithinTheirFolders() {
    let rows: [(folder: StaticString, path: StaticString)] = [
      (InstalledPath.configurationFolder, InstalledPath.configuration),
      (InstalledPath.configurationFolder, InstalledPath.dropIns),
      (InstalledPath.configurationFolder, InstalledPath.key),
      (InstalledPath.configurationFolder, InstalledPath.pendingChanges),
      (InstalledPath.configurationFolder, InstalledPath.confirmedChanges),
      (InstalledPath.programFolder, InstalledPath.helper),
      (InstalledPath.programFolder, InstalledPath.vendorConfiguration),
      (InstalledPath.programFolder, InstalledPath.resident),
      (InstalledPath.residentFolder, InstalledPath.residentRootSocket),
      (InstalledPath.residentFolder, InstalledPath.residentUserSocket),
      (InstalledPath.residentFolder, InstalledPath.gatewaySocket),
      (InstalledPath.programFolder, InstalledPath.gateways),
      (InstalledPath.services, InstalledPath.helperService),
      (InstalledPath.sshdFolder, InstalledPath.sshd),
      (InstalledPath.sshdFolder, InstalledPath.sshdDropIns),
    ]
    for row in rows { #expect("\(row.path)".hasPrefix("\(row.folder)/"), "\(row.path)") }
    for file in StoreFile.allCases {
      #expect(file.path == "\(InstalledPath.store)/\(file.name)")
    }
    #expect(Set(StoreFile.allCases.map(\.path)).count == StoreFile.allCases.count)
  }
}
