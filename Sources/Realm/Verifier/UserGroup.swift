import MFARealm

/// A group of users of the realm. Its members are named here, and not by the hosts.
struct UserGroup: Equatable, Sendable {
  /// The members.
  var members: [[UInt8]] = []
  /// How the members may sign in while no verifier answers, if the group of the host permits it too.
  var offline: OfflineMethods = .all
}
