import MFABase

/// The settings of sshd on which the end of a sign-in depends, for a connection that no `Match` line
/// matches.
///
/// sshd itself is not asked: `sshd -T` loads the host keys, which the resident service cannot read.
/// Doctor compares with `sshd -T`.
package struct SecureShellConfiguration: Equatable, Sendable {
  /// How many seconds sshd allows for a sign-in (LoginGraceTime), or nil if there is no limit.
  package internal(set) var graceTime: Int64? = 120
  /// The method lists of AuthenticationMethods, or nil if one method is enough.
  var methodLists: [[UInt8]]?
  /// Whether the methods that need no PAM conversation are enabled.
  var offersPublicKeys = true
  var offersHostKeys = false
  var offersTickets = false
  /// Whether all files were read and no `Match` line concerns the methods.
  package internal(set) var isCertain = true

  /// Creates the settings of an empty configuration, which are sshd's defaults.
  package init() {}

  /// Creates settings that another process determined, of which only these two are known. They are
  /// certain only if another method is left.
  package init(graceTime: Int64?, leavesOtherMethod: Bool) {
    self.graceTime = graceTime
    isCertain = leavesOtherMethod
  }

  /// The settings if no file can be read.
  package static var unknown: SecureShellConfiguration {
    var settings = SecureShellConfiguration()
    settings.isCertain = false
    return settings
  }

  /// Whether sshd certainly offers a client another method after it has withdrawn
  /// keyboard-interactive and password authentication.
  ///
  /// sshd withdraws both after PAM_MAXTRIES. If that leaves no method, OpenSSH's client takes the
  /// empty list for a server that does not tell its methods, and asks for passwords that cannot
  /// succeed (authmethod_get in sshconnect2.c).
  package var leavesOtherMethod: Bool {
    guard isCertain else { return false }
    guard let methodLists else { return offersPublicKeys || offersHostKeys || offersTickets }
    return methodLists.contains { list in
      if Self.begins(list, "publickey") { return offersPublicKeys }
      if Self.begins(list, "hostbased") { return offersHostKeys }
      return Self.begins(list, "gssapi-with-mic") && offersTickets
    }
  }

  /// Returns whether a list of methods begins with this method.
  private static func begins(_ list: [UInt8], _ method: StaticString) -> Bool {
    let name = list.prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: ":") }
    return Array(name) == method.bytes
  }
}
