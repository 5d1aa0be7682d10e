import MFABase
import MFAWire

/// What files say about whether an account may be used now.
enum AccountStatusFiles {
  /// The longest file that is read, in bytes.
  private static var longest: Int { 65_536 }

  /// Returns why an account may not be used, or nil. A file that cannot be read refuses nothing: PAM
  /// decides.
  static func refusal(
    of account: Account, _ identities: PrivilegedProcess.Identities
  ) -> AccountRefusal? {
    let signs: [StaticString] = ["/run/nologin", "/etc/nologin"]
    if signs.contains(where: { Directory.mayExist($0.bytes) }) { return .noSignIns }
    let policy = policy()
    guard policy.isUsed, let name = FileName(account.name),
      let tally = PrivilegedProcess.asCaller(
        identities, { contents(of: name, in: ["run", "faillock"]) }), let tally
    else { return nil }
    let now: Int64
    do throws(SystemError) { now = try Clock.now() } catch { return nil }
    return FaillockTally(tally).isLocked(policy, at: now) ? .locked : nil
  }

  /// The settings of pam_faillock in faillock.conf and in the first of these service files that names the
  /// module, which is the one of sshd on most hosts.
  private static func policy() -> FaillockTally.Policy {
    var policy = FaillockTally.Policy()
    if let text = contents(of: "faillock.conf", in: ["etc", "security"]) {
      policy.apply(configuration: text)
    }
    let services: [StaticString] = [
      "sshd", "password-auth", "common-auth", "system-auth", "system-login", "login",
    ]
    for service in services where !policy.isUsed {
      if let text = contents(of: service, in: ["etc", "pam.d"]) { policy.apply(serviceFile: text) }
    }
    return policy
  }

  private static func contents(of name: StaticString, in folders: [StaticString]) -> [UInt8]? {
    FileName(name).flatMap { contents(of: $0, in: folders) }
  }

  /// Returns the content of a regular file, or nil if it cannot be read.
  private static func contents(of name: FileName, in folders: [StaticString]) -> [UInt8]? {
    do throws(SystemError) {
      var directory = try Directory.root()
      for folder in folders {
        guard let folder = FileName(folder) else { return nil }
        directory = try directory.directory(folder)
      }
      let file = try directory.fileForReading(name)
      guard try file.status().kind == .regular else { return nil }
      return try file.read(count: longest)
    } catch {
      return nil
    }
  }
}
