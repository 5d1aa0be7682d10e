import MFACrypto
import MFAModel
import MFAStore
import MFAWire

/// What is stored for one user, as far as reports to administrators show it. A verifier sends a summary to a host.
///
/// MUST 1: a summary contains no secret and no digest, sealed or not. (`UserSummaryTests.noSecrets`)
package struct UserSummary: Equatable, Sendable {
  /// A factor.
  package struct ListedFactor: Equatable, Sendable {
    /// The data that the user may see.
    package var summary: FactorSummary
    /// How the factor was added.
    package var origin: Factor.Origin
    /// The length of the secret in bytes; 0 for a phone.
    package var keyLength: UInt8
    /// The last time step whose code was accepted, or the time for a phone, in seconds since the epoch. At first this is
    /// the code that confirmed the enrolment. Nil if the state was lost.
    package var lastStep: Int64?

    /// Whether the factor is a phone.
    package var isPhone: Bool {
      switch summary.kind {
      case .phone: true
      case .totp: false
      }
    }

    /// Creates a value.
    package init(
      summary: FactorSummary, origin: Factor.Origin, keyLength: UInt8, lastStep: Int64?
    ) {
      self.summary = summary
      self.origin = origin
      self.keyLength = keyLength
      self.lastStep = lastStep
    }
  }

  /// The user's name.
  package var user: UserName
  /// The user ID of the record; nil in a realm, whose hosts may use different user IDs.
  package let uid: UInt32?
  /// The throttling state of sign-ins.
  package var standing: AttemptState.Standing
  /// The factors; empty for a user who only has grants.
  package var factors: [ListedFactor] = []
  /// The number of recovery codes.
  package var recoveryCodes: UInt8 = 0
  /// The number of imported recovery codes, which are among `recoveryCodes`.
  package var importedRecoveryCodes: UInt8 = 0
  /// The tickets and bypass codes, whose digests are zeros.
  package var grants: [Grant] = []
  /// The failed attempts at sign-ins.
  package var failures = FailureCount()
  /// The failed attempts in the user's own programs.
  package var ownFailures = FailureCount()
  /// The failed attempts in daemons that do not act as root.
  package var daemonFailures = FailureCount()
  /// The number of recent turns after a wait, and how many of them the source took that took most.
  package var turns: UInt8 = 0
  package var turnsOfOneSource: UInt8 = 0
  /// The number of remembered sign-ins.
  package var remembered: UInt16 = 0
  /// The time of the last remembered sign-in, in seconds since the epoch; 0 for none.
  package var lastRemembered: Int64 = 0

  /// Whether the user has a factor.
  package var isEnrolled: Bool { !factors.isEmpty }

  /// Creates a summary without factors.
  package init(user: UserName, uid: UInt32?, standing: AttemptState.Standing) {
    self.user = user
    self.uid = uid
    self.standing = standing
  }

  /// Creates a summary of what is stored.
  package init(_ snapshot: FactorSnapshot, _ standing: AttemptState.Standing) {
    let (record, attempts) = (snapshot.record, snapshot.attempts)
    self.init(
      user: record.user, uid: record.uid == .max ? nil : record.uid, standing: standing)
    factors = record.factors.map { factor in
      ListedFactor(
        summary: FactorSummary(factor), origin: factor.origin, keyLength: Self.keyLength(factor),
        lastStep: attempts.watermark(of: factor.id))
    }
    recoveryCodes = UInt8(clamping: record.recoveryCodes.count)
    for code in record.recoveryCodes where code.kind == .imported { importedRecoveryCodes &+= 1 }
    grants = record.grants.map { $0.withoutDigest }
    failures = attempts.count(of: .signIn)
    ownFailures = attempts.count(of: .ownProcess)
    daemonFailures = attempts.count(of: .daemon)
    let sources = attempts.recentTurns.sources
    turns = UInt8(clamping: sources.count)
    for source in sources {
      var count: UInt8 = 0
      for other in sources where other == source { count &+= 1 }
      turnsOfOneSource = max(turnsOfOneSource, count)
    }
    let entries = attempts.remembered.entries
    remembered = UInt16(clamping: entries.count)
    for entry in entries { lastRemembered = max(lastRemembered, entry.time) }
  }

  /// Returns the length of a factor's secret, which is that of the sealed secret without the nonce and the tag.
  private static func keyLength(_ factor: Factor) -> UInt8 {
    guard case .totp(_, let sealed) = factor.kind else { return 0 }
    return UInt8(clamping: sealed.count &- AES256GCM.nonceLength &- AES256GCM.tagLength)
  }
}
