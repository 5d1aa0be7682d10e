import MFAAdmin
import MFABase

/// Finds services whose programs do not pass a question for a code on to the user.
enum UnsuitablePrograms: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    snapshot.servicesWithModule.compactMap { service in
      guard let program = PAMProgram.with(service: service.name) else { return nil }
      if let finding = unnamed(program, service, snapshot) { return finding }
      let name = service.visibleName
      switch program.behaviour {
      case .cannotAsk(let reason, _):
        return Finding(
          severity: .error, code: "program-cannot-ask", services: [service.name],
          place: service.place, message: "\(program.name) cannot ask for a code: \(reason)",
          hint:
            "take the lines of pam_mfa.so out of this file (mfa-admin disable \(name), if it wrote them)"
        )
      case .asks where service.asksBeyondOneField:
        return Finding(
          severity: .error, code: "one-field", services: [service.name], place: service.place,
          message:
            "\(name) has one field, and gives each question the same answer: users who have enrolled cannot "
            + "sign in",
          hint: service.hasOwnLine
            ? "take the lines of pam_mfa.so out of this file (mfa-admin disable \(name), if it wrote them), then: "
              + "mfa-admin enable --no-confirm \(name)" : OneField.hint(service.name))
      case .asks, .authenticatesNoUser: return nil
      }
    }
  }

  /// Returns the finding about a program that does not act as root and that policy does not name.
  private static func unnamed(
    _ program: PAMProgram, _ service: ServiceWithModule, _ snapshot: HostSnapshot
  ) -> Finding? {
    guard let policy = snapshot.configuration(of: service) else { return nil }
    do throws(AdminError) {
      guard
        let user = try program.unnamedUser(at: service.name, under: policy, on: snapshot.host)
      else { return nil }
      return Finding(
        severity: .error, code: "daemon-unnamed", services: [service.name], place: service.place,
        message: program.reason(unnamed: user) + ": nobody can sign in",
        hint: PAMProgram.hint(unnamed: user, at: service.name))
    } catch {
      return .unchecked("which user runs \(program.name)", error)
    }
  }
}

/// Programs with one field whose files include that of a program that asks each question.
package enum OneField {
  /// What to do for a service.
  package static func hint(_ service: [UInt8]) -> String {
    "in \(InstalledPath.services)/\(VisibleText.escaping(service)), replace the line that includes the other file by "
      + "\"auth required pam_mfa.so forward_pass\" and the lines that ask for the password"
  }
}

/// Finds ProFTPD with settings that let /etc/shadow decide after PAM has refused a user.
enum PasswordAfterRefusal: SingleExamination {
  static func finding(on snapshot: HostSnapshot) throws(AdminError) -> Finding? {
    guard let service = snapshot.servicesWithModule.first(where: { $0.visibleName == "proftpd" }),
      try ProFTPD.letsPasswordDecide(on: snapshot.host)
    else { return nil }
    return Finding(
      severity: .error, code: "password-decides", services: [service.name], place: ProFTPD.path,
      message: "the password alone signs users in: \(ProFTPD.reason)", hint: ProFTPD.hint)
  }
}

/// The settings of ProFTPD (mod_auth.c and mod_auth_pam.c of ProFTPD 1.3.8).
package enum ProFTPD {
  static let path = "/etc/proftpd/proftpd.conf"

  /// Why the password alone is enough.
  package static let reason =
    "after a refusal of PAM, ProFTPD asks mod_auth_unix, unless AuthOrder says that PAM decides"
  /// What to do.
  package static let hint = "add \"AuthOrder mod_auth_pam.c*\" to \(path), and restart proftpd"

  /// Returns whether a refusal of PAM is not the end of a sign-in.
  package static func letsPasswordDecide(on host: any ExaminedHost) throws(AdminError) -> Bool {
    guard let text = try host.text(of: path) else { return true }
    let orders = text.split(separator: UInt8(ascii: "\n")).map {
      String(decoding: $0, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    }.filter { $0.first?.lowercased() == "authorder" }
    // Each server of the file can have an order of its own.
    return orders.isEmpty || !orders.allSatisfy { $0.dropFirst().first == "mod_auth_pam.c*" }
  }
}
