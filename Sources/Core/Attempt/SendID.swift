import MFABase
import MFACrypto

/// The identifier of one message to a phone. It is not secret.
package struct SendID: Equatable, Sendable {
  /// The identifier as a number.
  package let number: UInt64

  /// The length of the text in bytes.
  static var textLength: Int { 16 }

  /// Creates an identifier from its number.
  package init(number: UInt64) { self.number = number }

  /// Creates a random identifier.
  static func random() throws(CryptographyError) -> SendID {
    var number: UInt64 = 0
    for byte in try randomBytes(count: 8) { number = number << 8 | UInt64(byte) }
    return SendID(number: number)
  }

  /// Parses 16 hexadecimal digits in lower case.
  package init?(_ text: [UInt8]) {
    guard let bytes = Hexadecimal.bytes(of: text, count: 8) else { return nil }
    var number: UInt64 = 0
    for byte in bytes { number = number << 8 | UInt64(byte) }
    self.number = number
  }

  /// The identifier as 16 hexadecimal digits in lower case.
  package var text: [UInt8] {
    var writer = ByteWriter()
    writer.write(number)
    return Hexadecimal.text(of: writer.bytes)
  }
}
