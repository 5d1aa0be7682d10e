import MFABytes
import MFACrypto
import MFASecrets
import MFACSecretsTesting
import Testing

/// libcrypto is loaded by the first call that needs it, or that call fails. Each test runs in a
/// separate process, because the library is loaded only once.
@Suite struct LoadingTests {
  @Test func libcryptoIsLoadedOnDemand() async {
    await #expect(processExitsWith: .success) {
      let key = SecretBytes(copying: [UInt8](repeating: 7, count: 20).span)
      let text = Base32.encode(key.span)
      #expect(decoded(text.revealed) == key.revealed)
      #expect(areEqual(key.revealed, key.revealed))
      #expect(constantTimeMask(1, equals: 1) == .max)
      let before = try libcryptoIsLoaded()
      #expect(!before)

      _ = try randomBytes(count: 1)
      let after = try libcryptoIsLoaded()
      #expect(after)
    }
  }

  @Test func withoutLibcryptoOperationsFail() async {
    await #expect(processExitsWith: .success) {
      let key = [UInt8](repeating: 7, count: 32)
      // No file can be opened, so no library can be loaded.
      #expect(testing_allow_files(0) == 1)
      let operations = [
        failure { () throws(CryptographyError) in _ = try randomBytes(count: 1) },
        failure { () throws(CryptographyError) in _ = try SecretBytes.random(count: 1) },
        failure { () throws(CryptographyError) in _ = try HMAC(algorithm: .sha1, key: key.span) },
        failure { () throws(CryptographyError) in
          _ = try AES256GCM.seal(key.span, key: key.span, associated: key.span)
        },
      ]
      // Sealing first needs a nonce.
      #expect(operations == [.random, .random, .authenticate, .random])
      let sealed = [UInt8](repeating: 0, count: 64)
      let isOpened = AES256GCM.open(sealed.span, key: key.span, associated: key.span) != nil
      #expect(!isOpened)
      #expect(areEqual(key, key))

      // The next call tries to load the library again.
      #expect(testing_allow_files(1) == 1)
      let before = try libcryptoIsLoaded()
      #expect(!before)
      let bytes = try randomBytes(count: 20)
      #expect(bytes.contains { $0 != 0 })
      let after = try libcryptoIsLoaded()
      #expect(after)
    }
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
