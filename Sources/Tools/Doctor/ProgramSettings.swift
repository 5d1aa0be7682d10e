import MFAAdmin
import MFABase

// What the settings of programs change about PAM's questions and answers.

/// The settings of ProFTPD (mod_auth.c and mod_auth_pam.c of ProFTPD 1.3.8).
enum ProFTPD {
  static let name = "ProFTPD"
  private static let path = "/etc/proftpd/proftpd.conf"

  /// Returns why the password alone signs users in, or nil if a refusal of PAM is the end of a sign-in.
  static func passwordAlone(on host: any ExaminedHost) throws(AdminError) -> PasswordAlone? {
    guard !letsPAMDecide(try host.text(of: path) ?? []) else { return nil }
    return PasswordAlone(
      settings: path,
      reason:
        "after a refusal of PAM, ProFTPD asks mod_auth_unix, unless AuthOrder says that PAM decides",
      hint: "add \"AuthOrder mod_auth_pam.c*\" to \(path), and restart proftpd")
  }

  private static func letsPAMDecide(_ text: [UInt8]) -> Bool {
    let orders = text.split(separator: UInt8(ascii: "\n")).map {
      String(decoding: $0, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    }.filter { $0.first?.lowercased() == "authorder" }
    // Each server of the file can have an order of its own.
    return !orders.isEmpty && orders.allSatisfy { $0.dropFirst().first == "mod_auth_pam.c*" }
  }
}
