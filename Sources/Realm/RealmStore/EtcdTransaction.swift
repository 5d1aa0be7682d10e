/// A transaction of etcd: if all comparisons hold, the operations of `success` take effect together, and
/// otherwise those of `failure`. A transaction of the engine has at most 8 comparisons and 8 operations;
/// etcd allows 128 of each.
struct EtcdTransaction {
  /// A comparison with what the cluster has.
  enum Comparison {
    /// The key was written this often since it was created; 0 if there is no such key.
    case version([UInt8], Int64)
    /// The key has this value.
    case value([UInt8], [UInt8])
    /// The key has a value that precedes this one, byte by byte.
    case valueBelow([UInt8], [UInt8])
  }

  /// An operation.
  enum Operation {
    /// Returns a key with its value.
    case get([UInt8])
    /// Returns the keys from the first one, and before the second one, in order, with or without values.
    case range([UInt8], [UInt8], most: Int, keysOnly: Bool)
    /// Returns the last key from the first one, and before the second one, with its value.
    case last([UInt8], [UInt8])
    /// Writes a key, and binds it to a lease (0 for none).
    case put([UInt8], [UInt8], lease: Int64)
    /// Removes the keys from the first one, and before the second one.
    case remove([UInt8], [UInt8])
  }

  var comparisons: [Comparison] = []
  var success: [Operation] = []
  var failure: [Operation] = []

  /// The request in JSON.
  var json: [UInt8] {
    var text = JSONWriter()
    text.object {
      $0.list("compare", comparisons) { $0.comparison($1) }
      $0.list("success", success) { $0.operation($1) }
      $0.list("failure", failure) { $0.operation($1) }
    }
    return text.bytes
  }
}

/// A writer of requests.
struct JSONWriter {
  private(set) var bytes: [UInt8] = []
  private var isFirst = true

  /// Writes an object, whose members the function writes.
  mutating func object(_ members: (inout JSONWriter) -> Void) {
    bytes.append(UInt8(ascii: "{"))
    isFirst = true
    members(&self)
    isFirst = false
    bytes.append(UInt8(ascii: "}"))
  }

  private mutating func name(_ name: StaticString) {
    if !isFirst { bytes.append(UInt8(ascii: ",")) }
    isFirst = false
    bytes += Array("\"\(name)\":".utf8)
  }

  /// Writes a member with bytes.
  mutating func member(_ name: StaticString, _ value: [UInt8]) {
    self.name(name)
    bytes.append(UInt8(ascii: "\""))
    Base64.append(value, to: &bytes)
    bytes.append(UInt8(ascii: "\""))
  }

  /// Writes a member with a number.
  mutating func member(_ name: StaticString, _ value: Int64) {
    self.name(name)
    bytes += Array("\"\(value)\"".utf8)
  }

  /// Writes a member with a constant.
  mutating func member(_ name: StaticString, constant: StaticString) {
    self.name(name)
    bytes += Array("\"\(constant)\"".utf8)
  }

  /// Writes a member with an object.
  mutating func member(_ name: StaticString, _ members: (inout JSONWriter) -> Void) {
    self.name(name)
    object(members)
  }

  /// Writes a member with a list of objects.
  mutating func list<Element>(
    _ name: StaticString, _ elements: [Element],
    _ members: (inout JSONWriter, Element) -> Void
  ) {
    self.name(name)
    bytes.append(UInt8(ascii: "["))
    for (index, element) in elements.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      object { members(&$0, element) }
    }
    bytes.append(UInt8(ascii: "]"))
  }

  fileprivate mutating func comparison(_ comparison: EtcdTransaction.Comparison) {
    switch comparison {
    case .version(let key, let version):
      member("key", key)
      member("target", constant: "VERSION")
      member("result", constant: "EQUAL")
      member("version", version)
    case .value(let key, let value):
      member("key", key)
      member("target", constant: "VALUE")
      member("result", constant: "EQUAL")
      member("value", value)
    case .valueBelow(let key, let value):
      member("key", key)
      member("target", constant: "VALUE")
      member("result", constant: "LESS")
      member("value", value)
    }
  }

  fileprivate mutating func operation(_ operation: EtcdTransaction.Operation) {
    switch operation {
    case .get(let key):
      member("request_range") { $0.member("key", key) }
    case .range(let first, let end, let most, let keysOnly):
      member("request_range") {
        $0.member("key", first)
        $0.member("range_end", end)
        $0.member("limit", Int64(most))
        if keysOnly { $0.flag("keys_only") }
      }
    case .last(let first, let end):
      member("request_range") {
        $0.member("key", first)
        $0.member("range_end", end)
        $0.member("limit", 1)
        $0.member("sort_order", constant: "DESCEND")
        $0.member("sort_target", constant: "KEY")
      }
    case .put(let key, let value, let lease):
      member("request_put") {
        $0.member("key", key)
        $0.member("value", value)
        if lease != 0 { $0.member("lease", lease) }
      }
    case .remove(let first, let end):
      member("request_delete_range") {
        $0.member("key", first)
        $0.member("range_end", end)
      }
    }
  }

  private mutating func flag(_ name: StaticString) {
    self.name(name)
    bytes += Array("true".utf8)
  }
}
