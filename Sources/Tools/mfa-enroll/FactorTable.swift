import FoundationEssentials
import MultiFactor

/// The formats in which factors are listed.
enum FactorTable {
  /// Returns a table for users. The names come last, because they can have any width.
  static func text(_ factors: [MultiFactorInfo], date: (Date) -> String) -> String {
    let rows =
      [["ID", "ENROLLED", "CODES", "NAME"]]
      + factors.map { factor in
        [
          String(factor.uid.prefix(8)), date(factor.enrollmentDate), codes(of: factor),
          factor.displayName,
        ]
      }
    var widths = [0, 0, 0, 0]
    for row in rows {
      for (column, cell) in row.enumerated() { widths[column] = max(widths[column], cell.count) }
    }
    return rows.map { row in
      row.enumerated().map { column, cell in
        column == row.count - 1
          ? cell : cell + String(repeating: " ", count: widths[column] - cell.count + 2)
      }.joined() + "\n"
    }.joined()
  }

  /// Returns a JSON array for programs, oldest first.
  static func json(_ factors: [MultiFactorInfo]) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    return String(decoding: try encoder.encode(factors.map(Entry.init)), as: UTF8.self) + "\n"
  }

  private static func codes(of factor: MultiFactorInfo) -> String {
    let algorithm = AlgorithmName(factor.hashingAlgorithm).rawValue
    return "\(algorithm), \(factor.codeLength) digits, \(factor.codeIntervalSeconds) s"
  }

  /// The keys are part of the program's interface (mfa-enroll(1)).
  private struct Entry: Encodable {
    let id: String
    let displayName: String
    let factorID: String
    let enrollmentDate: Date
    let algorithm: String
    let digits: Int
    let periodSeconds: Int

    init(_ factor: MultiFactorInfo) {
      id = factor.uid
      displayName = factor.displayName
      factorID = factor.factorID.rawValue
      enrollmentDate = factor.enrollmentDate
      algorithm = AlgorithmName(factor.hashingAlgorithm).rawValue
      digits = factor.codeLength
      periodSeconds = factor.codeIntervalSeconds
    }
  }
}
