import MFAAdmin
import MFABase

/// Checks that the resident service answers, on a host where it is installed as a unit.
enum ResidentService: Examination {
  private static let unit = "/usr/lib/systemd/system/mfad.socket"
  private static let manager = "/run/systemd/system"
  private static let start = "systemctl enable --now mfad.socket mfad-users.socket"

  static func findings(on snapshot: HostSnapshot) -> [Finding] {
    // On a host of a realm, the relay listens there.
    guard snapshot.host.realmStatus() == .none else { return [] }
    let place = "\(InstalledPath.residentRootSocket)"
    switch snapshot.host.residentStatus() {
    case .answers: return []
    case .stopped:
      guard exists(unit, snapshot), exists(manager, snapshot) else { return [] }
      return [
        Finding(
          severity: .note, code: "resident-service-stopped", place: place,
          message:
            "the resident service does not run: mfa-helper is started for each request, which takes "
            + "longer, and applications in a sandbox with no_new_privs deny every sign-in",
          hint: "to start it: \(start)")
      ]
    case .silent:
      return [
        Finding(
          severity: .warning, code: "resident-service-silent", place: place,
          message:
            "the resident service does not answer: each sign-in waits a minute and is then denied",
          hint: "see why: systemctl status mfad.service; then: systemctl restart mfad.service")
      ]
    case .untrusted(let owner):
      return [
        Finding(
          severity: .warning, code: "resident-service-untrusted", place: place,
          message:
            "uid \(owner) listens on the socket of the resident service: sign-ins are denied",
          hint: "find the program: ss --listening --packet --processes; then remove \(place) and: "
            + start)
      ]
    case .unknown(let reason):
      return [.unchecked("whether the resident service answers", at: place, reason)]
    }
  }

  private static func exists(_ path: String, _ snapshot: HostSnapshot) -> Bool {
    do throws(SystemError) { return try snapshot.host.status(of: path) != nil } catch {
      return false
    }
  }
}
