import MFABase

/// The files in PAM's folders that only other service files include, as Debian, Fedora, SUSE and
/// Arch name them. No program signs users in with these names.
///
/// The default service `other` is not one of them: libpam uses it for services without a file.
package enum IncludedServiceFile {
  private static var names: [StaticString] {
    [
      "system-auth", "password-auth", "smartcard-auth", "fingerprint-auth", "postlogin",
      "config-util", "system-login", "system-local-login", "system-remote-login",
      "system-services",
    ]
  }

  /// Returns whether only other service files include the file with this name.
  package static func contains(_ name: [UInt8]) -> Bool {
    name.starts(with: Word.bytes("common-")) || names.contains { name == $0.bytes }
  }
}
