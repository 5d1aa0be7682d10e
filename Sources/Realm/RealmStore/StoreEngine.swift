import MFABase
import MFAStore

/// A database in which several verifiers keep one realm: sealed rows with versions, the state of the
/// realm, and the lines of its audit log.
///
/// An engine understands none of the bytes that it keeps. Everything that decides about a sign-in is in
/// `SharedFactorStore`, which is the same for all engines.
///
/// MUST 1: `load` and `commit` are answered by the primary only, and `load` returns nothing older than
/// the last acknowledged commit.
/// MUST 2: a commit takes effect as a whole, or not at all, and only if each row still has the version,
/// and the realm still has the epoch and the incarnation, that the change names.
/// MUST 3: a commit is acknowledged only if it is on as many machines as the database requires. A commit
/// that misses its deadline, is cancelled, or brings a notice of any kind, throws.
/// MUST 4: a function that throws anything but `conflict` and `budgetUsedUp` may have committed.
package protocol StoreEngine {
  /// Returns a row, the state of the realm, and what the realm knows of a host and an earlier answer.
  func load(_ key: EngineKey, _ context: EngineContext) throws(EngineError) -> EngineSnapshot

  /// Makes a change.
  ///
  /// If `entering` is given, a line is appended to the audit log in the same commit. The function gets
  /// the sealed end of the log (empty before the first line), and returns the line and the new end. It is
  /// called again if another line was appended meanwhile. If it returns nil, nothing is changed, and
  /// `commit` throws `.abandoned`.
  func commit(
    _ change: EngineChange, entering: ((_ end: [UInt8]) -> EngineLogLine?)?
  ) throws(EngineError)

  /// Replaces the state of the realm, if it still has this epoch. Returns false if it has another one.
  func replaceRealm(epoch: UInt64, with state: RealmState) throws(EngineError) -> Bool

  /// Returns lines of the audit log in order, those with numbers above `number`, at most `most` lines.
  func logLines(after number: UInt32, most: Int) throws(EngineError) -> [EngineLogLine]

  /// Returns the last line of the audit log, or nil if it has none.
  func lastLine() throws(EngineError) -> EngineLogLine?

  /// Returns keys of rows of one kind in the order of their ids, those with ids after `id`, at most
  /// `most` keys.
  func keys(
    _ kind: EngineKey.Kind, after id: [UInt8], most: Int
  ) throws(EngineError) -> [EngineKey]

  /// Returns the servers of the database, or nil if the engine cannot tell them.
  func servers() throws(EngineError) -> EngineServers?

  /// The message of the server or of its library about the error of the last call, with printable characters only.
  /// It is empty if the error has no message.
  var lastMessage: String { get }

  /// Returns a sentence for each property of the database that makes the realm less safe.
  func findings() throws(EngineError) -> [String]
}

extension StoreEngine {
  /// Returns the first 300 characters of a message, with "?" in place of all that are not
  /// printable.
  static func printable(_ message: String) -> String {
    var text = ""
    for scalar in message.unicodeScalars.prefix(300) {
      text.unicodeScalars.append(scalar.isControl || scalar.isDeceptive ? "?" : scalar)
    }
    return text
  }
}

/// An answer that is returned again when a request is repeated.
package struct EngineAnswer: Equatable, Sendable {
  /// The length of a nonce in bytes.
  package static let nonceLength = 16

  /// The random number of the request, `nonceLength` bytes.
  package var nonce: [UInt8]
  /// The answer, at most 1,024 bytes.
  package var answer: [UInt8]
  /// The time, in seconds since the epoch, after which the answer may be forgotten.
  package var expires: Int64
}

/// A change that takes effect as a whole.
package struct EngineChange: Sendable {
  /// The epoch that the realm must have.
  package var epoch: UInt64
  /// The row that is replaced; nil to change no row.
  package var row: EngineRowChange?
  /// Another row that is replaced with `row`. It requires a line in the audit log.
  package var otherRow: EngineRowChange?
  /// The new fingerprint of the configuration, with the one that it replaces; nil to leave it.
  package var configuration: (from: UInt64, to: UInt64)?
  /// The failures of a host that the change depends on; nil for none.
  package var budget: HostBudget?
  /// The answer to store, with its nonce; nil for none.
  package var answer: EngineAnswer?

  /// Whether the change gives way to others at the end of the audit log: if another change appends a line at the same
  /// moment, `commit` throws `.conflict` instead of trying again or waiting long.
  package var givesWay = false

  /// All rows to replace: none, one or two.
  package var rows: [EngineRowChange] { [row, otherRow].compactMap { $0 } }
}

