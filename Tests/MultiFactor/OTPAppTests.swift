import MFATestSupport
import Testing

@testable import MultiFactor

@Suite struct OTPAppTests {
  static let url = "otpauth://totp/Example:alice?secret=GEZDGNBVGY3TQOJQ"

  /// Returns why the URL was not opened, or nil.
  static func failure(opening url: String) async throws -> OTPAppFailure? {
    let helper = ScriptedHelper(Samples.welcome + Samples.session + Samples.generation)
    let multiFactor = MultiFactor(reauthenticate: Samples.password, open: helper.open)
    let secret = try await TOTPMultiFactorGenerator.generateSecret(
      with: try await multiFactor.session())
    do throws(MultiFactorError) {
      try await secret.openInOTPApp(withQRCodeURL: url)
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

  @Test("the portal gets the URL, and its response is reported")
  func responses() async {
    await #expect(processExitsWith: .success) {
      let desktop = try PrivateDesktop(response: "0")
      try await OTPAppTests.expect(nil, opening: OTPAppTests.url)
      try await OTPAppTests.expect(nil, opening: OTPAppTests.url + "A")
      #expect(desktop.opened == [OTPAppTests.url, OTPAppTests.url + "A"])
    }
    await #expect(processExitsWith: .success) {
      let desktop = try PrivateDesktop(response: "1")
      try await OTPAppTests.expect(.cancelled, opening: OTPAppTests.url)
      #expect(desktop.opened == [OTPAppTests.url])
    }
    await #expect(processExitsWith: .success) {
      let desktop = try PrivateDesktop(response: "2")
      try await OTPAppTests.expect(.noHandler, opening: OTPAppTests.url)
      #expect(desktop.opened == [OTPAppTests.url])
    }
  }

  @Test("without a portal, without a bus and for other URLs the reason is reported")
  func unavailable() async {
    await #expect(processExitsWith: .success) {
      let desktop = try PrivateDesktop(response: nil)
      try await OTPAppTests.expect(.noPortal, opening: OTPAppTests.url)
      #expect(desktop.opened == [])
    }
    await #expect(processExitsWith: .success) {
      PrivateDesktop.select("unix:path=/nonexistent")
      try await OTPAppTests.expect(.noSessionBus, opening: OTPAppTests.url)
      for url in ["https://example.com/", "otpauth://", "otpauth://totp/a b", "otpauth://a\n", "電"]
      {
        try await OTPAppTests.expect(.unsupportedURL, opening: url)
      }
    }
  }
}
