import FactorStore
import Factors
import OneTimePassword

/// What there is to say about one user.
struct UserReport: Equatable {
  /// What was found.
  enum Content: Equatable {
    case usable(FactorSnapshot, AttemptState.Standing)
    case unusable(Trouble)
    /// There is no factor; the account's numeric identity.
    case notEnrolled(uid: UInt32)
  }

  /// The user's name, or the file's where it is none that the store would give.
  let name: [UInt8]

  /// What was found.
  let content: Content

  /// A report of what was found.
  init(name: [UInt8], content: Content) {
    self.name = name
    self.content = content
  }

  /// A report of what can be used, at `now` in seconds since the epoch.
  init(_ snapshot: FactorSnapshot, _ throttle: ThrottlePolicy, now: Int64) {
    self.init(
      name: snapshot.record.user.bytes,
      content: .usable(snapshot, snapshot.attempts.standing(throttle, now: now)))
  }

  /// The user; nil where the file is none of a user's.
  var userName: UserName? { UserName(name) }

  /// The name as it may be shown.
  var visibleName: String { VisibleText.escaping(name) }

  /// The state in a few words: `ok`, `waiting 28 s`, `disabled`, or what is wrong.
  var state: String {
    switch content {
    case .usable(_, .open): "ok"
    case .usable(_, .waiting(let seconds)): "waiting \(seconds) s"
    case .usable(_, .disabled): "disabled"
    case .unusable(let trouble): trouble.summary
    case .notEnrolled: "not enrolled"
    }
  }

  /// Whether what is stored can be used.
  var isUsable: Bool {
    switch content {
    case .usable, .notEnrolled: true
    case .unusable: false
    }
  }

  /// When the last factor was enrolled, in seconds since the epoch.
  var newestEnrollment: Int64? {
    switch content {
    case .usable(let snapshot, _): snapshot.record.factors.map(\.enrolledAt).max()
    case .unusable, .notEnrolled: nil
    }
  }

  // MARK: JSON

  /// The report for programs. Names of members stay the same from version to version.
  var json: JSON {
    switch content {
    case .usable(let snapshot, let standing):
      return .object([
        ("user", .string(String(decoding: name, as: UTF8.self))),
        ("uid", .number(Int64(snapshot.record.uid))),
        ("state", .string(standing.word)),
        ("waitSeconds", .number(standing.waitSeconds)),
        ("wrongCodes", .number(Int64(snapshot.attempts.failures))),
        ("wrongCodesInOwnPrograms", .number(Int64(snapshot.attempts.ownChecks.failures))),
        ("newestEnrollment", JSON(newestEnrollment.flatMap { Timestamp($0) }?.iso8601)),
        ("factors", .array(snapshot.record.factors.map { Self.json($0, snapshot.attempts) })),
        ("recoveryCodesLeft", .number(Int64(snapshot.record.recoveryCodes.count))),
        ("grants", .number(Int64(snapshot.record.grants.count))),
        ("rememberedPlaces", .number(Int64(snapshot.attempts.remembered.entries.count))),
        ("problem", .null),
      ])
    case .unusable(let trouble):
      return absent(
        uid: .null, state: "unusable",
        problem: .object([
          ("part", .string(trouble.part)), ("reason", .string(trouble.code)),
          ("message", .string(trouble.sentence)),
        ]))
    case .notEnrolled(let uid):
      return absent(uid: .number(Int64(uid)), state: "not-enrolled", problem: .null)
    }
  }

  private func absent(uid: JSON, state: String, problem: JSON) -> JSON {
    .object([
      ("user", .string(String(decoding: name, as: UTF8.self))),
      ("uid", uid),
      ("state", .string(state)),
      ("waitSeconds", .null),
      ("wrongCodes", .null),
      ("wrongCodesInOwnPrograms", .null),
      ("newestEnrollment", .null),
      ("factors", .null),
      ("recoveryCodesLeft", .null),
      ("grants", .null),
      ("rememberedPlaces", .null),
      ("problem", problem),
    ])
  }

  private static func json(_ factor: Factor, _ attempts: AttemptState) -> JSON {
    .object(
      factor.namingMembers + [
        ("factorID", .string("totp")),
        ("enrollmentDate", JSON(Timestamp(factor.enrolledAt)?.iso8601)),
        ("algorithm", .string("\(factor.parameters.algorithm.name)")),
        ("digits", .number(Int64(factor.parameters.codeLength.rawValue))),
        ("periodSeconds", .number(Int64(factor.parameters.period))),
        ("lastUsed", JSON(attempts.lastUse(of: factor)?.iso8601)),
      ])
  }
}

extension AttemptState {
  /// The beginning of the last step of a factor's whose code was accepted; at first the one that
  /// confirmed the enrolment.
  func lastUse(of factor: Factor) -> Timestamp? {
    watermarks.first { $0.factor == factor.id }
      .flatMap { Timestamp(step: $0.step, period: factor.parameters.period) }
  }
}

extension Factor {
  /// Which factor it is, for programs.
  var naming: JSON { .object(namingMembers) }

  /// The members that tell which factor it is.
  var namingMembers: [(String, JSON)] {
    [
      ("id", .string("\(VisibleText(id))")),
      ("displayName", .string(String(decoding: displayName.utf8, as: UTF8.self))),
    ]
  }
}
