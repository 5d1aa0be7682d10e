import MFABase
import MFAModel
import MFATestSupport
import Testing

/// Compares the codes with those of another implementation, oathtool, which packaging/test
/// installs.
@Suite struct OathtoolTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let number: Int
    let algorithm: HashAlgorithm
    let length: CodeLength
    let period: UInt16

    var testDescription: String {
      "row \(number): \(algorithm), \(length.rawValue) digits, \(period) s"
    }
  }

  /// Every algorithm with every number of digits, and with the shortest, default, longest and one
  /// more period.
  private static let rows: [Row] = {
    var rows: [Row] = []
    for algorithm in HashAlgorithm.allCases {
      for length in CodeLength.allCases {
        for period in [15, 30, 60, 120] as [UInt16] {
          rows.append(
            Row(number: rows.count + 1, algorithm: algorithm, length: length, period: period))
        }
      }
    }
    return rows
  }()

  /// The epoch, two times in the past and present, and the far future, in seconds; 21 steps from
  /// each.
  private static let times: [Int64] = [0, 1_111_111_111, 1_795_000_000, 20_000_000_000]

  @Test(arguments: rows)
  func agree(_ row: Row) throws {
    let secret = (0..<row.algorithm.outputLength).map { UInt8($0 * 3 + row.number) }
    let key = Base32.encode(secret.span)
    var text = ""
    for index in key.span.indices { text.append(Character(Unicode.Scalar(key.span[index]))) }
    let name = String(decoding: row.algorithm.name.bytes, as: UTF8.self)
    let authenticator = Authenticator(
      key: text, algorithm: try #require(Authenticator.Algorithm(rawValue: name)),
      digits: Int(row.length.rawValue), period: Int(row.period))
    let parameters = try #require(
      TOTPParameters(algorithm: row.algorithm, codeLength: row.length, period: row.period))

    for time in Self.times {
      let first = parameters.step(at: time)
      let ours = try codes(
        secret: secret, algorithm: row.algorithm, length: row.length,
        counters: UInt64(first)...UInt64(first) + 20)
      let theirs = try authenticator.codes(fromStep: Int(first), count: 21)
      #expect(ours == theirs, "at \(time)")
    }
  }
}
