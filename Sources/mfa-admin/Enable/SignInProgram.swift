/// The programs that sign people in.
enum SignInProgram {
  /// Each with the services that it asks PAM for, and whether it is a tool that a person starts: root
  /// is not asked by one.
  private static let known: [(services: [String], programs: [String], isTool: Bool)] = [
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

  /// Whether a sign-in by this service can be told from others.
  static func isKnown(_ service: [UInt8]) -> Bool { entry(service) != nil }

  /// Whether a process runs a program of this service's.
  static func runs(_ program: String, for service: [UInt8]) -> Bool {
    entry(service)?.programs.contains(program) == true
  }

  private static func entry(
    _ service: [UInt8]
  ) -> (services: [String], programs: [String], isTool: Bool)? {
    known.first { $0.services.contains(String(decoding: service, as: UTF8.self)) }
  }

  /// A process that a command comes from.
  struct Ancestor: Equatable {
    let process: ServiceChange.Process
    /// The program, as a path.
    let program: String
    /// Whose process it is, by the real identity.
    let user: UInt32
    /// As whom it acts, the effective one.
    let actingUser: UInt32
  }

  /// Why a command is no new sign-in by a service; nil where it is.
  ///
  /// `ancestors` are the processes that it comes from, the nearest first, and `old` those that ran the
  /// service's programs when the change was put in place.
  ///
  /// MUST 1: a sign-in that began before the change is never taken for new, and neither is one at which
  /// nobody is asked. (`SignInProgramTests`)
  static func obstacle(
    of service: [UInt8], ancestors: [Ancestor], old: [ServiceChange.Process]
  ) -> String? {
    guard let entry = entry(service) else { return "its programs are not known" }
    let name = String(decoding: service, as: UTF8.self)
    // As root: what serves the person after the sign-in acts as the person.
    let own = ancestors.firstIndex { entry.programs.contains($0.program) && $0.actingUser == 0 }
    guard let own else { return "this command was not started by way of \(name)" }
    if old.contains(ancestors[own].process) {
      return "this sign-in by \(name) began before the change"
    }
    // The real identity is that of whoever started it.
    if entry.isTool, ancestors[own].user == 0 { return "\(name) asks root for nothing" }
    return nil
  }
}
