import MFABase

extension Settings {
  /// How long users may postpone the enrolment of a second factor: for a number of sign-ins, until
  /// a day, or until either limit is reached.
  package struct Offer: Equatable, Sendable {
    /// The number of sign-ins allowed without a factor, 1 to 1000; nil for no limit.
    package let signIns: UInt16?
    /// The first second after the last day, in seconds since 1970-01-01 00:00 UTC; nil for no
    /// limit.
    package let until: Int64?

    /// Whether a number or a day ends the offer.
    package var ends: Bool { signIns != nil || until != nil }

    /// The last day on which enrolment may be postponed, in UTC in the form `2027-01-31`; nil for
    /// no limit.
    package var lastDay: [UInt8]? {
      guard let until else { return nil }
      return CalendarDay(end: until)?.text
    }

    /// Returns whether a user without a factor may sign in at `now`, in seconds since 1970-01-01
    /// 00:00 UTC, after `signInsMade` other sign-ins without one. An offer that never ends does not
    /// allow it.
    package func allowsPostponing(afterSignIns signInsMade: UInt32, now: Int64) -> Bool {
      if let signIns, signInsMade >= UInt32(signIns) { return false }
      if let until, now >= until { return false }
      return ends
    }
  }
}
