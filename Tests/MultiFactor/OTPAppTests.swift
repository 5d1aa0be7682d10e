import Foundation
import MFABase
import MFATestSupport
import Testing

@testable import MultiFactor

@Suite struct OTPAppTests {
  static let url = "otpauth://totp/Example:alice?secret=GEZDGNBVGY3TQOJQ"

  /// Returns why the URL was not opened, or nil.
  static func failure(
    opening url: String, timeout: Duration = .seconds(60)
  ) async throws -> OTPAppFailure? {
    let helper = ScriptedHelper(Samples.welcome + Samples.session + Samples.generation)
    let multiFactor = MultiFactor(reauthenticate: Samples.password, open: helper.open)
    let secret = try await TOTPMultiFactorGenerator.generateSecret(
      with: try await multiFactor.session())
    do throws(MultiFactorError) {
      try await secret.openInOTPApp(withQRCodeURL: SecretBytes(url), timeout: timeout)
      return nil
    } catch {
      guard case .otpAppUnavailable(let failure) = error else { throw error }
      return failure
    }
  }

  static func expect(_ expected: OTPAppFailure?, opening url: String) async throws {
    let failure = try await failure(opening: url)
    #expect(failure == expected, "\(url)")
  }

  @Test("an app that the bus can start gets the URL, and no argument list has the key")
  func opens() async {
    await #expect(processExitsWith: .success) {
      let desktop = try PrivateDesktop(.answer)
      try await OTPAppTests.expect(nil, opening: OTPAppTests.url)
      try await OTPAppTests.expect(nil, opening: OTPAppTests.url + "A")
      #expect(desktop.opened == [OTPAppTests.url, OTPAppTests.url + "A"])
      let arguments = PrivateDesktop.argumentsOfAllProcesses()
      #expect(arguments.contains { $0.contains("app.py") })
      #expect(!arguments.contains { $0.contains("GEZDGNBVGY3TQOJQ") })
    }
  }

  @Test("an app that takes URLs as arguments is not started")
  func argumentsOnly() async {
    await #expect(processExitsWith: .success) {
      let desktop = try PrivateDesktop(.arguments)
      try await OTPAppTests.expect(.handlerNeedsArguments, opening: OTPAppTests.url)
      #expect(desktop.opened == [])
      let arguments = PrivateDesktop.argumentsOfAllProcesses()
      #expect(!arguments.contains { $0.contains("GEZDGNBVGY3TQOJQ") })
    }
  }

  @Test("an app that refuses, ends, does not start or does not reply is reported")
  func failures() async {
    await #expect(processExitsWith: .success) {
      let desktop = try PrivateDesktop(.refuse)
      try await OTPAppTests.expect(.handlerFailed, opening: OTPAppTests.url)
      #expect(desktop.opened == [OTPAppTests.url])
    }
    await #expect(processExitsWith: .success) {
      let desktop = try PrivateDesktop(.end)
      try await OTPAppTests.expect(.handlerFailed, opening: OTPAppTests.url)
      #expect(desktop.opened == [OTPAppTests.url])
    }
    await #expect(processExitsWith: .success) {
      let desktop = try PrivateDesktop(.missing)
      try await OTPAppTests.expect(.handlerFailed, opening: OTPAppTests.url)
      #expect(desktop.opened == [])
    }
    await #expect(processExitsWith: .success) {
      let desktop = try PrivateDesktop(PrivateDesktop.App.none)
      #expect(
        try await OTPAppTests.failure(opening: OTPAppTests.url, timeout: .milliseconds(100))
          == .timedOut)
      _ = desktop
    }
  }

  @Test("without an app, without a bus and for other URLs the reason is reported")
  func unavailable() async {
    await #expect(processExitsWith: .success) {
      let desktop = try PrivateDesktop(nil)
      try await OTPAppTests.expect(.noHandler, opening: OTPAppTests.url)
      #expect(desktop.opened == [])
    }
    await #expect(processExitsWith: .success) {
      let desktop = try PrivateDesktop(.answer)
      PrivateDesktop.set("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nonexistent")
      try await OTPAppTests.expect(.noSessionBus, opening: OTPAppTests.url)
      for url in ["https://example.com/", "otpauth://", "otpauth://totp/a b", "otpauth://a\n", "電"]
      {
        try await OTPAppTests.expect(.unsupportedURL, opening: url)
      }
      #expect(desktop.opened == [])
    }
  }
}

