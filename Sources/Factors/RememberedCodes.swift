/// Codes that were accepted, and from where: who comes from there again may not be asked for one.
///
/// MUST 1: how many there are is bounded, and the oldest goes first. (`RememberedCodesTests`)
/// MUST 2: a code from the future is none. (`RememberedCodesTests`)
public struct RememberedCodes: Equatable, Sendable {
  /// A code that was accepted.
  public struct Entry: Equatable, Sendable {
    /// From where it came.
    public let place: PlaceDigest
    /// When, in seconds since the epoch.
    public let time: Int64
  }

  /// How many places of a kind are remembered.
  public static func maximumCount(of kind: Place.Kind) -> Int {
    switch kind {
    case .address: 4
    case .session: 5
    }
  }

  /// The latest code from each place, in no order.
  public private(set) var entries: [Entry]

  /// Nothing is remembered.
  public init() { entries = [] }

  /// Remembers a code from `place` at `time`.
  public mutating func add(_ place: PlaceDigest, at time: Int64) {
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

  /// When the code from `place` was accepted, where that is at most `age` seconds before `now`.
  public func time(of place: PlaceDigest, notOlderThan age: Int64, at now: Int64) -> Int64? {
    guard let entry = entries.first(where: { $0.place == place }) else { return nil }
    let (elapsed, overflow) = now.subtractingReportingOverflow(entry.time)
    guard !overflow, elapsed >= 0, elapsed <= age else { return nil }
    return entry.time
  }

  /// When the latest code from one of `places` was accepted, where that is at most `age` seconds before
  /// `now`.
  public func time(of places: [PlaceDigest], notOlderThan age: Int64, at now: Int64) -> Int64? {
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

  /// Reads the binary form; nil when it is none.
  init?(_ reader: inout ByteReader) {
    guard let count = reader.read(UInt8.self) else { return nil }
    var codes = RememberedCodes()
    for _ in 0..<count {
      guard let kind = reader.read(UInt8.self).flatMap({ Place.Kind(rawValue: $0) }),
        let value = reader.read(UInt64.self), let time = reader.read(Int64.self)
      else { return nil }
      codes.add(PlaceDigest(kind, value), at: time)
    }
    guard codes.entries.count == Int(count) else { return nil }
    self = codes
  }
}
