public import Factors

/// The pending failures and notices, which are shown to the user at a sign-in.
public struct News: Equatable, Sendable {
  /// The number of failed attempts, and the source of the last one.
  public let untold: AttemptState.Untold
  /// The pending notices, oldest first.
  public let notices: [Notice]
  /// What happens to the notices once they are shown.
  public let ending: Ending

  /// What happens to pending notices that this sign-in shows.
  public enum Ending: Sendable {
    /// The notices are not shown again.
    case told
    /// The notices are shown again unless the user confirms having read them.
    case asks
    /// The notices are shown again, because one of them is about the factor that signed in.
    case stays
  }

  /// No failures and no notices.
  static var none: News { News(untold: AttemptState.Untold(), notices: [], ending: .stays) }

  /// Creates a value from its parts.
  public init(untold: AttemptState.Untold, notices: [Notice], ending: Ending) {
    self.untold = untold
    self.notices = notices
    self.ending = ending
  }

  /// Collects what is pending in `record` for a sign-in by `factor`. A sign-in by a recovery code
  /// or a bypass code passes nil and confirms nothing.
  ///
  /// `isShown` is whether text certainly reaches the user's screen.
  init(_ record: FactorRecord, _ untold: AttemptState.Untold, factor: FactorID?, isShown: Bool) {
    let notices = record.notices(after: untold.noticesTold)
    let mayConfirm = factor.map { record.mayConfirm(after: untold.noticesTold, with: $0) } ?? false
    self.init(
      untold: untold, notices: notices,
      ending: mayConfirm ? Self.ending(notices, isShown) : .stays)
  }

  /// Returns what happens to notices that this sign-in may confirm.
  static func ending(_ notices: [Notice], _ isShown: Bool) -> Ending {
    isShown || !notices.contains { $0.subject.needsConfirmation } ? .told : .asks
  }

  /// Whether there is nothing to show.
  public var isEmpty: Bool { untold.failures == 0 && notices.isEmpty }
}
