/// The prepared statements of a session, one for each function of the schema.
enum Prepared {
  private enum Name: String, CaseIterable {
    case load = "SELECT * FROM mfa.load_row($1, $2, $3, $4, $5)"
    case commit = """
      SELECT mfa.commit_change($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15,
        $16, $17, $18)
      """
    case settle = "SELECT mfa.settle()"
    case lockLogEnd = "SELECT * FROM mfa.lock_log_end()"
    case replaceRealm = "SELECT mfa.replace_realm($1, $2, $3, $4, $5, $6, $7)"
    case logLines = "SELECT number, line, sealed_end FROM mfa.log_lines($1, $2)"
    case lastLine = "SELECT number, line, sealed_end FROM mfa.last_line()"
    case keys = "SELECT id FROM mfa.row_keys($1, $2, $3)"
    case check = "SELECT * FROM mfa.check_database()"
  }

  /// The statements that prepare all others. The first one returns the version of the schema.
  static var preparation: [SQLStatement] {
    [SQLStatement("SELECT mfa.schema_version()")]
      + Name.allCases.map { name in
        SQLStatement(.preparation(name: String(describing: name), text: name.rawValue))
      }
  }

  private static func run(_ name: Name, _ values: [SQLValue] = []) -> SQLStatement {
    SQLStatement(.prepared(name: String(describing: name)), values)
  }

  /// Loads a row.
  static func load(_ key: EngineKey, _ context: EngineContext) -> SQLStatement {
    run(
      .load,
      [
        .number(Int64(key.kind.rawValue)), .bytes(key.id), .optional(context.host),
        .number(context.period), .optional(context.nonce),
      ])
  }

  /// Makes a change, and appends a line to the audit log.
  static func commit(_ change: EngineChange, _ line: EngineLogLine?) -> SQLStatement {
    var values: [SQLValue] = [.bits(change.epoch)]
    values +=
      change.row.map {
        [
          .number(Int64($0.key.kind.rawValue)), .bytes($0.key.id), .bits($0.version),
          .bytes($0.record), .bytes($0.attempts),
        ]
      } ?? [.null, .null, .null, .null, .null]
    values += change.configuration.map { [.bits($0.from), .bits($0.to)] } ?? [.null, .null]
    values +=
      change.budget.map {
        [
          .bytes($0.host), .number($0.period), .number(Int64($0.limit)),
          .number($0.isFailure ? 1 : 0),
        ]
      } ?? [.null, .null, .null, .null]
    values +=
      change.answer.map { [.bytes($0.nonce), .bytes($0.answer), .number($0.expires)] }
      ?? [.null, .null, .null]
    values +=
      line.map { [.number(Int64($0.number)), .bytes($0.text), .bytes($0.end)] }
      ?? [.null, .null, .null]
    return run(.commit, values)
  }

  /// Proves that all visible commits are on the standby.
  static var settle: SQLStatement { run(.settle) }

  /// Locks the end of the audit log and returns it.
  static var lockLogEnd: SQLStatement { run(.lockLogEnd) }

  /// Replaces the state of the realm.
  static func replaceRealm(_ epoch: UInt64, _ state: RealmState) -> SQLStatement {
    run(
      .replaceRealm,
      [
        .bits(epoch), .bits(state.epoch), .bytes(state.incarnation), .number(state.fence),
        .number(Int64(state.fenceIntervals)), .bits(state.configuration),
        .number(Int64(state.format)),
      ])
  }

  /// Returns lines of the audit log.
  static func logLines(after number: UInt32, most: Int) -> SQLStatement {
    run(.logLines, [.number(Int64(number)), .number(Int64(most))])
  }

  /// Returns the last line of the audit log.
  static var lastLine: SQLStatement { run(.lastLine) }

  /// Returns keys of rows.
  static func keys(_ kind: EngineKey.Kind, after id: [UInt8], most: Int) -> SQLStatement {
    run(.keys, [.number(Int64(kind.rawValue)), .bytes(id), .number(Int64(most))])
  }

  /// Returns properties of the database.
  static var check: SQLStatement { run(.check) }
}
