/// Elements in the order in which they were appended. Each operation takes constant time on average.
struct HandshakeQueue<Element> {
  private var elements: [Int: Element] = [:]
  private var first = 0
  private var last = 0

  var count: Int { elements.count }

  /// Appends an element, and returns its number.
  mutating func append(_ element: Element) -> Int {
    defer { last += 1 }
    elements[last] = element
    return last
  }

  /// Removes the element with this number, if it is still there.
  mutating func remove(_ number: Int) { elements[number] = nil }

  /// Removes the first element, and returns it.
  mutating func removeFirst() -> Element? {
    while first < last {
      defer { first += 1 }
      if let element = elements.removeValue(forKey: first) { return element }
    }
    return nil
  }
}
