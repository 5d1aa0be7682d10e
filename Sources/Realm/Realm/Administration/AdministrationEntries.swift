import MFAAttempt

/// A user of a realm, without secrets.
package struct AdministeredRealmUser: Equatable, Sendable {
  /// The name of the user.
  package var name: [UInt8]
  /// What the realm has about the user, or why that cannot be used.
  package var content: Content
  /// The fingerprint of the record in the audit log; empty if the record cannot be used.
  package var fingerprint: [UInt8]
  /// The id of the user's entry in the directory service; empty if none is known.
  package var directoryEntry: [UInt8]

  /// What the realm has about a user.
  package enum Content: Equatable, Sendable {
    case usable(UserSummary)
    /// The record cannot be used, for this reason: the part, a colon and the reason.
    case unusable([UInt8])
  }

  /// Creates a value.
  package init(
    name: [UInt8], _ content: Content, fingerprint: [UInt8] = [], directoryEntry: [UInt8] = []
  ) {
    self.name = name
    self.content = content
    self.fingerprint = fingerprint
    self.directoryEntry = directoryEntry
  }

  /// The length of the encoded value in bytes, at most.
  package var encodedLength: Int {
    let size: Int =
      switch content {
      case .unusable(let problem): problem.count
      case .usable(let summary):
        // The fields of fixed length, then those of each factor and each grant.
        64 + summary.user.bytes.count
          + summary.factors.map { 96 + $0.summary.displayName.utf8.count }.reduce(0, +)
          + summary.grants.map { 32 + ($0.reason?.utf8.count ?? 0) }.reduce(0, +)
      }
    return 16 + name.count + size + fingerprint.count + directoryEntry.count
  }
}

/// A host of a realm.
package struct AdministeredHost: Equatable, Sendable {
  /// The name.
  package var name: [UInt8]
  /// The groups, at most 16.
  package var groups: [[UInt8]]
  /// The time at which the host joined, in seconds since the epoch.
  package var joinedAt: Int64
  /// The time at which the host was revoked, in seconds since the epoch; 0 if it is admitted.
  package var revokedAt: Int64
  /// The version of the relay that asked last; empty if unknown.
  package var version: [UInt8]
  /// The hour in which the host was seen last, in seconds since the epoch; 0 if unknown.
  package var seenAt: Int64
  /// The end of the last certificate that was issued to the host, in seconds since the epoch; 0 if unknown.
  package var certificateEnd: Int64
  /// The failed attempts that the host caused in this hour.
  package var failures: UInt32
  /// The failed attempts that the host may cause in an hour.
  package var mostFailures: UInt32

  /// Creates a value about a host that was not seen yet.
  package init(name: [UInt8], groups: [[UInt8]], joinedAt: Int64, revokedAt: Int64) {
    self.name = name
    self.groups = groups
    self.joinedAt = joinedAt
    self.revokedAt = revokedAt
    version = []
    seenAt = 0
    certificateEnd = 0
    failures = 0
    mostFailures = 0
  }
}

/// A verifier of a realm.
package struct AdministeredVerifier: Equatable, Sendable {
  /// The name by which the verifier's certificate names it first.
  package var name: [UInt8]
  /// The version of its programs.
  package var version: [UInt8]
  /// The hour in which it was seen last, in seconds since the epoch.
  package var seenAt: Int64

  /// Creates a value.
  package init(name: [UInt8], version: [UInt8], seenAt: Int64) {
    self.name = name
    self.version = version
    self.seenAt = seenAt
  }
}

/// The state of a realm and its database.
package struct AdministeredRealm: Equatable, Sendable {
  /// The verifiers.
  package var verifiers: [AdministeredVerifier]
  /// The epoch.
  package var epoch: UInt64
  /// The time at which the epoch began, in seconds since the epoch of Unix.
  package var fence: Int64
  /// The name or address of the primary database server; empty if the engine does not tell.
  package var primary: [UInt8]
  /// The standbys or other members, as the engine describes each one.
  package var members: [[UInt8]]
  /// The largest replication lag in bytes, or nil if the engine does not tell.
  package var lag: UInt64?

  /// Creates a value.
  package init(
    verifiers: [AdministeredVerifier], epoch: UInt64, fence: Int64, primary: [UInt8],
    members: [[UInt8]], lag: UInt64?
  ) {
    self.verifiers = verifiers
    self.epoch = epoch
    self.fence = fence
    self.primary = primary
    self.members = members
    self.lag = lag
  }
}

/// What a verifier says about itself.
package struct VerifierInspection: Equatable, Sendable {
  /// The version of the verifier.
  package var version: [UInt8]
  /// Whether the host may administer the realm.
  package var isAdministering: Bool
  /// What the database lacks, one sentence each; empty if nothing is missing. The sentences are sent only to a
  /// host that may administer the realm.
  package var findings: [[UInt8]]
  /// The end of the certificate of the host, in seconds since the epoch; 0 if unknown.
  package var certificateEnd: Int64

  /// Creates a value.
  package init(
    version: [UInt8], isAdministering: Bool, findings: [[UInt8]], certificateEnd: Int64
  ) {
    self.certificateEnd = certificateEnd
    self.version = version
    self.isAdministering = isAdministering
    self.findings = findings
  }
}

/// A line of the audit log of a realm.
package struct AdministeredLogLine: Equatable, Sendable {
  /// The number of the line.
  package var number: UInt32
  /// The line without its line feed.
  package var text: [UInt8]
  /// The checkpoint, such as `17:9f2c0a1b`; empty if the line was changed, or does not follow the line before
  /// it.
  package var checkpoint: [UInt8]

  /// Creates a value.
  package init(number: UInt32, text: [UInt8], checkpoint: [UInt8]) {
    self.number = number
    self.text = text
    self.checkpoint = checkpoint
  }
}
