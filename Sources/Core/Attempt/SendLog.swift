import MFABase
import MFACrypto
import MFAModel
import MFAStore

/// The messages that this host sent to phones in the last 24 hours, in one file of the store. It
/// limits further messages: for each phone number, and for the host.
///
/// The file has no phone number, only keyed digests. It has a fixed length and a checksum.
///
/// MUST 1: a message is counted, and the file is on the disk, before anything is sent.
/// (`SendLogTests.admittedMessageIsOnTheDisk`)
/// MUST 2: a file that is damaged or not trusted allows no message. (`SendLogTests.damaged`)
/// MUST 3: a file that was sealed with an earlier key counts as empty, and this is logged: the key
/// was changed with `mfa-admin rekey`. (`SendLogTests.earlierKey`)
/// MUST 4: processes that send at the same time do not exceed a limit. (`SendLogTests.parallel`)
package struct SendLog {
  /// Why no message is sent, and for how long.
  package enum Refusal: Equatable, Sendable {
    /// `phone_number_hourly` is reached.
    case numberHourly(seconds: Int64)
    /// `phone_host_daily` is reached.
    case hostDaily(seconds: Int64)
    /// Too few codes came back (`phone_breaker`).
    case breaker(seconds: Int64)

    /// The reason, as written in log lines.
    package var name: StaticString {
      switch self {
      case .numberHourly: "number-hourly"
      case .hostDaily: "host-daily"
      case .breaker: "breaker"
      }
    }

    /// The seconds until a message can be sent.
    package var seconds: Int64 {
      switch self {
      case .numberHourly(let seconds), .hostDaily(let seconds), .breaker(let seconds): seconds
      }
    }
  }

  /// Whether a message may be sent.
  package enum Admission: Equatable, Sendable {
    /// The message is counted, and has this identifier.
    case admitted(SendID)
    /// The message must not be sent.
    case refused(Refusal)
  }

  /// What administrators see.
  package struct Status: Equatable, Sendable {
    /// The number of messages of the last 24 hours, with those that failed.
    package let sent: Int
    /// How many of their codes users typed.
    package let returned: Int
    /// How many the gateway did not send.
    package let failed: Int
    /// The breaker for codes at sign-ins, and for messages without a code.
    package let signIns: Breaker
    /// The breaker for codes that confirm a number.
    package let enrolments: Breaker
  }

  /// What administrators see of a breaker.
  package struct Breaker: Equatable, Sendable {
    /// How many messages it looks at, 20 at most.
    package let examined: Int
    /// How many codes of those users typed.
    package let returned: Int
    /// The seconds for which it stops messages; nil if it does not.
    package let seconds: Int64?
  }

  private let location: StoreLocation
  private let log: (LogLine) -> Void

  /// Creates a value for the list in the store. Opens nothing. `log` writes a line to the system log.
  package init(_ location: StoreLocation, log: @escaping (LogLine) -> Void) {
    self.location = location
    self.log = log
  }

  // MARK: Messages

  /// Counts a message to a phone number, unless a limit is reached.
  package func admit(
    _ number: Span<UInt8>, by cause: SendCause, limits: HostSendLimits, now: Int64
  ) throws(FactorStoreError) -> Admission {
    let file = try OpenFile(location, log)
    let digest = try file.digest(of: number)
    if let refusal = file.history.refusal(digest, by: cause, limits, now) {
      return .refused(refusal)
    }
    let id = try cryptographic { () throws(SystemError) in try SendID.random() }
    file.history.add(id, to: digest, by: cause, now)
    try file.write()
    return .admitted(id)
  }

  /// Records that the user typed the code of a message.
  package func markReturned(_ id: SendID) throws(FactorStoreError) { try set(.returned, of: id) }

  /// Records that the gateway did not send a message. It counts for no limit any more.
  package func markFailed(_ id: SendID) throws(FactorStoreError) { try set(.failed, of: id) }

  /// Records that a message has no code. It counts for the limits, but the breaker ignores it.
  package func markNotice(_ id: SendID) throws(FactorStoreError) { try set(.notice, of: id) }

  private func set(
    _ result: SendHistory.Result, of id: SendID
  ) throws(FactorStoreError) {
    let file = try OpenFile(location, log)
    let before = file.history
    file.history.set(result, of: id)
    if file.history != before { try file.write() }
  }

  // MARK: Administration

  /// Allows messages again after the breaker stopped them.
  package func resume(now: Int64) throws(FactorStoreError) {
    let file = try OpenFile(location, log)
    file.history.resume(now)
    try file.write()
  }

  /// Returns the numbers for administrators.
  package func status(limits: HostSendLimits, now: Int64) throws(FactorStoreError) -> Status {
    let file = try OpenFile(location, log)
    return file.history.status(limits, now)
  }
}

/// The opened and locked file. Destroying the value releases the lock.
///
/// This is an object, so that a value that is thrown away keeps the order in which its parts end: the
/// section ends after the lock.
private final class OpenFile {
  private let owned: OwnedFile
  private var file: File
  private let section: UninterruptedSection
  private var key: SealingKey
  /// The content of the file.
  var history: SendHistory

  private static var magic: [UInt8] { ("mfa sends 1\n" as StaticString).bytes }
  private static var headLength: Int { magic.count &+ SealingKey.identityLength }
  private static var length: Int {
    headLength &+ SendHistory.length &+ SealingKey.checksumLength
  }

