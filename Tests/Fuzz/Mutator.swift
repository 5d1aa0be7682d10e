import MFATestSupport

/// A mutator that derives the same inputs from the same seed.
struct Mutator {
  private var generator: SeededGenerator
  private let corpus: [[UInt8]]

  /// Bytes with a meaning in one of the formats.
  private static let special: [UInt8] = [
    0x00, 0x01, 0x09, 0x0A, 0x0D, 0x1E, 0x20, 0x22, 0x23, 0x2C, 0x2D, 0x2F, 0x30, 0x39, 0x3A, 0x3D,
    0x5B, 0x5C, 0x5D, 0x7F, 0x80, 0xC2, 0xE2, 0xFF,
  ]

  init(seed: UInt64, corpus: [[UInt8]]) {
    generator = SeededGenerator(seed: seed)
    self.corpus = corpus
  }

  /// Returns `input` after one to four changes.
  mutating func mutate(_ input: [UInt8]) -> [UInt8] {
    var result = input
    for _ in 0..<Int.random(in: 1...4, using: &generator) { change(&result) }
    return result
  }

  private mutating func change(_ bytes: inout [UInt8]) {
    let place = Int.random(in: 0...bytes.count, using: &generator)
    let length = min(Int.random(in: 1...16, using: &generator), bytes.count - place)
    switch Int.random(in: 0..<7, using: &generator) {
    case 0 where place < bytes.count:
      bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
    case 1 where place < bytes.count: bytes[place] = UInt8.random(in: 0...255, using: &generator)
    case 2 where place < bytes.count: bytes[place] = special()
    case 3: bytes.removeSubrange(place..<place + length)
    case 4: bytes.insert(contentsOf: bytes[place..<place + length], at: place)
    case 5:
      // The beginning of this input and the end of a different one.
      let other = corpus.randomElement(using: &generator) ?? []
      let start = Int.random(in: 0...other.count, using: &generator)
      bytes = Array(bytes.prefix(place) + other.dropFirst(start))
    case _: bytes.insert(special(), at: place)
    }
  }

  private mutating func special() -> UInt8 { Self.special.randomElement(using: &generator) ?? 0 }
}
