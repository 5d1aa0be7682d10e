public import Factors

/// What has happened since a person was told last.
public struct News: Equatable, Sendable {
  /// Attempts that failed, and where the last one came from.
  public let untold: AttemptState.Untold
  /// What else happened, oldest first.
  public let notices: [Notice]

  /// Nothing happened.
  static var none: News { News(untold: AttemptState.Untold(), notices: []) }

  /// Puts the news together.
  public init(untold: AttemptState.Untold, notices: [Notice]) {
    self.untold = untold
    self.notices = notices
  }

  /// What `record` and `untold` hold that was not told.
  init(_ record: FactorRecord, _ untold: AttemptState.Untold) {
    self.init(
      untold: untold, notices: record.notices.filter { $0.number > untold.noticesTold })
  }

  /// Whether there is nothing to tell.
  public var isEmpty: Bool { untold.failures == 0 && notices.isEmpty }
}
