import MFAAdmin

/// The programs that handle sign-ins.
package enum SignInProgram {
  /// The known programs with their PAM services. `isTool` marks programs that a signed-in user
  /// runs and that do not ask root for a code.
  package static let known: [(services: [String], programs: [String], isTool: Bool)] = [
    (
      ["sshd"],
      ["/usr/sbin/sshd", "/usr/lib/openssh/sshd-session", "/usr/libexec/openssh/sshd-session"],
      false
    ),
    (["login", "remote"], ["/usr/bin/login", "/bin/login"], false),
    (["su", "su-l"], ["/usr/bin/su", "/bin/su"], true),
    (["sudo", "sudo-i"], ["/usr/bin/sudo"], true),
    (
      ["gdm-password"],
      ["/usr/libexec/gdm-session-worker", "/usr/lib/gdm3/gdm-session-worker"], false
    ),
    (["lightdm"], ["/usr/sbin/lightdm"], false),
    (["sddm"], ["/usr/lib/x86_64-linux-gnu/sddm/sddm-helper", "/usr/libexec/sddm-helper"], false),
  ]

  /// Returns whether a sign-in through a service can be recognised, so that it can confirm a change.
  package static func isKnown(_ service: [UInt8]) -> Bool { entry(service) != nil }

  /// Returns the entry of a service.
  package static func entry(
    _ service: [UInt8]
  ) -> (services: [String], programs: [String], isTool: Bool)? {
    known.first { $0.services.contains(String(decoding: service, as: UTF8.self)) }
  }

  /// Returns the command that enables a service.
  static func enable(_ service: [UInt8]) -> String {
    "mfa-admin enable " + (isKnown(service) ? "" : "--no-confirm ")
      + (PAMProgram.with(service: service) == nil ? "--fields " : "")
      + VisibleText.escaping(service)
  }
}
