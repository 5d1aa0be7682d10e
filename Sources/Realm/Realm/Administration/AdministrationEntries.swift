/// A user of a realm, without secrets.
package struct AdministeredRealmUser: Equatable, Sendable {
  /// The name of the user.
  package var name: [UInt8]
  /// The binary form of the user's record, in which each secret and digest is replaced with zeros; empty if
  /// the user has none, or if it cannot be used.
  package var record: [UInt8]
  /// The binary form of the attempt state, without remembered places and typed codes, and without the zeros at
  /// its end. Empty with `record`.
  package var attempts: [UInt8]
  /// The fingerprint of the record in the audit log; empty with `record`.
  package var fingerprint: [UInt8]
  /// Why the record cannot be used: the part, a colon and the reason. Empty if it can be used.
  package var problem: [UInt8]

  /// Creates a value.
  package init(
    name: [UInt8], record: [UInt8] = [], attempts: [UInt8] = [], fingerprint: [UInt8] = [],
    problem: [UInt8] = []
  ) {
    self.name = name
    self.record = record
    self.attempts = attempts
    self.fingerprint = fingerprint
    self.problem = problem
  }
}

/// The rules of a realm that a report about its users depends on.
package struct AdministeredRealmRules: Equatable, Sendable {
  /// The time of the verifier, in seconds since the epoch.
  package var time: Int64
  /// The failures after which the first wait begins.
  package var waitsAfter: UInt32
  /// The first wait in seconds.
  package var firstWait: Int64
  /// The longest wait in seconds.
  package var longestWait: Int64
  /// The failures after which the factors are locked.
  package var locksAfter: UInt32
  /// The number of time steps before and after the present one that are accepted.
  package var adjacentIntervals: UInt8

  /// Creates a value.
  package init(
    time: Int64, waitsAfter: UInt32, firstWait: Int64, longestWait: Int64, locksAfter: UInt32,
    adjacentIntervals: UInt8
  ) {
    self.time = time
    self.waitsAfter = waitsAfter
    self.firstWait = firstWait
    self.longestWait = longestWait
    self.locksAfter = locksAfter
    self.adjacentIntervals = adjacentIntervals
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
