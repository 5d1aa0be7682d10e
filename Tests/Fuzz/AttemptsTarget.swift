import MFABase
@testable import MFAStore
import MFAModel
import Foundation

/// Reads an attempt state, and the two slots of an attempts file. The input is the encoding of a
/// state without the slot's checksum, followed by any bytes.
///
/// A state that parses is encoded to the same bytes. Slots without a valid checksum hold no state.
/// A written slot reads back equal, and with any bit of it changed the other slot is used. Attempts
/// on any state are counted first and result in a standing.
enum AttemptsTarget {
  static func check(_ input: [UInt8]) throws {
    var key = try Samples.key()
    let file = Array(
      (input + [UInt8](repeating: 0, count: AttemptSlots.length))
        .prefix(AttemptSlots.length))
    try require(
      try AttemptSlots(bytes: file, &key).state == nil,
      "a slot without a valid checksum was accepted")
    _ = try AttemptSlots(bytes: input, &key)
    let encoded = Array(input.prefix(AttemptState.encodedLength))
    guard encoded.count == AttemptState.encodedLength,
      let (state, sequence) = AttemptState.decode(encoded.span)
    else { return }
    try require(state.encoded(sequence: sequence) == encoded, "a state is encoded differently")
    try require(
      AttemptState.claimedSequence(of: encoded.span) == sequence, "the sequence differs")
    try checkAttempts(on: state)
    try checkSlots(of: state, fingerprint(of: input))
  }

  private static func checkAttempts(on state: AttemptState) throws {
    let policy = ThrottlePolicy()
    for now in [Int64.min, 0, state.lastFailure, 1_800_000_000, .max] {
      switch state.begin(policy, now: now) {
      case .counted(let counted):
        try require(
          counted.failures > state.failures || state.failures == .max, "an attempt is not counted")
        let matches = state.watermarks.map {
          AttemptState.Match(factor: $0.factor, step: $0.step)
        }
        try require(counted.accepting(matches) == nil, "a used code is accepted")
      case .repeated: throw Violation(description: "nothing was typed")
      case .refused(let standing):
        try require(standing != .open, "an attempt is refused while codes may be tried")
      }
    }
    try checkRoundTrip(of: state.countingPostponedSignIn().told(upTo: .max).forgetting())
    let place = SignInOriginDigest(.session, .max)
    try checkRoundTrip(of: state.remembering(place, at: .max))
  }

  private static func checkRoundTrip(of state: AttemptState) throws {
    let encoded = state.encoded(sequence: .max)
    try require(encoded.count == AttemptState.encodedLength, "a state has a wrong length")
    try require(
      AttemptState.decode(encoded.span)?.state == state, "a changed state reads back differently")
  }

  private static func checkSlots(of state: AttemptState, _ choice: UInt64) throws {
    let scratch = try ScratchFolder()
    defer { scratch.remove() }
    let name = try requireValue(FileName("attempts"), "a file name")
    let file = try scratch.opened().create(name)
    try file.write([UInt8](repeating: 0, count: AttemptSlots.length))
    var key = try Samples.key()
    var slots = try AttemptSlots(
      bytes: try file.read(count: AttemptSlots.length), &key)
    let older = AttemptState(record: state.record)
    try slots.write(older, to: file, &key)
    slots.synced()
    try slots.write(state, to: file, &key)
    let written = try file.read(count: AttemptSlots.length)
    try require(
      try AttemptSlots(bytes: written, &key).state == state, "slots read back differently")
    let changed = changingOneBit(of: written, choice)
    let found = try AttemptSlots(bytes: changed, &key).state
    try require(found == state || found == older, "a changed slot is accepted, or both are lost")
  }

  static func samples() throws -> [[UInt8]] {
    let record = try Samples.identifier(0xEE)
    let empty = AttemptState(record: record)
    let watermarks = try (0..<FactorRecord.maximumFactors).map {
      AttemptState.Watermark(factor: try Samples.identifier(UInt8($0)), step: 59_000_000)
    }
    var remembered = RememberedSignIns()
    for number in 0..<16 as Range<UInt64> {
      remembered.add(
        SignInOriginDigest(number % 2 == 0 ? .address : .session, number), at: 1_700_000_000)
    }
    let full = AttemptState(
      record: record, failures: .max, lastFailure: .max, watermarks: watermarks,
      postponedSignIns: .max,
      unreported: AttemptState.Unreported(
        failures: .max, lastFailure: .min,
        source: Source([UInt8](repeating: 0x3A, count: Source.maximumLength)), lastShownNotice: .max
      ),
      remembered: remembered, binding: RecordBinding())
    return [empty, empty.adding(try Samples.identifier(1), confirmedAt: 59_000_000), full]
      .map { $0.encoded(sequence: 7) }
  }
}
