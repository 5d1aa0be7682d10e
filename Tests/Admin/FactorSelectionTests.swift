import MFAAdminTestSupport
import MFAModel
import MFAWire
import Testing

@testable import MFAAdmin

@Suite struct FactorSelectionTests {
  /// The factors that a selector should select, by index.
  static let cases: [(Int, String?, [Int])] = [
    (1, nil, [0, 1, 2, 3]),
    (2, "phone", [0]),
    (3, "Phone", []),
    (4, "abcdef00000000000000000000000000", [0]),
    (5, "ABCDEF00000000000000000000000000", [0]),
    (6, "abcdef", [0]),
    (7, "abcd", [0, 1]),
    (8, "abc", []),
    (9, "abcde", [0]),
    (10, "abcd1", [1]),
    (11, "", []),
    (12, "9999", [3]),  // a name takes precedence over the beginning of an id
    (13, "99990", [2]),
    (14, "abcdef000000000000000000000000000", []),
    (15, " phone", []),
  ]

  static func factors() throws -> [FactorSummary] {
    [
      try factor(try id(0xAB, 0xCD, 0xEF), "phone"),
      try factor(try id(0xAB, 0xCD, 0x11), "tablet"),
      try factor(try id(0x99, 0x99), "key"),
      try factor(try id(0x77), "9999"),
    ].map { FactorSummary($0) }
  }

  @Test(arguments: cases)
  func selected(_ number: Int, _ selector: String?, _ rememberedCount: [Int]) throws {
    let factors = try Self.factors()
    let expected: FactorSelection =
      switch rememberedCount.count {
      case 0: .noFactor
      case 1: .one(factors[rememberedCount[0]])
      case _: .several(rememberedCount.map { factors[$0] })
      }
    #expect(FactorSelection(selector, in: factors) == expected, "case \(number)")
  }

  @Test func onlyFactorIsDefault() throws {
    let factors = try Self.factors()
    #expect(FactorSelection(nil, in: [factors[1]]) == .one(factors[1]))
    #expect(FactorSelection(nil, in: []) == FactorSelection.noFactor)
  }
}
