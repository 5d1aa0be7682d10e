import Foundation
import MFABase
import MFACrypto
import MFAModel
import MFAStore
import Testing

/// Returns the configuration of `text`.
func parse(_ text: String) throws(ConfigurationError) -> Configuration {
  try Configuration.parse(Array(text.utf8).span)
}

/// Returns the error with which `text` is refused, or nil if it is accepted.
func configurationRefusal(of text: [UInt8]) -> ConfigurationError? {
  do throws(ConfigurationError) {
    _ = try Configuration.parse(text.span)
    return nil
  } catch {
    return error
  }
}

extension ConfigurationError {
  /// Returns the message for an error in this file.
  func message(file: String) -> [UInt8] {
    ConfigurationError(in: Array(file.utf8), line: line, reason).message
  }
}

/// Returns the excerpt of a text.
func excerpt(_ text: String) -> Excerpt {
  Excerpt(Array(text.utf8).span)
}

/// Returns the address in a text, or nil if the text is not an address.
func address(of text: String) -> IPAddress? {
  IPAddress(Array(text.utf8).span)
}

/// Returns `count` tenants of two lines each.
func manyTenants(_ count: Int) -> String {
  var text = ""
  for number in 0..<count { text += "[tenant t\(number)]\nusers = x\n" }
  return text
}

/// Returns bytes as text, for readable failures.
func readable(_ bytes: [UInt8]) -> String {
  String(decoding: bytes, as: UTF8.self)
}

/// A reproducible random number generator (SplitMix64).
struct FixedRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// Returns an id of sixteen equal bytes.
func identifier(_ byte: UInt8) -> FactorID {
  FactorID(bytes: [UInt8](repeating: byte, count: FactorID.length)) ?? .zero
}

/// Returns a display name.
func name(_ text: String) throws(Missing) -> DisplayName {
  try DisplayName(Array(text.utf8)).orThrow()
}

/// Returns a factor with a name that contains its number.
func factor(
  _ number: UInt8, parameters: TOTPParameters = .standard, sealedSecret: [UInt8] = [1, 2, 3],
  enrolledAt: Int64 = 1_795_000_000
) throws(Missing) -> Factor {
  Factor(
    id: identifier(number), displayName: try name("phone \(number)"), enrolledAt: enrolledAt,
    kind: .totp(parameters, sealedSecret: sealedSecret))
}

/// Returns a phone with a name that contains its number.
func phone(
  _ number: UInt8, _ text: String, usableFrom: Int64 = 0, origin: Factor.Origin = .enrolled
) throws -> Factor {
  let masked = try PhoneNumber(typed: Array(text.utf8).span).masked
  return Factor(
    id: identifier(number), displayName: try name("phone \(number)"), enrolledAt: 1_795_000_000,
    kind: .phone(masked, usableFrom: usableFrom, sealedNumber: [4, 5, 6]), origin: origin)
}

/// Returns a record of alice with `count` factors, numbered from 1.
func record(_ count: UInt8, user: String = "alice", uid: UInt32 = 1_000) throws -> FactorRecord {
  let user = try UserName(Array(user.utf8)).orThrow()
  var record = FactorRecord(user: user, uid: uid, id: identifier(0xEE))
  for number in 0..<count { try record.add(try factor(number + 1)) }
  return record
}

/// The error of unwrapping nil.
struct Missing: Error {}

extension Optional {
  func orThrow() throws(Missing) -> Wrapped {
    guard let self else { throw Missing() }
    return self
  }
}

/// Returns the decoded record, or nil if it is refused.
func decoded(_ encoded: [UInt8]) -> FactorRecord? {
  FactorRecord(encoded: encoded.span)
}

/// Returns the version of an encoded record, or nil if it is not a record.
func formatVersion(_ encoded: [UInt8]) -> UInt16? { FactorRecord.version(ofEncoded: encoded.span) }

/// Returns the decoded attempt state, or nil if it is refused.
func decodedState(_ encoded: [UInt8]) -> (state: AttemptState, sequence: UInt64)? {
  AttemptState.decode(encoded.span)
}

/// A file of Tests/Vectors: lines of `name: value`, the last of which is `expect`.
struct Vector: Sendable, CustomTestStringConvertible {
  /// An error in a vector file.
  struct Strange: Error, CustomStringConvertible {
    let description: String
  }

  let name: String
  private let values: [String: String]

  var testDescription: String { name }

  /// Returns the vectors of a folder. Their number must be `count`, so that a missing file is
  /// noticed.
  static func all(in folder: String, count: Int) throws -> [Vector] {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Vectors/\(folder)")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    guard files.count == count else {
      throw Strange(description: "\(files.count) vectors instead of \(count) in \(folder.path)")
    }
    return try files.map { try Vector(folder.appendingPathComponent($0)) }
  }

  private init(_ file: URL) throws {
    name = file.lastPathComponent
    var values: [String: String] = [:]
    for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard parts.count == 2, values[String(parts[0])] == nil else {
        throw Strange(description: "\(name): \(line)")
      }
      values[String(parts[0])] = parts[1].trimmingCharacters(in: .whitespaces)
    }
    self.values = values
  }

  func text(_ key: String) throws -> String {
    guard let value = values[key] else { throw Strange(description: "\(name): no \(key)") }
    return value
  }

  func number<Number: FixedWidthInteger>(_ key: String) throws -> Number {
    guard let number = Number(try text(key)) else { throw Strange(description: "\(name): \(key)") }
    return number
  }

  func secret() throws -> [UInt8] {
    let digits = try text("secret").compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }

  func algorithm() throws -> HashAlgorithm {
    let name = Array(try text("algorithm").utf8)
    guard let algorithm = HashAlgorithm.allCases.first(where: { $0.name.bytes == name }) else {
      throw Strange(description: "\(self.name): algorithm")
    }
    return algorithm
  }

  func codeLength() throws -> CodeLength {
    guard let length = CodeLength(rawValue: try number("digits")) else {
      throw Strange(description: "\(name): digits")
    }
    return length
  }
}

extension Code {
  /// The code as an authenticator shows it.
  var text: String {
    let digits = String(value)
    return String(repeating: "0", count: Int(length.rawValue) - digits.count) + digits
  }
}

/// Returns the codes of successive counters.
func codes(
  secret: [UInt8], algorithm: HashAlgorithm, length: CodeLength, counters: ClosedRange<UInt64>
) throws(SystemError) -> [String] {
  var hotp = try HOTP(secret: secret.span, algorithm: algorithm)
  var codes: [String] = []
  for counter in counters { codes.append(try hotp.code(at: counter, digits: length).text) }
  return codes
}
