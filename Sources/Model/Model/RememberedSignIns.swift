import MFABase
/// Recent sign-ins with an accepted code. A further sign-in from the same place may skip the
/// prompt.
///
/// MUST 1: the number of entries is bounded, and the oldest is removed first.
/// (`RememberedCodesTests`)
/// MUST 2: an entry with a time in the future does not count. (`RememberedCodesTests`)
package struct RememberedSignIns: Equatable, Sendable {
  /// A sign-in with an accepted code.
  package struct Entry: Equatable, Sendable {
    /// Where the sign-in came from.
    package let place: SignInOriginDigest
    /// The time of the sign-in, in seconds since the epoch.
    package let time: Int64
  }

  /// Returns the maximum number of entries of a kind.
  package static func maximumCount(of kind: SignInOrigin.Kind) -> Int {
    switch kind {
    case .address: 4
    case .session: 5
    case .network: 0
    }
  }

  /// The latest sign-in from each place, in no particular order.
  package private(set) var entries: [Entry]

  /// Creates an empty list.
  package init() { entries = [] }

  /// Adds a sign-in from `place` at `time`.
  package mutating func add(_ place: SignInOriginDigest, at time: Int64) {
    guard Self.maximumCount(of: place.kind) > 0 else { return }
    var kept: [Entry] = []
    var ofKind = 0
    var oldest: Int?
    for entry in entries where entry.place != place {
      if entry.place.kind == place.kind {
        ofKind += 1
        if oldest.map({ entry.time < kept[$0].time }) ?? true { oldest = kept.count }
      }
      kept.append(entry)
    }
    if ofKind >= Self.maximumCount(of: place.kind), let oldest { kept.remove(at: oldest) }
    kept.append(Entry(place: place, time: time))
    entries = kept
  }

  /// Returns the time of the sign-in from `place`, or nil if there was none in the `age` seconds
  /// before `now`.
  package func time(of place: SignInOriginDigest, notOlderThan age: Int64, at now: Int64) -> Int64?
  {
    guard let entry = entries.first(where: { $0.place == place }) else { return nil }
    let (elapsed, overflow) = now.subtractingReportingOverflow(entry.time)
    guard !overflow, elapsed >= 0, elapsed <= age else { return nil }
    return entry.time
  }

  /// Returns the time of the latest sign-in from one of `places` that is at most `age` seconds
  /// before `now`, or nil.
  package func time(of places: [SignInOriginDigest], notOlderThan age: Int64, at now: Int64)
    -> Int64?
  {
    var latest: Int64?
    for place in places {
      guard let time = time(of: place, notOlderThan: age, at: now) else { continue }
      latest = max(latest ?? time, time)
    }
    return latest
  }

  // MARK: Binary form

  func encode(to writer: inout ByteWriter) {
    writer.write(UInt8(truncatingIfNeeded: entries.count))
    for entry in entries {
      writer.write(entry.place.kind.rawValue)
      writer.write(entry.place.value)
      writer.write(entry.time)
    }
  }

  /// Parses the binary form. Returns nil if it is invalid.
  init?(_ reader: inout ByteReader) {
    guard let count = reader.read(UInt8.self) else { return nil }
    var codes = RememberedSignIns()
    for _ in 0..<count {
      guard let kind = reader.read(UInt8.self).flatMap({ SignInOrigin.Kind(rawValue: $0) }),
        let value = reader.read(UInt64.self), let time = reader.read(Int64.self)
      else { return nil }
      codes.add(SignInOriginDigest(kind, value), at: time)
    }
    guard codes.entries.count == Int(count) else { return nil }
    self = codes
  }
}
