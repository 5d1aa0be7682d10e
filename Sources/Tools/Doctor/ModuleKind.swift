import MFABase
import MFAPAMStack

/// What kind of module a line calls, by the module's name.
package enum ModuleKind: Equatable {
  /// pam_mfa.so.
  case code
  /// A module that asks for the password of the account, or uses the one entered before.
  case password
  /// A module that asks for another authenticator, such as a key or a fingerprint.
  case otherAuthenticator
  /// A module that checks a condition that an administrator set, and authenticates no user.
  case condition
  /// pam_rootok.so, which succeeds if the caller is root.
  case caller
  /// pam_deny.so, or pam_faillock.so with `authfail`, which always fail.
  case denial
  /// pam_permit.so, which always succeeds.
  case permission
  /// A module that prepares the session or logs, and authenticates no user.
  case preparation
  /// A module that is not known.
  case unknown

  /// Determines the kind of a line's module.
  package init(_ entry: StackEntry) {
    if entry.asks(module: "pam_ccreds.so"), Self.arguments(entry).contains("action=validate") {
      self = .password
    } else if entry.asks(module: "pam_faillock.so"), Self.arguments(entry).contains("authfail") {
      self = .denial
    } else {
      self = entry.moduleFile.flatMap { Self.kinds[$0] } ?? .unknown
    }
  }

  /// The arguments of the line's module.
  static func arguments(_ entry: StackEntry) -> [String] {
    guard case .module(_, let arguments, _) = entry.kind else { return [] }
    return arguments.map { String(decoding: $0, as: UTF8.self) }
  }

  /// The kinds of modules by their file names.
  private static let kinds: [[UInt8]: ModuleKind] = Dictionary(
    uniqueKeysWithValues: names.flatMap { names in names.modules.map { ($0.bytes, names.kind) } })

  private static let names: [(kind: ModuleKind, modules: [StaticString])] = [
    (.code, ["pam_mfa.so"]),
    (.password, PasswordModule.fileNames),
    (.denial, ["pam_deny.so"]),
    (.permission, ["pam_permit.so"]),
    (.caller, ["pam_rootok.so"]),
    (.condition, BystanderModule.conditions + ["pam_exec.so", "pam_rhosts.so"]),
    (
      .otherAuthenticator,
      [
        "pam_fprintd.so", "pam_u2f.so", "pam_pkcs11.so", "pam_p11.so", "pam_sss_gss.so",
        "pam_google_authenticator.so", "pam_oath.so", "pam_duo.so", "pam_yubico.so",
        "pam_ssh_agent_auth.so", "pam_ssh.so", "pam_usb.so", "pam_howdy.so", "pam_radius_auth.so",
        "pam_otpw.so", "pam_poldi.so", "pam_userdb.so", "pam_tacplus.so", "pam_opie.so",
        "pam_biometric.so", "pam_kanidm.so", "pam_python.so",
      ]
    ),
    (.preparation, BystanderModule.preparations),
  ]
}

extension StackEntry {
  /// The file name of the entry's module, without its folder; empty for a substack.
  package var moduleName: [UInt8] {
    guard case .module(let name, _, _) = kind else { return [] }
    return Array(name.split(separator: UInt8(ascii: "/")).last ?? [])
  }
}
