import MFACPOSIX
import MFAAttempt
import MFAModel
import MFABase

/// The user who decides about sign-ins: mfad and mfa-helper run as `mfa`, and cannot read all that root
/// can read.
///
/// MUST 1: a tool that predicts reads the configuration with this user's rights. A file that only root
/// can read denies every sign-in. (`EndToEnd.Served.unreadableFile`)
package enum DecidingUser {
  /// The name of the user and of the group.
  package static let name = "mfa"

  /// Reads files of the configuration with the rights of the user, in this thread. A process of another user than root
  /// reads with its own rights, as does root on a host without this user.
  package static func reading<Result>(
    _ body: () throws(ConfigurationError) -> Result
  ) throws(ConfigurationError) -> Result {
    guard geteuid() == 0 else { return try body() }
    let identity: (user: UInt32, group: UInt32)?
    do throws(SystemError) { identity = try Self.identity } catch {
      throw ConfigurationError(in: ConfigurationFile.folderPath, .system(error))
    }
    guard let identity else { return try body() }
    let groups = ownGroups
    // The rights of this thread alone: others may read records meanwhile.
    guard cposix_set_thread_groups(0, nil) == 0,
      cposix_set_thread_effective_group(identity.group) == 0,
      cposix_set_thread_effective_user(identity.user) == 0
    else {
      let number = cposix_errno()
      restore(groups)
      throw ConfigurationError(
        in: ConfigurationFile.folderPath, .system(SystemError(.identity, number: number)))
    }
    defer { restore(groups) }
    return try body()
  }

  /// Reads the host's configuration as the user does.
  package static func configuration() throws(ConfigurationError) -> Configuration {
    try reading { () throws(ConfigurationError) in try ConfigurationFile.read() }
  }

  /// The user's uid and the primary gid, or nil if the user does not exist.
  package static var identity: (user: UInt32, group: UInt32)? {
    get throws(SystemError) {
      let name = Array(name.utf8)
      guard let account = try Account.named(name),
        let group = try Account.primaryGroup(ofAccount: name)
      else { return nil }
      return (account.uid, group)
    }
  }

  private static var ownGroups: [gid_t] {
    var groups = [gid_t](repeating: 0, count: max(Int(getgroups(0, nil)), 0))
    // SAFETY: the call writes at most as many elements as the array has.
    let count = unsafe getgroups(Int32(groups.count), &groups)
    return Array(groups.prefix(max(Int(count), 0)))
  }

  /// Gives the thread the rights of root again. A process that cannot have them ends.
  private static func restore(_ groups: [gid_t]) {
    // SAFETY: the call reads as many elements as the array has.
    let isRestored =
      unsafe cposix_set_thread_effective_user(0) == 0
      && cposix_set_thread_effective_group(0) == 0
      && cposix_set_thread_groups(groups.count, groups) == 0
    if !isRestored { exit(1) }
  }
}
