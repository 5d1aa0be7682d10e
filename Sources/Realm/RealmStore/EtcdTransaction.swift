import FoundationEssentials

/// A transaction of etcd: if all comparisons hold, the operations of `success` take effect together, and
/// otherwise those of `failure`. A transaction of the engine has at most 8 comparisons and 8 operations;
/// etcd allows 128 of each.
///
/// The properties of this type and its parts are the members that etcd's gateway reads. It reads integers
/// of 64 bits from strings.
struct EtcdTransaction: Encodable {
  /// A comparison with what the cluster has.
  struct Comparison: Encodable {
    let key: Data
    let target: String
    let result: String
    var version: String?
    var value: Data?

    /// The key was written this often since it was created; 0 if there is no such key.
    static func version(_ key: [UInt8], _ version: Int64) -> Comparison {
      Comparison(key: Data(key), target: "VERSION", result: "EQUAL", version: "\(version)")
    }

    /// The key has this value.
    static func value(_ key: [UInt8], _ value: [UInt8]) -> Comparison {
      Comparison(key: Data(key), target: "VALUE", result: "EQUAL", value: Data(value))
    }

    /// The key has a value that precedes this one, byte by byte.
    static func valueBelow(_ key: [UInt8], _ value: [UInt8]) -> Comparison {
      Comparison(key: Data(key), target: "VALUE", result: "LESS", value: Data(value))
    }
  }

  /// An operation: exactly one of the requests.
  struct Operation: Encodable {
    var requestRange: Range?
    var requestPut: Put?
    var requestDeleteRange: Range?

    /// Keys from the first one, and before the end; only the first one if there is no end.
    struct Range: Encodable {
      let key: Data
      var rangeEnd: Data?
      var limit: String?
      var keysOnly: Bool?
      var sortOrder: String?
      var sortTarget: String?
    }

    struct Put: Encodable {
      let key: Data
      let value: Data
      let lease: String
    }

    /// Returns a key with its value.
    static func get(_ key: [UInt8]) -> Operation {
      Operation(requestRange: Range(key: Data(key)))
    }

    /// Returns the keys from the first one, and before the second one, in order, with or without values.
    static func range(
      _ first: [UInt8], _ end: [UInt8], most: Int, keysOnly: Bool
    ) -> Operation {
      Operation(
        requestRange: Range(
          key: Data(first), rangeEnd: Data(end), limit: "\(most)", keysOnly: keysOnly))
    }

    /// Returns the last key from the first one, and before the second one, with its value.
    static func last(_ first: [UInt8], _ end: [UInt8]) -> Operation {
      Operation(
        requestRange: Range(
          key: Data(first), rangeEnd: Data(end), limit: "1", sortOrder: "DESCEND",
          sortTarget: "KEY"))
    }

    /// Writes a key, and binds it to a lease (0 for none).
    static func put(_ key: [UInt8], _ value: [UInt8], lease: Int64) -> Operation {
      Operation(requestPut: Put(key: Data(key), value: Data(value), lease: "\(lease)"))
    }

    /// Removes the keys from the first one, and before the second one.
    static func remove(_ first: [UInt8], _ end: [UInt8]) -> Operation {
      Operation(requestDeleteRange: Range(key: Data(first), rangeEnd: Data(end)))
    }
  }

  var compare: [Comparison] = []
  var success: [Operation] = []
  var failure: [Operation] = []
}
