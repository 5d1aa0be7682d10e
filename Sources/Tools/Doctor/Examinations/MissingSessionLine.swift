import MFAAdmin
import MFAPAMStack

/// Finds stacks of sshd whose session type does not call the module.
enum MissingSessionLine: Examination {
  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    guard let service = snapshot.sshdService, !hasLine(service.name, snapshot) else { return [] }
    return [
      Finding(
        severity: .note, code: "no-session-line", services: [service.name], place: service.place,
        message: "users see failed codes and changes of their devices at each kind of sign-in, and "
          + "those that scp or a command hid are not shown again",
        hint: "add \"session optional pam_mfa.so\" to the file of the service")
    ]
  }

  /// Returns whether the session stack calls the module. A stack that cannot be read is another
  /// finding.
  private static func hasLine(_ service: [UInt8], _ snapshot: HostSnapshot) -> Bool {
    do throws(StackRefusal) {
      return try ServiceStack(.session, of: service, from: snapshot.host.stacks).entries
        .contains(where: \.callsModule)
    } catch {
      return true
    }
  }
}
