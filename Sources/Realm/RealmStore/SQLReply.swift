import MFAStore

/// What the server answered to statements that were sent together.
struct SQLReply: Sendable {
  /// The rows and the command tag (such as `COMMIT`) of each statement that succeeded.
  var results: [(rows: [SQLRow], tag: String)] = []
  /// The server's first error. The statements after it were not executed.
  var refusal: SQLRefusal?
  /// The notices and warnings that arrived meanwhile.
  var notices: [String] = []

  /// Returns the only row of a statement.
  func row(ofStatement index: Int = 0) throws(EngineError) -> SQLRow {
    guard results.indices.contains(index), results[index].rows.count == 1 else { throw .refused }
    return results[index].rows[0]
  }
}
