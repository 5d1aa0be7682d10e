import MFACPQ

/// A result of libpq, which is freed at the end.
@safe
struct ServerResult: ~Copyable {
  private let result: OpaquePointer

  /// Takes over a result.
  ///
  /// - Safety: the result is not null, and nothing else frees it.
  @unsafe
  init(takingOver result: OpaquePointer) {
    // SAFETY: the caller gives the result away.
    unsafe self.result = result
  }

  // SAFETY: `init` took the result over, and no copy of this value exists.
  deinit { unsafe PQclear(result) }

  /// What the result is.
  var status: ExecStatusType {
    // SAFETY: the result lives as long as this value.
    unsafe PQresultStatus(result)
  }

  /// The command tag, such as `COMMIT`.
  var tag: String {
    // SAFETY: the tag is a C string that lives as long as the result, or null.
    guard let tag = unsafe PQcmdStatus(result) else { return "" }
    // SAFETY: as above.
    return unsafe String(cString: tag)
  }

  /// The server's error.
  var refusal: SQLRefusal {
    // SAFETY: the result lives as long as this value.
    unsafe Self.refusal(of: result)
  }

  /// Returns the code and the message of an error or a notice.
  ///
  /// - Safety: the result is not null, and lives during the call.
  @unsafe
  static func refusal(of result: OpaquePointer) -> SQLRefusal {
    // The constants PG_DIAG_SQLSTATE and PG_DIAG_MESSAGE_PRIMARY are these letters.
    // SAFETY: the caller's result lives during the call.
    unsafe SQLRefusal(
      state: field(UInt8(ascii: "C"), of: result), message: field(UInt8(ascii: "M"), of: result))
  }

  /// Returns a field of an error or a notice, or an empty text.
  ///
  /// - Safety: as in `refusal(of:)`.
  @unsafe
  private static func field(_ code: UInt8, of result: OpaquePointer) -> String {
    // SAFETY: the field is a C string that lives as long as the result, or null.
    guard let text = unsafe PQresultErrorField(result, Int32(code)) else { return "" }
    // SAFETY: as above.
    return unsafe String(cString: text)
  }

  /// The rows.
  var rows: [SQLRow] {
    // SAFETY: the result lives as long as this value.
    let (rows, columns) = unsafe (PQntuples(result), PQnfields(result))
    return (0..<max(rows, 0)).map { row in
      SQLRow((0..<max(columns, 0)).map { column in value(row, column) })
    }
  }

  /// Returns a field of a row, or nil if it is NULL.
  private func value(_ row: Int32, _ column: Int32) -> [UInt8]? {
    // SAFETY: the row and the column are in the result, which owns the value's bytes.
    unsafe PQgetisnull(result, row, column) == 1
      ? nil
      : Array(
        UnsafeRawBufferPointer(
          start: PQgetvalue(result, row, column),
          count: Int(max(PQgetlength(result, row, column), 0))))
  }
}
