import Factors

/// Text from a person as a terminal may be shown it: nothing in it moves the cursor, changes colours
/// or turns the direction of writing.
struct VisibleText: CustomStringConvertible, Equatable {
  /// The text.
  let description: String

  /// A name as it is where it could be a factor's display name, which nothing deceptive is; else
  /// every byte that is not printable ASCII is written `\xHH`.
  init(_ user: UserName) { description = Self.escaping(user.bytes) }

  /// A display name, which was checked when it was made.
  init(_ name: DisplayName) { description = String(decoding: name.utf8, as: UTF8.self) }

  /// A factor's id: 32 hexadecimal digits.
  init(_ id: FactorID) { description = String(decoding: id.hexadecimal, as: UTF8.self) }

  /// A text with what is deceptive in it escaped, line by line.
  static func escaping(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { escaping(Array($0.utf8)) }.joined(separator: "\n")
  }

  /// Bytes with what is deceptive in them escaped.
  static func escaping(_ bytes: [UInt8]) -> String {
    // Nearly every name is, and a listing has many.
    guard !bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else {
      return String(decoding: bytes, as: UTF8.self)
    }
    var text = ""
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars where isDeceptive(scalar) {
      return escapingBytes(bytes)
    }
    text = String(decoding: bytes, as: UTF8.self)
    // What was no UTF-8 was replaced.
    return Array(text.utf8) == bytes ? text : escapingBytes(bytes)
  }

  private static func isDeceptive(_ scalar: Unicode.Scalar) -> Bool {
    do throws(DisplayName.Refusal) {
      _ = try DisplayName([UInt8(ascii: ".")] + Array(String(scalar).utf8) + [UInt8(ascii: ".")])
      return false
    } catch {
      return true
    }
  }

  private static func escapingBytes(_ bytes: [UInt8]) -> String {
    var text = ""
    for byte in bytes {
      if byte >= 0x20, byte < 0x7F, byte != UInt8(ascii: "\\") {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        text += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }
    return text
  }
}
