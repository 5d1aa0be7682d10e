import MFAAdmin
import MFABase
import MFADoctor

/// The programs that run for a sign-in.
extension SignInProgram {
  /// Returns whether a program handles sign-ins for a service.
  static func runs(_ program: String, for service: [UInt8]) -> Bool {
    entry(service)?.programs.contains(program) == true
  }

  /// Returns the path of a sign-in program whose file the kernel does not show: without CAP_SYS_PTRACE,
  /// as in many containers, the program of another process is hidden, but its name and its uids are not.
  /// `users` are the real, effective, saved and file-system uids.
  ///
  /// MUST 2: the name counts only for a process of root, as every user can choose the name of a process. A
  /// program that users start with root's rights keeps the real uid of the user. (`SignInProgramTests.names`)
  static func program(named name: String, users: [UInt32]) -> String? {
    guard users.count == 4, users[1] == 0, users[2] == 0 else { return nil }
    for entry in known where entry.isTool || users[0] == 0 {
      for program in entry.programs {
        // The kernel cuts names to 15 bytes.
        let own = program.split(separator: "/").last.map { String($0.prefix(15)) }
        if own == name { return program }
      }
    }
    return nil
  }

  /// A process from which a command descends.
  struct Ancestor: Equatable {
    let process: ServiceChange.Process
    /// The path of the program.
    let program: String
    /// The real uid.
    let user: UInt32
    /// The effective uid.
    let actingUser: UInt32
  }

  /// Returns the user who signed in through a service, or nil if the command does not come from a sign-in
  /// through it.
  static func user(of service: [UInt8], ancestors: [Ancestor]) -> UInt32? {
    guard let entry = entry(service),
      let own = ancestors.firstIndex(where: {
        entry.programs.contains($0.program) && $0.actingUser == 0
      })
    else { return nil }
    // A tool runs with the real uid of the user who starts it; a server starts a process of the user.
    return entry.isTool ? ancestors[own].user : own > 0 ? ancestors[own - 1].user : nil
  }

  /// Returns SSH_CONNECTION of the sign-in through sshd that the command comes from, or nil.
  static func connection(ancestors: [Ancestor]) -> String? {
    guard let entry = entry(Array(RunningServer.usualName.utf8)),
      let own = ancestors.firstIndex(where: { entry.programs.contains($0.program) }), own > 0
    else { return nil }
    let environment = ProcFile.text("/proc/\(ancestors[own - 1].process.number)/environ")
    return environment?.split(separator: "\0").first { $0.hasPrefix("SSH_CONNECTION=") }
      .map { String($0.dropFirst("SSH_CONNECTION=".count)) }
  }

  /// Returns the reason why a command does not come from a new sign-in through a service, or nil if
  /// it does.
  ///
  /// `ancestors` are the command's ancestors, parent first. `old` are the processes that ran the
  /// service's programs when the change was made.
  ///
  /// MUST 1: neither a sign-in that began before the change nor a sign-in without a prompt counts
  /// as new. (`SignInProgramTests`)
  static func obstacle(
    of service: [UInt8], ancestors: [Ancestor], old: [ServiceChange.Process]
  ) -> String? {
    guard let entry = entry(service) else { return "its sign-in program is unknown" }
    let name = String(decoding: service, as: UTF8.self)
    // Consider only processes with effective uid 0: the process that serves the session after the
    // sign-in has the user's uid.
    let own = ancestors.firstIndex { entry.programs.contains($0.program) && $0.actingUser == 0 }
    guard let own else { return "this command was not started from a sign-in through \(name)" }
    if old.contains(ancestors[own].process) {
      return "this sign-in through \(name) began before the change"
    }
    // The real uid is the uid of the user who started the tool.
    if entry.isTool, ancestors[own].user == 0 { return "\(name) does not ask root for a code" }
    return nil
  }
}

/// Finds out whether an application lets a user in without asking PAM to authenticate, so that a sign-in
/// through it says nothing about its stack. What cannot be found out counts as such a sign-in for sudo.
enum SilentSignIn {
  private static let asUser = "/usr/bin/setpriv"
  private static let sudo = "/usr/bin/sudo"

  /// Returns the reason why a new sign-in through a service did not run its `auth` lines, or nil if it
  /// did. `connection` is SSH_CONNECTION of a session of sshd.
  static func reason(_ service: [UInt8], user: UInt32, connection: String?) -> String? {
    guard let account = account(user) else { return nil }
    let name = VisibleText.escaping(account.name)
    switch String(decoding: service, as: UTF8.self) {
    case "sudo", "sudo-i":
      do throws(AdminError) {
        return try runsWithoutAsking(account)
          ? "sudo asks \(name) for nothing (NOPASSWD?), so this sign-in did not use the new lines"
          : nil
      } catch {
        return "cannot find out whether sudo asks \(name) for anything: \(error.reason)"
      }
    case "sshd":
      let host = LocalExaminedHost()
      let user = String(decoding: account.name, as: UTF8.self)
      guard let settings = SSHDSettings.inForce(for: user, at: connection, on: host) else {
        return nil
      }
      if settings.openLists().contains(where: { !SSHDSettings.asksPAM($0) }) {
        return
          "sshd accepts a key of \(name) alone, so this sign-in may not have used the new lines"
      }
      guard settings.service == "sshd" else {
        return
          "sshd uses the PAM service \(VisibleText.escaping(settings.service)) for \(name), so this sign-in did "
          + "not use the new lines"
      }
      return nil
    case _: return nil
    }
  }

  private static func account(_ user: UInt32) -> Account? {
    do throws(SystemError) { return try Account.with(uid: user) } catch { return nil }
  }

  /// Returns whether sudo runs this program for a user without asking, apart from cached credentials.
  private static func runsWithoutAsking(_ account: Account) throws(AdminError) -> Bool {
    let group = try AdminError.at("/etc/passwd") { () throws(SystemError) in
      try Account.primaryGroup(ofAccount: account.name)
    }
    guard let group else { return false }
    return try ChildProgram(arguments: [
      asUser, "--reuid=\(account.uid)", "--regid=\(group)", "--init-groups", "--", sudo, "-k", "-n",
      RollbackWatcher.program, "--version",
    ]).run().isSuccess
  }
}
