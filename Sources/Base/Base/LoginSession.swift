/// The user's session that this process belongs to, as systemd-logind describes it.
///
/// The file is the one that sd_session_get_remote_host(3) reads. It belongs to root, and pam_systemd has its
/// remote host from sshd. The environment, such as SSH_CONNECTION, belongs to the user and proves nothing.
package enum LoginSession {
  /// The kernel's file with the number of the session, which pam_loginuid begins.
  private static var number: StaticString { "/proc/self/sessionid" }
  /// The folder in which systemd-logind keeps a file for each session, under the same number.
  private static var folder: StaticString { "/run/systemd/sessions/" }

  /// Returns the address or the name of the client that the session of a user was opened from. Returns nil
  /// if the session has no client or belongs to another user, or if systemd-logind does not run.
  package static func remoteHost(of user: UInt32) -> [UInt8]? {
    guard let id = File.contents(at: number.bytes, atMost: 16), !id.isEmpty,
      id.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let description = File.contents(at: folder.bytes + id, atMost: 65_536)
    else { return nil }
    return remoteHost(in: description, of: user)
  }

  /// Returns the remote host in the description of a session, if the session belongs to the user.
  package static func remoteHost(in description: [UInt8], of user: UInt32) -> [UInt8]? {
    guard value(of: "UID=", in: description) == bytes(of: decimal(Int64(user))),
      let host = value(of: "REMOTE_HOST=", in: description), !host.isEmpty
    else { return nil }
    return host
  }

  private static func value(of name: StaticString, in description: [UInt8]) -> [UInt8]? {
    for line in description.split(separator: UInt8(ascii: "\n"))
    where line.starts(with: name.bytes) {
      return Array(line.dropFirst(name.bytes.count))
    }
    return nil
  }
}
