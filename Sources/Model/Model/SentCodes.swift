import MFABase

/// The codes that were sent to the phones of one user: when, and which of them may still be used.
///
/// MUST 1: at most one code may be used, until it is accepted, until another one is sent, or for
/// `lifetime`. (`SentCodesTests.oneCode`, `.expires`)
/// MUST 2: no sequence of requests and no change of the clock exceeds the limits.
/// (`SentCodesTests.limits`, `.clockSetBack`)
package struct SentCodes: Equatable, Sendable {
  /// A code that may be used.
  package struct Usable: Equatable, Sendable {
    /// The factor with the phone that the code was sent to.
    package let factor: FactorID
    /// The first eight bytes of a keyed digest of the code, which is bound to the user's record, the
    /// factor and the sign-in that requested the code.
    package let digest: UInt64
    /// The id of the message, which the gateway knows too.
    package let message: UInt64

    /// Creates a value.
    package init(factor: FactorID, digest: UInt64, message: UInt64) {
      self.factor = factor
      self.digest = digest
      self.message = message
    }
  }

  /// When codes were sent, in seconds since the epoch, oldest first: the last `maximumTimes`.
  package private(set) var times: [UInt32] = []

  /// The last code that was sent, unless it has been used or was sent to confirm a number.
  package private(set) var last: Usable?

  /// When the user got `last`, in seconds since the epoch.
  private var lastTime: UInt32 = 0

  /// How long a code may be used, in seconds (NIST SP 800-63B-4, section 3.1.3.2, allows 10
  /// minutes).
  package static var lifetime: Int64 { 600 }

  /// The number of times that are kept.
  package static var maximumTimes: Int { Int(UserSendLimits.dayRange.upperBound) }

  /// Creates a value for a user to whom no code was sent.
  package init() {}

  /// Whether nothing is stored.
  package var isEmpty: Bool { times.isEmpty && last == nil }

  /// Returns the code that may be used at `now`, in seconds since the epoch.
  package func usable(at now: Int64) -> Usable? {
    guard let last else { return nil }
    let (age, overflow) = now.subtractingReportingOverflow(Int64(lastTime))
    return !overflow && age >= 0 && age < Self.lifetime ? last : nil
  }

  /// Returns how many seconds pass until another code may be sent; 0 if it may be sent at `now`, in
  /// seconds since the epoch. A time in the future counts as `now`.
  package func wait(_ limits: UserSendLimits, at now: Int64) -> Int64 {
    var wait: Int64 = 0
    for (count, seconds) in [
      (1, limits.interval), (Int(limits.perTenMinutes), 600), (Int(limits.perDay), 86_400),
    ] {
      guard count >= 1, count <= times.count else { continue }
      let (age, overflow) = now.subtractingReportingOverflow(Int64(times[times.count &- count]))
      wait = max(wait, seconds &- (overflow ? 0 : min(max(age, 0), seconds)))
    }
    return wait
  }

  /// Records that a code is sent at `now`, in seconds since the epoch. It replaces the code before
  /// it. A code that confirms a number is not `usable` at sign-ins.
  package mutating func add(_ code: Usable?, at now: Int64) {
    if times.count >= Self.maximumTimes { times.removeFirst() }
    times.append(max(UInt32(clamping: now), times.last ?? 0))
    last = code
    lastTime = code == nil ? 0 : times.last ?? 0
  }

  /// Records that the user may use a code at `now` that was not sent, because it is that of a test number.
  /// It replaces the code before it, and counts for no limit.
  mutating func offer(_ code: Usable, at now: Int64) {
    last = code
    lastTime = UInt32(clamping: now)
  }

  /// Removes the times in the future of `now`, which were recorded while the clock was ahead and would
  /// delay further codes until then. The code that was sent last is void.
  package mutating func removeFuture(_ now: Int64) {
    guard Int64(max(times.last ?? 0, lastTime)) > now else { return }
    times = times.filter { Int64($0) <= now }
    removeCode()
  }

  /// Removes the code, because it or another one was accepted.
  package mutating func removeCode() {
    last = nil
    lastTime = 0
  }

  // MARK: Binary form

  func encode(to writer: inout ByteWriter) {
    writer.write(UInt8(truncatingIfNeeded: times.count))
    for time in times { writer.write(time) }
    writer.write(last == nil ? 0 : 1 as UInt8)
    guard let last else { return }
    writer.write(last.factor.bytes)
    writer.write(last.digest)
    writer.write(last.message)
    writer.write(lastTime)
  }

  /// Parses the binary form. Returns nil if it is invalid.
  init?(_ reader: inout ByteReader) {
    guard let count = reader.read(UInt8.self), count <= Self.maximumTimes else { return nil }
    for _ in 0..<count {
      guard let time = reader.read(UInt32.self), time >= times.last ?? 0 else { return nil }
      times.append(time)
    }
    switch reader.read(UInt8.self) {
    case 0: return
    case 1: break
    default: return nil
    }
    guard let factor = reader.read(count: FactorID.length).flatMap({ FactorID(bytes: $0) }),
      let digest = reader.read(UInt64.self), let message = reader.read(UInt64.self)
    else { return nil }
    last = Usable(factor: factor, digest: digest, message: message)
    guard let time = reader.read(UInt32.self) else { return nil }
    lastTime = time
  }
}
