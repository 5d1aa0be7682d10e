import MFAAttempt
import MFABase
import MFAModel
import MFAWire

/// A user of a realm, without secrets.
package struct AdministeredRealmUser: EncodedValue, Equatable, Sendable {
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

  /// A value whose fields are read next.
  package static var placeholder: AdministeredRealmUser {
    AdministeredRealmUser(name: [], .unusable([]))
  }

  /// Reads or writes each field.
  package mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.bytes(&name)
    try coder.form(&content, of: [.usable(.placeholder), .unusable([])])
    switch content {
    case .usable(var summary):
      try coder.constant(1)
      try summary.fields(&coder)
      content = .usable(summary)
    case .unusable(var problem):
      try coder.constant(2)
      try coder.bytes(&problem)
      content = .unusable(problem)
    }
    try coder.bytes(&fingerprint)
    try coder.bytes(&directoryEntry)
  }
}

/// A host of a realm.
package struct AdministeredHost: EncodedValue, Equatable, Sendable {
  /// The name.
  package var name: [UInt8]
  /// The groups, at most 16.
  package var groups: [[UInt8]]
  /// The time at which the host joined, in seconds since the epoch.
  package var joinedAt: Int64
  /// The time at which the host was revoked, in seconds since the epoch; 0 if it is admitted.
  package var revokedAt: Int64
  /// The version of the relay that asked last; empty if unknown.
  package var version: [UInt8] = []
  /// The hour in which the host was seen last, in seconds since the epoch; 0 if unknown.
  package var seenAt: Int64 = 0
  /// The end of the last certificate that was issued to the host, in seconds since the epoch; 0 if unknown.
  package var certificateEnd: Int64 = 0
  /// The failed attempts that the host caused in this hour.
  package var failures: UInt32 = 0
  /// The failed attempts that the host may cause in an hour.
  package var mostFailures: UInt32 = 0

  /// Creates a value about a host that was not seen yet.
  package init(name: [UInt8], groups: [[UInt8]], joinedAt: Int64, revokedAt: Int64) {
    self.name = name
    self.groups = groups
    self.joinedAt = joinedAt
    self.revokedAt = revokedAt
  }

  /// A value whose fields are read next.
  package static var placeholder: AdministeredHost {
    AdministeredHost(name: [], groups: [], joinedAt: 0, revokedAt: 0)
  }

  /// Reads or writes each field.
  package mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.bytes(&name)
    try coder.longList(&groups, most: AdministrationReply.mostElements)
    try coder.number(&joinedAt)
    try coder.number(&revokedAt)
    try coder.bytes(&version)
    try coder.number(&seenAt)
    try coder.number(&certificateEnd)
    try coder.number(&failures)
    try coder.number(&mostFailures)
  }
}

/// A verifier of a realm.
package struct AdministeredVerifier: EncodedValue, Equatable, Sendable {
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

  /// A value whose fields are read next.
  package static var placeholder: AdministeredVerifier {
    AdministeredVerifier(name: [], version: [], seenAt: 0)
  }

  /// Reads or writes each field.
  package mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.bytes(&name)
    try coder.bytes(&version)
    try coder.number(&seenAt)
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

  /// A value whose fields are read next.
  static var placeholder: AdministeredRealm {
    AdministeredRealm(verifiers: [], epoch: 0, fence: 0, primary: [], members: [], lag: nil)
  }

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    let most = AdministrationReply.mostElements
    try coder.values(&verifiers, most: most)
    try coder.number(&epoch)
    try coder.number(&fence)
    try coder.bytes(&primary)
    try coder.longList(&members, most: most)
    try coder.number(&lag)
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

  /// A value whose fields are read next.
  static var placeholder: VerifierInspection {
    VerifierInspection(version: [], isAdministering: false, findings: [], certificateEnd: 0)
  }

  mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.bytes(&version)
    try coder.flag(&isAdministering)
    try coder.longList(&findings, most: AdministrationReply.mostElements)
    try coder.number(&certificateEnd)
  }
}

/// A line of the audit log of a realm.
package struct AdministeredLogLine: EncodedValue, Equatable, Sendable {
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

  /// A value whose fields are read next.
  package static var placeholder: AdministeredLogLine {
    AdministeredLogLine(number: 0, text: [], checkpoint: [])
  }

  /// Reads or writes each field.
  package mutating func fields(_ coder: inout Coder) throws(PacketError) {
    try coder.number(&number)
    try coder.bytes(&text)
    try coder.bytes(&checkpoint)
  }
}
