import MFABase
import MFARealm

/// What the hosts of a group may ask.
///
/// The groups of a user are not among the conditions: they are what the host says.
struct HostGroup: Equatable, Sendable {
  /// The name.
  let name: [UInt8]
  /// The users whom the hosts may ask about; nil for all users.
  var users: [[UInt8]]?
  /// The services for which the hosts may ask; nil for all services.
  var services: [[UInt8]]?
  /// Whether users may enrol, and change their factors, at the hosts.
  var mayEnroll = false
  /// Whether administrators on the hosts act on the realm.
  var mayAdminister = false
  /// Whether administrators on the hosts may import users of the group.
  var mayImport = false
  /// The number of failed attempts that each host may cause in an hour.
  var failuresHourly: UInt32 = 100

  /// How users may sign in at the hosts while no verifier answers.
  var offline: OfflineMethods = []
  /// For how long after a sign-in with a code a host may decide about a user, in days.
  var offlineDays: Int64 = 7
  /// For how long a sign-in is remembered while no verifier answers, in hours.
  var offlineHours: Int64 = 12
  /// The number of entries in the audit log that each host may cause in an hour by its reports.
  var offlineRecordsHourly: UInt32 = 500
  /// The section `[users NAME]` with the users who are allowed without a code while no verifier answers.
  var breakGlass: [UInt8]?

  init(name: [UInt8]) { self.name = name }

  /// Returns whether a host of the group may ask about a user for a service.
  func allows(_ user: [UInt8], _ service: [UInt8]) -> Bool {
    includes(user) && services?.contains(service) ?? true
  }

  /// Returns whether a user is one of the group's.
  func includes(_ user: [UInt8]) -> Bool { users?.contains(user) ?? true }
}

/// What a host may ask: the permissions of all its groups together.
struct HostPermissions: Sendable {
  private let groups: [HostGroup]

  init(_ groups: [HostGroup]) { self.groups = groups }

  func allows(_ user: [UInt8], _ service: [UInt8]) -> Bool {
    groups.contains { $0.allows(user, service) }
  }

  /// Returns whether the host may ask about a user for any service.
  func includes(_ user: [UInt8]) -> Bool { groups.contains { $0.includes(user) } }

  /// Returns whether the user may enrol at the host.
  func allowsEnrollment(of user: [UInt8]) -> Bool {
    groups.contains { $0.mayEnroll && $0.includes(user) }
  }

  /// Returns whether the host may import the user.
  func allowsImport(of user: [UInt8]) -> Bool {
    groups.contains { $0.mayImport && $0.includes(user) }
  }

  /// Whether administrators on the host act on the realm.
  var mayAdminister: Bool { groups.contains(where: \.mayAdminister) }

  /// The number of failed attempts that the host may cause in an hour.
  var failuresHourly: UInt32 { groups.map(\.failuresHourly).max() ?? 0 }
}

/// A group of users of the realm. Its members are named here, and not by the hosts.
struct UserGroup: Equatable, Sendable {
  /// The members.
  var members: [[UInt8]] = []
  /// How the members may sign in while no verifier answers, if the group of the host permits it too.
  var offline: OfflineMethods = .all
}
