import MFABase

/// Secrets that are sent together, each with at most 255 bytes. Copies of a value share the bytes, which are
/// wiped when the last one ends.
package final class SecretList: Equatable, Sendable {
  /// Each secret, after a byte with its length.
  private let content: SecretBytes

  /// The largest number of secrets.
  package static let most = 16

  /// Takes over bytes that were received. Returns nil if they are not a list.
  package init?(_ bytes: consuming SecretBytes) {
    guard Self.isList(bytes.span) else { return nil }
    content = bytes
  }

  private init(joined bytes: consuming SecretBytes) { content = bytes }

  /// A list without secrets.
  package static var empty: SecretList { SecretList(joined: SecretBytes(count: 0)) }

  /// Calls `body` with the bytes as they are sent: each secret, after a byte with its length.
  package func withSpan<Result: ~Copyable>(_ body: (Span<UInt8>) -> Result) -> Result {
    content.withSpan(body)
  }

  /// Returns a list with one more secret, or nil if it is too long or there are too many.
  package func adding(_ secret: Span<UInt8>) -> SecretList? {
    guard let length = UInt8(exactly: secret.count), count < Self.most else { return nil }
    let part = SecretBytes(joining: [length].span, secret)
    return content.withSpan { content in
      SecretList(joined: SecretBytes(joining: content, part.span))
    }
  }

  /// The number of secrets.
  package var count: Int {
    content.withSpan { bytes in
      var count = 0
      var position = 0
      while position < bytes.count {
        position &+= 1 &+ Int(bytes[position])
        count &+= 1
      }
      return count
    }
  }

  /// Returns a secret, or nil if there are not as many. Numbers begin with 0.
  package func secret(_ number: Int) -> SecretBytes? {
    content.withSpan { bytes in
      var position = 0
      var left = number
      while position < bytes.count {
        let end = position &+ 1 &+ Int(bytes[position])
        guard left > 0 else { return SecretBytes(copying: bytes, in: position &+ 1..<end) }
        position = end
        left &-= 1
      }
      return nil
    }
  }

  /// Compares two lists.
  package static func == (left: SecretList, right: SecretList) -> Bool {
    left.content.withSpan { left in
      right.content.withSpan { right in
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for index in left.indices { difference |= left[index] ^ right[index] }
        return difference == 0
      }
    }
  }

  private static func isList(_ bytes: Span<UInt8>) -> Bool {
    var position = 0
    var count = 0
    while position < bytes.count {
      let (end, overflow) = position.addingReportingOverflow(1 &+ Int(bytes[position]))
      guard !overflow, end <= bytes.count else { return false }
      position = end
      count &+= 1
    }
    return count <= most
  }
}
