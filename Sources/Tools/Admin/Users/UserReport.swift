import MFABase
import MFAStore
import MFAModel

/// The stored state of one user, as reported to an administrator.
package struct UserReport: Equatable {
  /// The user's record, or the reason why the user has no usable record.
  package enum Content: Equatable {
    case usable(FactorSnapshot, AttemptState.Standing)
    case unusable(RecordProblem)
    /// The user has no factor. `uid` is the account's UID.
    case notEnrolled(uid: UInt32)
  }

  /// The user's name, or the file's name if it is not that of a user's record.
  package let name: [UInt8]

  /// The user's record, or the reason why the user has no usable record.
  package let content: Content

  /// Creates a report.
  init(name: [UInt8], content: Content) {
    self.name = name
    self.content = content
  }

  /// Creates a report of a usable record at `now`, in seconds since the epoch.
  init(_ snapshot: FactorSnapshot, _ throttle: ThrottlePolicy, now: Int64) {
    self.init(
      name: snapshot.record.user.bytes,
      content: .usable(snapshot, snapshot.attempts.standing(throttle, now: now)))
  }

  /// The user's name, or nil if the file is not that of a user's record.
  package var userName: UserName? { UserName(name) }

  /// The name, escaped for display.
  package var visibleName: String { VisibleText.escaping(name) }

  /// The standing in a few words: `open`, `throttled 28 s`, `locked`, `not enrolled`, or the
  /// problem with the record.
  package var standing: String {
    switch content {
    case .usable(_, .open): "open"
    case .usable(_, .throttled(let seconds)): "throttled \(seconds) s"
    case .usable(_, .locked): "locked"
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
    case .usable(let snapshot, _): snapshot.record.factors.map(\.enrolledAt).max()
    case .unusable, .notEnrolled: nil
    }
  }

  // MARK: JSON

  /// Returns the UID of a record, or null for one of a realm, whose hosts may use different UIDs.
  private static func uid(_ record: FactorRecord) -> JSON {
    record.uid == .max ? .null : .number(Int64(record.uid))
  }

  /// The report as JSON. Member names are stable across versions.
  package var json: JSON {
    switch content {
    case .usable(let snapshot, let standing):
      return .object([
        ("user", .string(String(decoding: name, as: UTF8.self))),
        ("uid", Self.uid(snapshot.record)),
        ("standing", .string(standing.word)),
        ("waitSeconds", .number(standing.waitSeconds)),
        ("wrongCodes", .number(Int64(snapshot.attempts.failures))),
        ("wrongCodesInOwnPrograms", .number(Int64(snapshot.attempts.ownProcessFailures.failures))),
        ("newestEnrollment", JSON(newestEnrollment.flatMap { Timestamp($0) }?.iso8601)),
        ("factors", .array(snapshot.record.factors.map { Self.json($0, snapshot.attempts) })),
        ("recoveryCodesLeft", .number(Int64(snapshot.record.recoveryCodes.count))),
        ("grants", .number(Int64(snapshot.record.grants.count))),
        ("rememberedSignIns", .number(Int64(snapshot.attempts.remembered.entries.count))),
        ("problem", .null),
      ])
    case .unusable(let problem):
      return absent(
        uid: .null, standing: "unusable",
        problem: problem.json)
    case .notEnrolled(let uid):
      return absent(uid: .number(Int64(uid)), standing: "not-enrolled", problem: .null)
    }
  }

  private func absent(uid: JSON, standing: String, problem: JSON) -> JSON {
    .object([
      ("user", .string(String(decoding: name, as: UTF8.self))),
      ("uid", uid),
      ("standing", .string(standing)),
      ("waitSeconds", .null),
      ("wrongCodes", .null),
      ("wrongCodesInOwnPrograms", .null),
      ("newestEnrollment", .null),
      ("factors", .null),
      ("recoveryCodesLeft", .null),
      ("grants", .null),
      ("rememberedSignIns", .null),
      ("problem", problem),
    ])
  }

  private static func json(_ factor: Factor, _ attempts: AttemptState) -> JSON {
    let date = ("enrollmentDate", JSON(Timestamp(factor.enrolledAt)?.iso8601))
    let lastUsed = ("lastUsed", JSON(attempts.lastUse(of: factor)?.iso8601))
    return switch factor.kind {
    case .totp(let parameters, _):
      .object(
        factor.identityMembers + [
          ("factorID", .string("totp")), date,
          ("algorithm", .string("\(parameters.algorithm.name)")),
          ("digits", .number(Int64(parameters.codeLength.rawValue))),
          ("periodSeconds", .number(Int64(parameters.period))), lastUsed,
        ])
    case .phone(let number, let usableFrom, _):
      .object(
        factor.identityMembers + [
          ("factorID", .string("phone")), date,
          ("phoneNumber", .string(String(decoding: number.ascii, as: UTF8.self))),
          ("usableFrom", JSON(Timestamp(usableFrom)?.iso8601)), lastUsed,
        ])
    }
  }
}

extension AttemptState {
  /// Returns the start of the time step of the factor's last accepted code, or the time of a phone's
  /// last accepted code. This is at first the code that confirmed the enrolment.
  func lastUse(of factor: Factor) -> Timestamp? {
    guard let step = watermark(of: factor.id) else { return nil }
    guard let period = factor.parameters?.period else { return Timestamp(step) }
    return Timestamp(step: step, period: period)
  }
}

extension Factor {
  /// The number of seconds that a step of the factor's watermark stands for.
  var stepLength: Int64 { parameters.map { Int64($0.period) } ?? 1 }

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
