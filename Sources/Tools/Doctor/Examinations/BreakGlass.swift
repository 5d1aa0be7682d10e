import MFAAdmin
import MFABase
import MFAModel

/// Finds a break-glass code that cannot be used or can be read by other users, and reports one that is
/// prepared.
package enum BreakGlass: Examination {
  private static let path = "\(InstalledPath.breakGlass)"

  /// Returns the credential of a host, or nil if it is missing or cannot be used.
  package static func credential(on host: any ExaminedHost) -> BreakGlassCredential? {
    do throws(TrustedPath.Refusal) {
      return try host.text(of: path).flatMap { BreakGlassCredential($0) }
    } catch {
      return nil
    }
  }

  package static func findings(on snapshot: HostSnapshot) -> [Finding] {
    do throws(SystemError) {
      guard let status = try snapshot.host.status(of: path) else { return [] }
      guard status.owner == 0, status.permissions & 0o037 == 0 else {
        return [
          Finding(
            severity: .error, code: "break-glass-exposed", place: path,
            message:
              "has the hash of the break-glass code, and other users may read or change the file",
            hint: "chown root:mfa \(path) && chmod 0640 \(path), then make a new code: mfa-admin "
              + "break-glass USER")
        ]
      }
      guard let credential = credential(on: snapshot.host) else {
        return [
          Finding(
            severity: .error, code: "break-glass-unusable", place: path,
            message: "has no valid break-glass code, so the code of its users is refused",
            hint: "make a new code: mfa-admin break-glass USER")
        ]
      }
      let users = credential.users.map { VisibleText.escaping($0) }.joined(separator: ", ")
      return [
        Finding(
          severity: .note, code: "break-glass-prepared", place: path,
          message:
            "while the store cannot be used, these users sign in with the break-glass code in place "
            + "of a second factor: \(users)",
          hint: "keep the code where only they find it; mfa-admin break-glass --remove ends this")
      ]
    } catch {
      return [.unchecked("the break-glass code", at: path, error.text)]
    }
  }
}
