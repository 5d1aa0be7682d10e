import Foundation
import MFABase
import MFACSecretsTesting
import MFACrypto
import MFATestSupport
import Testing

/// libcrypto is loaded by the first call that needs it, or that call fails. Each test runs in a
/// separate process, because the library is loaded only once.
@Suite struct LoadingTests {
  /// Runs mfa-loading-probe, which is built beside the tests.
  private static func probe(_ argument: String) throws -> [String] {
    let folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path
    return try Command.succeed(["\(folder)/mfa-loading-probe", argument])
      .split(separator: "\n").map(String.init)
  }

  @Test func libcryptoIsLoadedOnDemand() throws {
    #expect(
      try Self.probe("on-demand") == [
        "after base32 and a comparison (true): not loaded", "after random bytes (done): loaded",
      ])
  }

  @Test func withoutLibcryptoOperationsFail() throws {
    #expect(
      try Self.probe("no-files") == [
        "files are forbidden: true", "random, random, authenticate, random",
        "opened: false, equal: true", "files are allowed: true",
        "before the next call: not loaded", "after random bytes (done): loaded",
      ])
  }

  @Test func fromManyThreadsAtOnce() async {
    await #expect(processExitsWith: .success) {
      // The test library does not record failures on foreign threads, so the threads return 1 for
      // success.
      let succeeded = testing_in_threads(32) { number in
        let key = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 20)
        do throws(CryptographyError) {
          var authentication = try HMAC(algorithm: .sha256, key: key.span)
          let first = try authentication.tag(of: key.span)
          var again = try HMAC(algorithm: .sha256, key: key.span)
          let second = try again.tag(of: key.span)
          return first.revealed == second.revealed ? 1 : 0
        } catch {
          return 0
        }
      }
      #expect(succeeded == 32)
    }
  }
}
