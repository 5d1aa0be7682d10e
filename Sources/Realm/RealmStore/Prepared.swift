/// The prepared statements of a session, one for each function of the schema. The raw values are the texts.
enum Prepared: String, CaseIterable {
  case load = "SELECT * FROM mfa.load_row($1, $2, $3, $4, $5)"
  case commit = """
    SELECT mfa.commit_change($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15,
      $16, $17, $18)
    """
  /// Proves that all visible commits are on the standby.
  case settle = "SELECT mfa.settle()"
  /// Locks the end of the audit log and returns it.
  case lockLogEnd = "SELECT * FROM mfa.lock_log_end()"
  case replaceRealm = "SELECT mfa.replace_realm($1, $2, $3, $4, $5, $6, $7)"
  case logLines = "SELECT number, line, sealed_end FROM mfa.log_lines($1, $2)"
  case lastLine = "SELECT number, line, sealed_end FROM mfa.last_line()"
  case keys = "SELECT id FROM mfa.row_keys($1, $2, $3)"
  case check = "SELECT * FROM mfa.check_database()"

  /// The statements that prepare all others. The first one returns the version of the schema.
  static var preparation: [SQLStatement] {
    [SQLStatement("SELECT mfa.schema_version()")]
      + allCases.map { statement in
        SQLStatement(.preparation(name: String(describing: statement), text: statement.rawValue))
      }
  }

  /// Returns the statement with values.
  func with(_ values: [SQLValue] = []) -> SQLStatement {
    SQLStatement(.prepared(name: String(describing: self)), values)
  }

  /// Loads a row.
  static func load(_ key: EngineKey, _ context: EngineContext) -> SQLStatement {
    load.with([
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
    return commit.with(values)
  }

  /// Replaces the state of the realm.
  static func replaceRealm(_ epoch: UInt64, _ state: RealmState) -> SQLStatement {
    replaceRealm.with([
      .bits(epoch), .bits(state.epoch), .bytes(state.incarnation), .number(state.fence),
      .number(Int64(state.fenceIntervals)), .bits(state.configuration),
      .number(Int64(state.format)),
    ])
  }

  /// Returns lines of the audit log.
  static func logLines(after number: UInt32, most: Int) -> SQLStatement {
    logLines.with([.number(Int64(number)), .number(Int64(most))])
  }

  /// Returns keys of rows.
  static func keys(_ kind: EngineKey.Kind, after id: [UInt8], most: Int) -> SQLStatement {
    keys.with([.number(Int64(kind.rawValue)), .bytes(id), .number(Int64(most))])
  }
}
