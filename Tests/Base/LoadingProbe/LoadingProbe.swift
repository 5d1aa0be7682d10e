import MFABase
import MFACSecretsTesting
import MFACrypto

/// A program that loads libcrypto for nothing but this project's own calls, and prints when it is loaded. The
/// tests themselves load libcrypto at their start, because libpq needs it.
///
///     mfa-loading-probe on-demand   calls that need no libcrypto, then one that does
///     mfa-loading-probe no-files    calls while no library can be loaded, then one when it can be
@main
enum LoadingProbe {
  static func main() {
    switch CommandLine.arguments.dropFirst().first {
    case "on-demand": onDemand()
    case "no-files": withoutFiles()
    default: print("usage: mfa-loading-probe on-demand | no-files")
    }
  }

  private static func show(_ title: String) {
    print("\(title): \(testing_libcrypto_is_mapped() == 1 ? "loaded" : "not loaded")")
  }

  private static func onDemand() {
    let key = SecretBytes(copying: [UInt8](repeating: 7, count: 20).span)
    let text = Base32.encode(key.span)
    let isSame = constantTimeEquals(text.span, text.span)
    show("after base32 and a comparison (\(isSame))")
    show(
      "after random bytes (\(failure { () throws(SystemError) in _ = try randomBytes(count: 1) }))"
    )
  }

  private static func withoutFiles() {
    let key = [UInt8](repeating: 7, count: 32)
    // No file can be opened, so no library can be loaded.
    print("files are forbidden: \(testing_allow_files(0) == 1)")
    let failures = [
      failure { () throws(SystemError) in _ = try randomBytes(count: 1) },
      failure { () throws(SystemError) in _ = try SecretBytes.random(count: 1) },
      failure { () throws(SystemError) in _ = try HMAC(algorithm: .sha1, key: key.span) },
      // Sealing first needs a nonce.
      failure { () throws(SystemError) in
        _ = try AES256GCM.seal(key.span, key: key.span, associated: key.span)
      },
    ]
    print(failures.joined(separator: ", "))
    let sealed = [UInt8](repeating: 0, count: 64)
    let isOpened = AES256GCM.open(sealed.span, key: key.span, associated: key.span) != nil
    print("opened: \(isOpened), equal: \(constantTimeEquals(key.span, key.span))")
    print("files are allowed: \(testing_allow_files(1) == 1)")
    show("before the next call")
    show(
      "after random bytes (\(failure { () throws(SystemError) in _ = try randomBytes(count: 1) }))"
    )
  }

  /// Returns the operation that failed, or `done`.
  private static func failure(_ body: () throws(SystemError) -> Void) -> String {
    do throws(SystemError) {
      try body()
      return "done"
    } catch {
      return "\(error.name)"
    }
  }
}
