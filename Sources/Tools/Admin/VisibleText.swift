import MFABase
import MFAModel

/// Text from an untrusted source, escaped for display on a terminal. It cannot move the cursor,
/// change colours or reverse the text direction.
package struct VisibleText: CustomStringConvertible, Equatable {
  /// The escaped text.
  package let description: String

  /// Creates the visible form of a user name. A name without deceptive characters, by the rules for
  /// display names, is unchanged. Otherwise each backslash and each byte that is not printable
  /// ASCII is written as `\xHH`.
  package init(_ user: UserName) { description = Self.escaping(user.bytes) }

  /// Creates the visible form of a display name, which was checked when it was created.
  package init(_ name: DisplayName) { description = String(decoding: name.utf8, as: UTF8.self) }

  /// Creates the visible form of a factor's id: 32 hexadecimal digits.
  package init(_ id: FactorID) { description = String(decoding: id.hexadecimal, as: UTF8.self) }

  /// Escapes a text that contains deceptive characters, line by line.
  package static func escaping(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { escaping(Array($0.utf8)) }.joined(separator: "\n")
  }

  /// Escapes bytes that contain deceptive characters.
  package static func escaping(_ bytes: [UInt8]) -> String {
    // A fast path: nearly all names are printable ASCII, and a listing can have many.
    guard !bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else {
      return String(decoding: bytes, as: UTF8.self)
    }
    var text = ""
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars where scalar.isDeceptive {
      return escapingBytes(bytes)
    }
    text = String(decoding: bytes, as: UTF8.self)
    // Decoding replaces invalid UTF-8, so the text then differs from the bytes.
    return Array(text.utf8) == bytes ? text : escapingBytes(bytes)
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
