/// What a person calls a factor: 1 to 64 Unicode scalars, no white space at either end, nothing
/// that changes how a terminal or a log shows what stands around it.
public struct DisplayName: Equatable, Sendable {
  /// The name in UTF-8.
  public let utf8: [UInt8]

  /// The longest name in Unicode scalars.
  public static let maximumLength = 64

  /// The longest name in bytes.
  public static let maximumBytes = 255

  /// Why a text is no name.
  public enum Refusal: Error, Equatable, Sendable {
    case empty
    case tooLong
    case notUTF8
    /// A control character, a line or paragraph separator, or a mark that turns the direction of
    /// writing or shows nothing at all.
    case controlCharacter
  }

  /// Trims white space from both ends and checks the rest.
  public init(_ text: [UInt8]) throws(Refusal) {
    let trimmed = Self.trimmed(text)
    guard !trimmed.isEmpty else { throw .empty }
    guard trimmed.count <= Self.maximumBytes else { throw .tooLong }
    var count = 0
    var bytes = trimmed.makeIterator()
    var decoder = Unicode.UTF8()
    decoding: while true {
      switch decoder.decode(&bytes) {
      case .scalarValue(let scalar):
        guard !Self.isDeceptive(scalar.value) else { throw .controlCharacter }
        count += 1
      case .emptyInput: break decoding
      case .error: throw .notUTF8
      }
    }
    guard count <= Self.maximumLength else { throw .tooLong }
    utf8 = Array(trimmed)
  }

  private static func trimmed(_ text: [UInt8]) -> ArraySlice<UInt8> {
    var slice = text[...]
    while let first = slice.first, first == UInt8(ascii: " ") || first == UInt8(ascii: "\t") {
      slice.removeFirst()
    }
    while let last = slice.last, last == UInt8(ascii: " ") || last == UInt8(ascii: "\t") {
      slice.removeLast()
    }
    return slice
  }

  /// C0, DEL and C1 controls; separators; marks without width; bidirectional controls; tags.
  private static func isDeceptive(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x00...0x1F, 0x7F...0x9F, 0xAD, 0x061C, 0x180E, 0x200B...0x200F, 0x2028...0x202E,
      0x2060...0x206F, 0xFEFF, 0xFFF9...0xFFFB, 0xE0000...0xE007F:
      true
    default: false
    }
  }
}
