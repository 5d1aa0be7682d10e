extension Settings {
  /// How long a person who is offered a second factor may put off enrolling one: up to a number of
  /// sign-ins, up to a day, or up to whichever of the two comes first.
  public struct Offer: Equatable, Sendable {
    /// How many sign-ins may be made without a factor.
    public static var signInsRange: ClosedRange<UInt16> { 0...1000 }

    /// How many sign-ins may be made without a factor, 1 to 1000; nil where no number ends it.
    public let signIns: UInt16?
    /// The first second after the last day, in seconds since 1970-01-01 00:00 UTC; nil where no day
    /// ends it.
    public let until: Int64?

    /// Whether anything ends it.
    public var ends: Bool { signIns != nil || until != nil }

    /// The last day on which enrolling may be put off, in UTC and as `2027-01-31`; nil where no day
    /// ends it.
    public var lastDay: [UInt8]? {
      guard let until else { return nil }
      return CalendarDay(end: until)?.text
    }

    /// Whether a sign-in may be made at `now`, in seconds since 1970-01-01 00:00 UTC, without a
    /// factor and after `signInsMade` others without one. An offer that nothing ends is none.
    public func allowsPuttingOff(afterSignIns signInsMade: UInt32, now: Int64) -> Bool {
      if let signIns, signInsMade >= UInt32(signIns) { return false }
      if let until, now >= until { return false }
      return ends
    }
  }
}
