import MFAAdmin
import MFAPAMStack

/// Finds ways into a service on which nothing is proven but a code, and nothing at all by users who have
/// not enrolled.
package enum UnprovenFirstFactor: Examination {
  /// The code of the findings.
  package static let code = "first-factor-missing"

  package static func findings(on snapshot: HostSnapshot) -> [Finding] {
    snapshot.servicesWithModule.flatMap { service in
      service.isNamed("sshd") ? findings(service, snapshot.sshd) : findings(service)
    }
  }

  /// Returns the findings about a service that only calls PAM.
  package static func findings(_ service: ServiceWithModule) -> [Finding] {
    switch service.firstFactor {
    case .proven: return []
    case .uncertain(let entry): return [doubt(service, entry)].compactMap { $0 }
    case .missing:
      let who =
        service.admitsUnproven
        ? "users who have not enrolled get in without anything, and all others" : "users get in"
      return [
        Finding(
          severity: .error, code: code, services: [service.name], place: service.place,
          message: "\(who) with a code alone: no auth line that could deny verifies a password",
          hint: passwordHint)
      ]
    }
  }

  /// Returns the findings about the connections that a view of sshd's settings describes.
  static func findings(_ service: ServiceWithModule, _ sshd: SSHDView) -> [Finding] {
    sshd.findings { settings, description, place in
      let ways = service.ways(settings)
      let missing = ways.filter { $0.firstFactor == .missing }
      guard !missing.isEmpty else {
        return ways.compactMap { way in
          guard case .uncertain(let entry) = way.firstFactor else { return nil }
          return doubt(service, entry)
        }
      }
      let methods = missing.map { $0.methods.joined(separator: ",") }
      let unenrolled =
        missing.allSatisfy(\.deniesUnenrolled)
        ? "pam_mfa.so therefore denies users who have not enrolled, and users who have enrolled sign in "
          + "with a code alone"
        : "users who have enrolled sign in with a code alone"
      return [
        Finding(
          severity: .error, code: code, services: [service.name],
          place: place(["authenticationmethods"]),
          message: "no key and no password is required over ssh\(description): "
            + "\(VisibleText.escaping(methods.joined(separator: " or "))) is enough, and no auth line of "
            + "\(service.visibleName) verifies a password; \(unenrolled)",
          hint: SecureShellRemedy.hint(for: settings, service)
            ?? "\(passwordHint), or \(SecureShellRemedy.keyThenCode)")
      ]
    }
  }

  static let passwordHint =
    "put the lines that ask for the password above the pam_mfa.so line (EXAMPLES in man pam_mfa)"

  /// Returns the finding that a line might let users pass without proof, or nil if `BypassedModule`
  /// reports the line.
  private static func doubt(_ service: ServiceWithModule, _ entry: StackEntry) -> Finding? {
    let skipping = service.stepsWithoutCode(\.skipping).map { service.stack.entries[$0.index] }
    guard !skipping.contains(entry) else { return nil }
    let place = VisibleText.escaping(entry.position.text)
    guard ModuleKind(entry) == .unknown else {
      return Finding(
        severity: .warning, code: code, services: [service.name], place: place,
        message:
          "users whom this line lets pass need no password, only a code, and nothing if they have "
          + "not enrolled",
        hint:
          "if this is not intended, move the line below the lines that ask for the password, or "
          + "make it \"required\"")
    }
    return .unchecked(
      "whether \(service.visibleName) requires more than a code", at: place,
      "the module \(VisibleText.escaping(entry.moduleName)) is not known")
  }
}