  /// Opens the file, and creates it if it does not exist.
  ///
  /// Throws before the object exists: see `LocalFactorStoreEntry`.
  convenience init(
    _ location: StoreLocation, _ log: (LogLine) -> Void
  ) throws(FactorStoreError) {
    try location.directory.checkParents(of: .directory)
    let store = try onPart(.directory) { () throws(SystemError) in
      try location.directory.lastDirectory()
    }
    let owner = try StoreDirectory.owner(of: store, .directory)
    guard let name = FileName("sends") else { throw .nameTooLong }
    let owned = OwnedFile(
      .sends,
      directory: try StoreDirectory(StoreFile.phone.name, in: store, owner: owner, .sends),
      name: name, owner: owner)
    let section = try onPart(.sends) { () throws(SystemError) in try UninterruptedSection() }
    let file = try owned.lock(creating: true, length: Self.length)
    // The key is read under the lock: no file is written with a key that was replaced.
    var key = try SealingKey(try KeyFile(location.key), storeOwner: owner)
    let bytes = try onPart(.sends) { () throws(SystemError) in try file.read(count: Self.length) }
    let history = try Self.history(bytes, &key, log)
    self.init(owned, file, section, key, history)
  }

  private init(
    _ owned: consuming OwnedFile, _ file: consuming File,
    _ section: consuming UninterruptedSection, _ key: consuming SealingKey,
    _ history: SendHistory
  ) {
    self.owned = owned
    self.file = file
    self.section = section
    self.key = key
    self.history = history
  }

  /// Returns the content of the file: empty if it was never written, or was sealed with an earlier
  /// key.
  private static func history(
    _ bytes: [UInt8], _ key: inout SealingKey, _ log: (LogLine) -> Void
  ) throws(FactorStoreError) -> SendHistory {
    guard bytes.count == length else { throw .damaged(.sends) }
    if bytes.allSatisfy({ $0 == 0 }) { return SendHistory() }
    let end = length &- SealingKey.checksumLength
    let sealed = bytes.span.part(from: 0, count: end).copied()
    let checksum = bytes.span.part(from: end, count: SealingKey.checksumLength)
    let isValid = try cryptographic { () throws(SystemError) in
      try key.verifies(checksum, of: sealed, purpose: .sendLog)
    }
    let identity = try cryptographic { () throws(SystemError) in try key.identity() }
    guard isValid else {
      let writer = sealed.span.part(from: magic.count, count: SealingKey.identityLength).copied()
      guard sealed.starts(with: magic), writer != identity, !key.isChanging else {
        throw .damaged(.sends)
      }
      var line = LogLine()
      line.add("part", FactorStoreError.Part.sends.name)
      line.add("reason", "sealed-under-another-key")
      line.add("result", "emptied")
      log(line)
      return SendHistory()
    }
    guard sealed.starts(with: magic),
      let history = SendHistory(sealed.span.part(from: headLength, count: SendHistory.length))
    else { throw .damaged(.sends) }
    return history
  }

  /// Returns the digest of a phone number.
  func digest(of number: Span<UInt8>) throws(FactorStoreError) -> SendHistory.NumberDigest {
    let bytes = try cryptographic { () throws(SystemError) in
      try key.digest(of: number, context: [], purpose: .phoneNumber)
    }
    var reader = ByteReader(bytes.span)
    guard let first = reader.read(UInt64.self), let second = reader.read(UInt64.self) else {
      throw .cryptography
    }
    return SendHistory.NumberDigest(first: first, second: second)
  }

  /// Replaces the file by one with the present content. An interruption leaves one of the two.
  func write() throws(FactorStoreError) {
    let sealed = try cryptographic { () throws(SystemError) in
      let content = try Self.magic + key.identity() + history.bytes
      return try content + key.checksum(of: content, purpose: .sendLog)
    }
    file = try owned.replace(with: sealed)
  }
}

/// Why a message is sent, and on whose behalf. The limits depend on both.
package struct SendCause: Equatable, Sendable {
  /// What a message is for.
  package enum Purpose: UInt8, Sendable {
    /// It has a code for a sign-in.
    case signIn = 0
    /// It has a code that confirms a number, which may belong to another user.
    case enrolment = 1
    /// It has no code: a message about a change, or a test of an administrator.
    case notice = 2
  }

  /// What the message is for.
  package let purpose: Purpose

  /// The uid of the account that the message is sent for.
  package let user: UInt32

  /// Creates a cause.
  package init(_ purpose: Purpose, of user: UInt32) {
    self.purpose = purpose
    self.user = user
  }
}

/// The identifier of one message to a phone. It is not secret.
package struct SendID: Equatable, Sendable {
  /// The identifier as a number.
  package let number: UInt64

  /// The length of the text in bytes.
  static var textLength: Int { 16 }

  /// Creates an identifier from its number.
  package init(number: UInt64) { self.number = number }

  /// Creates a random identifier.
  static func random() throws(SystemError) -> SendID {
    var number: UInt64 = 0
    for byte in try randomBytes(count: 8) { number = number << 8 | UInt64(byte) }
    return SendID(number: number)
  }

  /// Parses 16 hexadecimal digits in lower case.
  package init?(_ text: [UInt8]) {
    guard let bytes = Hexadecimal.bytes(of: text, count: 8) else { return nil }
    var number: UInt64 = 0
    for byte in bytes { number = number << 8 | UInt64(byte) }
    self.number = number
  }

  /// The identifier as 16 hexadecimal digits in lower case.
  package var text: [UInt8] {
    var writer = ByteWriter()
    writer.write(number)
    return Hexadecimal.text(of: writer.bytes)
  }
}
