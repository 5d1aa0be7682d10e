public import Factors

/// What happened since the user was told last.
public struct News: Equatable, Sendable {
  /// Failed attempts, and where the last one came from.
  public let untold: AttemptState.Untold
  /// The pending notices, oldest first.
  public let notices: [Notice]
  /// What becomes of them once they are shown.
  public let ending: Ending

  /// What becomes of pending notices that this sign-in shows.
  public enum Ending: Sendable {
    /// They are not shown again.
    case told
    /// They are shown again unless the user answers that they read them.
    case asks
    /// They are shown again: one of them is about the very factor that signed in.
    case stays
  }

  /// Nothing happened.
  static var none: News { News(untold: AttemptState.Untold(), notices: [], ending: .stays) }

  /// Puts the news together.
  public init(untold: AttemptState.Untold, notices: [Notice], ending: Ending) {
    self.untold = untold
    self.notices = notices
    self.ending = ending
  }

  /// Returns what is pending in `record`, for a sign-in by `factor`. A sign-in by a recovery code or a
  /// bypass code passes nil, and confirms nothing.
  ///
  /// `isShown` tells whether text reaches the user's screen for certain.
  init(_ record: FactorRecord, _ untold: AttemptState.Untold, factor: FactorID?, isShown: Bool) {
    let notices = record.notices(after: untold.noticesTold)
    let mayConfirm = factor.map { record.mayConfirm(after: untold.noticesTold, with: $0) } ?? false
    self.init(
      untold: untold, notices: notices,
      ending: mayConfirm ? Self.ending(notices, isShown) : .stays)
  }

  /// What becomes of notices that this sign-in may confirm.
  static func ending(_ notices: [Notice], _ isShown: Bool) -> Ending {
    isShown || !notices.contains { $0.subject.needsConfirmation } ? .told : .asks
  }

  /// Whether there is nothing to tell.
  public var isEmpty: Bool { untold.failures == 0 && notices.isEmpty }
}
