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

/// The claim of a host that an entry of the directory service belongs to a name.
///
/// A host reports entries of its own users. An entry that another name has, or had, can be the other name's because
/// the user was renamed, or because a host lied about one of the two names. The rule is a pure function.
///
/// MUST 1: an entry that is or was another name's goes to a name only after a code of the other name's factors was
/// accepted, at a host that may enrol both names, and only if such a host has reported the entry of the other name.
/// (`EntryClaimTests.table`)
/// MUST 2: what a host reports about its users changes nothing for a name that the host may not enrol.
/// (`EntryClaimTests.table`, `DirectoryIdentityTests.takeover`)
struct EntryClaim {
  /// Whose the entry is or was.
  enum Holder: CaseIterable {
    /// No name has or had the entry.
    case nobody
    /// The name that claims it.
    case sameName
    /// Another name, which has factors.
    case otherName
    /// Another name, which has no factor any more.
    case formerName
  }

  /// Whose the entry is or was.
  var holder: Holder
  /// Whether the name has factors of its own.
  var nameHasFactors = false
  /// Whether the groups of the host permit the name.
  var permitsName: Bool
  /// Whether the groups of the host permit the other name.
  var permitsHolder = false
  /// Whether a host that may enrol both names has reported that the other name has the entry.
  var isConfirmed = false
  /// Whether a code of the other name's factors was accepted in this sign-in.
  var isProven = false

  /// What a verifier does with a claim.
  enum Decision: CaseIterable {
    /// The entry belongs to the name from now on, together with the factors of the other name.
    case bind
    /// The user is asked for a code of the other name's factors.
    case ask
    /// The host may not ask about both names: the sign-in is denied.
    case refuse
    /// The claim has no effect: the name keeps what it has, and the entry stays with the other name.
    case ignore
  }

  /// What a verifier does.
  var decision: Decision {
    switch holder {
    case .nobody, .sameName: return permitsName ? .bind : .refuse
    // Without factors, nobody can prove to be the holder. An administrator can release the entry.
    case .formerName: return .ignore
    case .otherName:
      guard isConfirmed, !nameHasFactors else { return .ignore }
      guard permitsName, permitsHolder else { return .refuse }
      return isProven ? .bind : .ask
    }
  }
}
