import MFARealmStore
import MFAStore

/// The engine that the configuration of a verifier names.
enum RealmEngine: StoreEngine {
  case postgreSQL(PostgreSQLEngine)
  case etcd(EtcdEngine)

  /// Creates the engine, which does not connect yet.
  init(_ configuration: DecisionConfiguration) {
    switch configuration.engine {
    case .postgreSQL:
      let connection = String(decoding: configuration.database, as: UTF8.self)
      self = .postgreSQL(PostgreSQLEngine(PostgreSQLConfiguration(connection: connection)))
    case .etcd: self = .etcd(EtcdEngine(configuration.etcd))
    }
  }

  /// The message about the error of the last call, with printable characters only, or an empty text.
  var lastMessage: String {
    switch self {
    case .postgreSQL(let engine): engine.lastMessage
    case .etcd(let engine): engine.lastMessage
    }
  }

  func load(
    _ key: EngineKey, _ context: EngineContext
  ) throws(EngineError) -> EngineSnapshot {
    switch self {
    case .postgreSQL(let engine): try engine.load(key, context)
    case .etcd(let engine): try engine.load(key, context)
    }
  }

  func commit(
    _ change: EngineChange, entering: ((_ end: [UInt8]) -> EngineLogLine?)?
  ) throws(EngineError) {
    switch self {
    case .postgreSQL(let engine): try engine.commit(change, entering: entering)
    case .etcd(let engine): try engine.commit(change, entering: entering)
    }
  }

  func replaceRealm(epoch: UInt64, with state: RealmState) throws(EngineError) -> Bool {
    switch self {
    case .postgreSQL(let engine): try engine.replaceRealm(epoch: epoch, with: state)
    case .etcd(let engine): try engine.replaceRealm(epoch: epoch, with: state)
    }
  }

  func logLines(after number: UInt32, most: Int) throws(EngineError) -> [EngineLogLine] {
    switch self {
    case .postgreSQL(let engine): try engine.logLines(after: number, most: most)
    case .etcd(let engine): try engine.logLines(after: number, most: most)
    }
  }

  func lastLine() throws(EngineError) -> EngineLogLine? {
    switch self {
    case .postgreSQL(let engine): try engine.lastLine()
    case .etcd(let engine): try engine.lastLine()
    }
  }

  func keys(
    _ kind: EngineKey.Kind, after id: [UInt8], most: Int
  ) throws(EngineError) -> [EngineKey] {
    switch self {
    case .postgreSQL(let engine): try engine.keys(kind, after: id, most: most)
    case .etcd(let engine): try engine.keys(kind, after: id, most: most)
    }
  }

  func servers() throws(EngineError) -> EngineServers? {
    switch self {
    case .postgreSQL(let engine): try engine.servers()
    case .etcd(let engine): try engine.servers()
    }
  }

  func findings() throws(EngineError) -> [String]? {
    switch self {
    case .postgreSQL(let engine): try engine.findings()
    case .etcd(let engine): try engine.findings()
    }
  }
}
