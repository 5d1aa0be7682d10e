import MFAAttempt
import MFABase
import MFAImport
import MFAStore
import MFAModel
import MFAWire

/// The stored state of one user, as reported to an administrator.
package struct UserReport: Equatable {
  /// The user's record, or the reason why the user has no usable record.
  package enum Content: Equatable {
    case usable(UserSummary)
    case unusable(RecordProblem)
    /// The user has no factor. `uid` is the account's UID.
    case notEnrolled(uid: UInt32)
  }

  /// The user's name, or the file's name if it is not that of a user's record.
  package let name: [UInt8]

  /// The user's record, or the reason why the user has no usable record.
  package let content: Content

  /// The id of the user's entry in the directory service, if a realm knows it.
  var directoryEntry: [UInt8]?

  /// Creates a report.
  init(name: [UInt8], content: Content) {
    self.name = name
    self.content = content
  }

  /// Creates a report of a usable record at `now`, in seconds since the epoch.
  init(_ snapshot: FactorSnapshot, _ throttle: ThrottlePolicy, now: Int64) {
    self.init(
      name: snapshot.record.user.bytes,
      content: .usable(UserSummary(snapshot, snapshot.attempts.standing(throttle, now: now))))
  }

  /// The user's name, or nil if the file is not that of a user's record.
  package var userName: UserName? { UserName(name) }

  /// The name, escaped for display.
  package var visibleName: String { VisibleText.escaping(name) }

  /// The standing in a few words: `open`, `throttled 28 s`, `locked`, `not enrolled`, or the
  /// problem with the record.
  package var standing: String {
    switch content {
    case .usable(let user):
      switch user.standing {
      case .open: "open"
      case .throttled(let seconds): "throttled \(seconds) s"
      case .locked: "locked"
      }
    case .unusable(let problem): problem.summary
    case .notEnrolled: "not enrolled"
    }
  }

  /// Whether the user is not enrolled or has a usable record.
  package var isUsable: Bool {
    switch content {
    case .usable, .notEnrolled: true
    case .unusable: false
    }
  }

  /// Whether the account no longer exists.
  package var isOrphaned: Bool { content == .unusable(.noSuchAccount) }

  /// The time of the latest enrolment of a factor, in seconds since the epoch.
  var newestEnrollment: Int64? {
    switch content {
    case .usable(let user): user.factors.map(\.summary.enrolledAt).max()
    case .unusable, .notEnrolled: nil
    }
  }

  // MARK: JSON

  /// The report as JSON. Member names are stable across versions.
  package var json: JSON {
    var (uid, problem) = (JSON.null, JSON.null)
    let standing: String
    var summary: UserSummary?
    switch content {
    case .usable(let user):
      summary = user
      uid = user.uid.map { .number(Int64($0)) } ?? .null
      standing = user.standing.word
    case .unusable(let found):
      standing = "unusable"
      problem = found.json
    case .notEnrolled(let known):
      standing = "not-enrolled"
      uid = .number(Int64(known))
    }
    func value(_ value: (UserSummary) -> JSON) -> JSON { summary.map(value) ?? .null }
    return .object([
      ("user", .string(String(decoding: name, as: UTF8.self))),
      ("uid", uid),
      ("standing", .string(standing)),
      ("waitSeconds", value { .number($0.standing.waitSeconds) }),
      ("wrongCodes", value { .number(Int64($0.failures.failures)) }),
      ("wrongCodesInOwnPrograms", value { .number(Int64($0.ownFailures.failures)) }),
      ("wrongCodesInDaemons", value { .number(Int64($0.daemonFailures.failures)) }),
      ("newestEnrollment", JSON(newestEnrollment.flatMap { Timestamp($0) }?.iso8601)),
      ("factors", value { .array($0.factors.map(\.json)) }),
      ("recoveryCodesLeft", value { .number(Int64($0.recoveryCodes)) }),
      ("grants", value { .number(Int64($0.grants.count)) }),
      ("rememberedSignIns", value { .number(Int64($0.remembered)) }),
      ("problem", problem),
    ])
  }
}

extension UserSummary.ListedFactor {
  /// The factor as JSON.
  fileprivate var json: JSON {
    let date = ("enrollmentDate", JSON(Timestamp(summary.enrolledAt)?.iso8601))
    let lastUsed = ("lastUsed", JSON(lastUse?.iso8601))
    return switch summary.kind {
    case .totp(let parameters):
      .object(
        summary.identityMembers + [
          ("factorID", .string("totp")), date,
          ("algorithm", .string("\(parameters.algorithm.name)")),
          ("digits", .number(Int64(parameters.codeLength.rawValue))),
          ("periodSeconds", .number(Int64(parameters.period))), lastUsed,
        ])
    case .phone(let number, let usableFrom):
      .object(
        summary.identityMembers + [
          ("factorID", .string("phone")), date,
          ("phoneNumber", .string(String(decoding: number.ascii, as: UTF8.self))),
          ("usableFrom", JSON(Timestamp(usableFrom)?.iso8601)), lastUsed,
        ])
    }
  }

  /// The number of seconds that `lastStep` counts.
  var stepLength: UInt16 {
    switch summary.kind {
    case .totp(let parameters): parameters.period
    case .phone: 1
    }
  }

  /// Until when no code of the factor is accepted, because one was while the clock was ahead; nil at other times.
  package func closedUntil(at now: Int64) -> Timestamp? {
    guard case .totp(let parameters) = summary.kind, let lastStep, lastStep < .max else {
      return nil
    }
    let latest =
      now / Int64(parameters.period) + Int64(ImportableFactor.maximumAdjacentIntervals)
    guard lastStep > latest else { return nil }
    return Timestamp(step: lastStep + 1, period: parameters.period)
  }

  /// The start of the time step of the last accepted code, or the time of a phone's last accepted
  /// code.
  var lastUse: Timestamp? { lastStep.flatMap { Timestamp(step: $0, period: stepLength) } }
}

extension FactorSummary {
  /// The factor's identity as JSON.
  var naming: JSON { .object(identityMembers) }

  /// The JSON members that identify the factor.
  var identityMembers: [(String, JSON)] {
    [
      ("id", .string("\(VisibleText(id))")),
      ("displayName", .string(String(decoding: displayName.utf8, as: UTF8.self))),
    ]
  }
}