/// The user's app for a type, by the files of a desktop.
@Suite struct DesktopAppTests {
  struct Row: Sendable {
    let number: Int
    /// The files below the folders `home`, `config`, `data` and `system`.
    let files: [String: String]
    let app: String?
  }

  static let entry = "[Desktop Entry]\nDBusActivatable = true\n"
  static let type = "x-scheme-handler/otpauth"

  static let rows = [
    Row(number: 1, files: [:], app: nil),
    Row(
      number: 2,
      files: [
        "data/applications/a.desktop": entry, "data/applications/b.desktop": entry,
        "data/applications/mimeinfo.cache": "[MIME Cache]\n\(type)=b.desktop;a.desktop;\n",
      ], app: "b"),
    // The user's choice is more important than the system's, and than the desktop's.
    Row(
      number: 3,
      files: [
        "data/applications/a.desktop": entry, "data/applications/b.desktop": entry,
        "system/mimeapps.list": "[Default Applications]\n\(type)=a.desktop\n",
        "config/mimeapps.list": "# x\n[Default Applications]\n\(type) = b.desktop ;\n",
      ], app: "b"),
    Row(
      number: 4,
      files: [
        "data/applications/a.desktop": entry, "data/applications/b.desktop": entry,
        "config/mimeapps.list": "[Default Applications]\n\(type)=b.desktop\n",
        "config/gnome-mimeapps.list": "[Default Applications]\n\(type)=a.desktop\n",
      ], app: "a"),
    // An app that is not installed, or hidden, is passed over.
    Row(
      number: 5,
      files: [
        "data/applications/a.desktop": entry + "Hidden=true\n",
        "data/applications/b.desktop": entry,
        "config/mimeapps.list":
          "[Default Applications]\n\(type)=gone.desktop;a.desktop;b.desktop\n",
      ], app: "b"),
    Row(
      number: 6,
      files: [
        "data/applications/a.desktop": entry, "data/applications/b.desktop": entry,
        "config/mimeapps.list":
          "[Added Associations]\n\(type)=b.desktop;\n[Removed Associations]\n\(type)=a.desktop;\n",
        "data/applications/mimeinfo.cache": "[MIME Cache]\n\(type)=a.desktop;\n",
      ], app: "b"),
    Row(
      number: 7,
      files: [
        "data/applications/a.desktop": entry,
        "config/mimeapps.list": "[Removed Associations]\n\(type)=a.desktop;\n",
        "data/applications/mimeinfo.cache": "[MIME Cache]\n\(type)=a.desktop;\n",
      ], app: nil),
    Row(
      number: 8,
      files: [
        "config/mimeapps.list": "[Default Applications]\n\(type)=../a.desktop;/a.desktop;a\n",
        "data/a.desktop": entry,
      ], app: nil),
    Row(
      number: 9,
      files: [
        "data/applications/a.desktop": entry,
        "config/mimeapps.list": "[Default Applications]\nx-scheme-handler/other=a.desktop\n",
      ], app: nil),
  ]

  @Test(arguments: rows) func app(_ row: Row) throws {
    let folder = NSTemporaryDirectory() + "desktop-app-\(row.number)-\(getpid())"
    defer { do { try FileManager.default.removeItem(atPath: folder) } catch {} }
    for (path, text) in row.files {
      let file = folder + "/" + path
      try FileManager.default.createDirectory(
        atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
      try text.write(toFile: file, atomically: false, encoding: .utf8)
    }
    let app = DesktopApp(
      for: Self.type,
      environment: [
        "XDG_CONFIG_HOME": folder + "/config", "XDG_CONFIG_DIRS": "relative:" + folder + "/system",
        "XDG_DATA_HOME": folder + "/home", "XDG_DATA_DIRS": folder + "/data",
        "XDG_CURRENT_DESKTOP": "GNOME:Other",
      ])
    #expect(app?.name == row.app, "row \(row.number)")
    #expect(app?.isActivatable != false, "row \(row.number)")
  }
}
