/// An object or array that `ObjectLiteral` has begun to read.
struct OpenContainer {
  /// What can come next.
  enum Next {
    case name, colon, value, comma
  }

  let isObject: Bool
  private(set) var next: Next
  /// The name of the member that is being read, in an object.
  private(set) var name = ""
  /// The names of the members so far.
  private var names: Set<[UInt8]> = []
  /// The number of the element that is being read, in an array.
  private var element = 0

  init(isObject: Bool) {
    self.isObject = isObject
    next = isObject ? .name : .value
  }

  /// Begins a member. Returns false if the object has a member with this name.
  mutating func begin(_ name: String) -> Bool {
    self.name = name
    next = .colon
    return names.insert(Array(name.utf8)).inserted
  }

  /// Goes on after a colon, a value or a comma.
  mutating func advance() {
    switch next {
    case .name, .colon: next = .value
    case .value: next = .comma
    case .comma:
      element += 1
      next = isObject ? .name : .value
    }
  }

  /// Whether the object or array can end here. A comma may be before its end.
  var canEnd: Bool { next == .comma || next == (isObject ? .name : .value) }

  /// What can come next, for messages.
  var expected: String {
    switch next {
    case .name: "a name or }"
    case .colon: "a colon"
    case .value: isObject ? "a value" : "a value or ]"
    case .comma: isObject ? "a comma or }" : "a comma or ]"
    }
  }

  /// The place of the member or element that is being read.
  var place: String { isObject ? "." + name : "[\(element)]" }
}
