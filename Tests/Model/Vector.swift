import MFABase
import MFACrypto
import MFAModel
import MFAStore
import Foundation
import Testing

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
) throws(CryptographyError) -> [String] {
  var hotp = try HOTP(secret: secret.span, algorithm: algorithm)
  var codes: [String] = []
  for counter in counters { codes.append(try hotp.code(at: counter, digits: length).text) }
  return codes
}
