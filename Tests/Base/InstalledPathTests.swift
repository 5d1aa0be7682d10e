import Foundation
import MFABase
import Testing

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