/// A row that is replaced, if it still has this version.
package struct EngineRowChange: Sendable {
  /// The key of the row.
  package let key: EngineKey
  /// The version that the row must have; 0 if it must not exist.
  package var version: UInt64
  /// The new record. The row stays, with the next version, even if both parts are empty.
  package var record: [UInt8]
  /// The new attempt state.
  package var attempts: [UInt8]

  /// Creates a change of one row.
  package init(_ key: EngineKey, version: UInt64, record: [UInt8], attempts: [UInt8] = []) {
    self.key = key
    self.version = version
    self.record = record
    self.attempts = attempts
  }
}

/// What a load concerns besides its row.
package struct EngineContext: Sendable {
  /// The host whose failures in this period are returned; nil for none.
  package var host: [UInt8]?
  /// The period, a number that rises with time.
  package var period: Int64 = 0
  /// The nonce whose answer is returned; nil for none.
  package var nonce: [UInt8]?
}

/// The key of a row.
package struct EngineKey: Hashable, Sendable {
  /// What a row is about. The raw values are stored.
  package enum Kind: UInt8, Sendable {
    /// A user's record and attempt state.
    case user = 1
    /// A host of the realm.
    case host = 2
    /// A ticket with which a host joins the realm.
    case ticket = 3
    /// When a host was seen last.
    case hostSeen = 24
    /// When a verifier was seen last.
    case verifierSeen = 25
    /// A user's offline recovery codes.
    case offlineCodes = 16
    /// How far the queue of a host was reported.
    case offlineQueue = 17
    /// The entry of a user in the directory service.
    case directoryEntry = 26
    /// The user of an entry in the directory service.
    case directoryUser = 27
    /// The hosts that have reported the entry of a user.
    case directoryReports = 28
  }

  /// What the row is about.
  package let kind: Kind
  /// The id: 1 to 255 bytes.
  package let id: [UInt8]

  /// The maximum length of an id in bytes.
  package static let longestID = 255

  /// Creates a key. Returns nil if the id is empty or too long.
  package init?(_ kind: Kind, _ id: [UInt8]) {
    guard !id.isEmpty, id.count <= Self.longestID else { return nil }
    self.kind = kind
    self.id = id
  }
}

/// A line of a realm's audit log.
package struct EngineLogLine: Equatable, Sendable {
  /// The number of the line, counted from 1.
  package var number: UInt32
  /// The line, with its line feed.
  package var text: [UInt8]
  /// The sealed end of the log after this line.
  package var end: [UInt8]
}

/// A row.
package struct EngineRow: Equatable, Sendable {
  /// How often the row was committed; 0 if there is no row.
  package var version: UInt64
  /// The first part: a user's sealed record. Empty if there is none.
  package var record: [UInt8]
  /// The second part: a user's sealed attempt state. Empty if there is none.
  package var attempts: [UInt8]

  /// The row that does not exist.
  package static var none: EngineRow { EngineRow(version: 0, record: [], attempts: []) }

  /// The maximum length of each part in bytes.
  package static let longestPart = 65_536
}

/// The servers of a database.
package struct EngineServers: Equatable, Sendable {
  /// The server that makes changes.
  package var primary: String
  /// The other servers, each with its state in words.
  package var others: [String]
  /// How far the last of them is behind, in bytes; nil if that is not known.
  package var lag: UInt64?
}

/// What an engine has about a user or another row at one moment.
package struct EngineSnapshot: Equatable, Sendable {
  /// The row.
  package var row: EngineRow
  /// The state of the realm.
  package var realm: RealmState
  /// The present incarnation of the database. It differs from the one in `realm` after a failover or a
  /// restore.
  package var incarnation: [UInt8]
  /// The time by the engine's clock, in seconds since the epoch; 0 if it has none.
  package var time: Int64 = 0
  /// The number of failures of the host in the period.
  package var hostFailures: UInt32 = 0
  /// The answer that was committed with the nonce; nil if there is none.
  package var answer: [UInt8]?
}

/// A moment of the monotonic clock at which a call of an engine gives up.
typealias EngineDeadline = SuspendingClock.Instant

extension EngineDeadline {
  /// Returns the moment after a duration.
  static func after(_ duration: Duration) -> EngineDeadline {
    SuspendingClock.now.advanced(by: min(max(duration, .zero), .seconds(3600)))
  }

  /// The remaining milliseconds, rounded down; 0 if the deadline has passed.
  var milliseconds: Int {
    let (seconds, attoseconds) = SuspendingClock.now.duration(to: self).components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    return Int(min(seconds, 3600)) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
  }
}
