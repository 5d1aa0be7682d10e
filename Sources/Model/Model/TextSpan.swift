/// Helpers for parsers.
extension Span<UInt8> {
  /// Returns whether the bytes are those of `text`.
  func equals(_ text: String) -> Bool {
    let other = text.utf8Span.span
    guard count == other.count else { return false }
    for index in indices where self[index] != other[index] { return false }
    return true
  }

  /// Returns the index of the first `byte`, or nil.
  func firstIndex(of byte: UInt8) -> Int? {
    for index in indices where self[index] == byte { return index }
    return nil
  }

  /// Returns the text without spaces and tabs at its ends.
  @_lifetime(copy self)
  func trimmed() -> Span<UInt8> {
    var start = 0
    var end = count
    while start < end, Self.isBlank(self[start]) { start += 1 }
    while end > start, Self.isBlank(self[end - 1]) { end -= 1 }
    return extracting(start..<end)
  }

  /// Returns the trimmed text from `start` to the next comma or the end, and moves `start` past it.
  @_lifetime(copy self)
  func listElement(at start: inout Int) -> Span<UInt8> {
    let first = min(start, count)
    var end = first
    while end < count, self[end] != UInt8(ascii: ",") { end &+= 1 }
    start = end &+ 1
    return extracting(first..<end).trimmed()
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }
}
