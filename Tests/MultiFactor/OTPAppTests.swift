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
