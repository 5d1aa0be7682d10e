import MultiFactor
import Testing

@testable import mfa_enroll

@Suite struct FactorChoiceTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let number: Int
    let text: String
    let uid: String?
    var testDescription: String { "\(number): \(text)" }
  }

  static func factors() throws -> [MultiFactorInfo] {
    [
      try Samples.factor([0xAB, 0xCD, 0xEF], "phone"),
      try Samples.factor([0xAB, 0xCD, 0xE0], "tablet"),
      // A factor whose name is the beginning of another one's identifier.
      try Samples.factor([0x12], "abcdef"),
    ]
  }

  static let phone = "abcdef00000000000000000000000000"
  static let named = "12000000000000000000000000000000"

  static let rows: [Row] = [
    Row(number: 1, text: "phone", uid: phone),
    Row(number: 2, text: phone, uid: phone),
    Row(number: 3, text: "ABCDEF0", uid: phone),
    Row(number: 4, text: "abcdef", uid: named),
    Row(number: 5, text: "1200", uid: named),
    Row(number: 6, text: "abcde", uid: nil),
    Row(number: 7, text: "120", uid: nil),
    Row(number: 8, text: "", uid: nil),
    Row(number: 9, text: "Phone", uid: nil),
    Row(number: 10, text: phone + "0", uid: nil),
  ]

  @Test("a factor is selected by its name, or else by its identifier", arguments: rows)
  func choice(row: Row) throws {
    let factors = try Self.factors()
    do throws(Failure) {
      #expect(try FactorChoice.factor(row.text, among: factors).uid == row.uid)
    } catch {
      #expect(row.uid == nil)
      #expect(error.status == .failed)
    }
  }

  @Test("control characters in the typed text are replaced")
  func escapes() throws {
    let factors = try Self.factors()
    do throws(Failure) {
      _ = try FactorChoice.factor("\u{1B}[2J\u{202E}x", among: factors)
      Issue.record("a factor was found")
    } catch {
      #expect(error == Failure(.noSuchDevice(name: "?[2J?x")))
    }
  }

  @Test("without a name the only factor is selected, but never one of several")
  func onlyFactor() throws {
    let phone = try Samples.factor([1], "phone")
    let tablet = try Samples.factor([2], "tablet")
    #expect(try FactorChoice.onlyFactor(among: [phone]) == phone)
    #expect(throws: Failure(.noDevice)) { _ = try FactorChoice.onlyFactor(among: []) }
    #expect(throws: Failure(.severalDevices)) {
      _ = try FactorChoice.onlyFactor(among: [phone, tablet])
    }
  }

  @Test("a user without a device is told so, whichever device is named")
  func noDevice() {
    #expect(throws: Failure(.noDevice)) { _ = try FactorChoice.factor("phone", among: []) }
  }
}
