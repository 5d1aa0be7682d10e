import Foundation

/// A person's two files under /var/lib/mfa, for tests that look at them and spoil them.
public struct StoreFiles: Sendable {
  /// Where the factors are.
  public let record: String

  /// Where the attempts are counted.
  public let attempts: String

  /// Where the files of the account `name` are; the name must need no escape.
  public init(of name: String) {
    record = "/var/lib/mfa/factors/" + name
    attempts = "/var/lib/mfa/attempts/" + name
  }

  /// What both files hold at a moment.
  public struct Image: Equatable, Sendable {
    /// What the file with the factors holds.
    public let record: [UInt8]

    /// What the file with the attempts holds.
    public let attempts: [UInt8]

    /// What the files of the audit log hold, which go with them; nil to leave those as they are.
    public var log: [String: [UInt8]]?

    /// What both files are to hold.
    public init(record: [UInt8], attempts: [UInt8], log: [String: [UInt8]]? = nil) {
      self.record = record
      self.attempts = attempts
      self.log = log
    }

    /// Compares the user's files.
    public static func == (left: Image, right: Image) -> Bool {
      left.record == right.record && left.attempts == right.attempts
    }
  }

  /// What both files hold now.
  public func image() throws(HarnessFailure) -> Image {
    var log: [String: [UInt8]] = [:]
    for path in Self.log where FileManager.default.fileExists(atPath: path) {
      log[path] = try Self.contents(of: path)
    }
    return Image(
      record: try Self.contents(of: record), attempts: try Self.contents(of: attempts), log: log)
  }

  /// The files of the audit log.
  static let log = ["", ".head", ".index"].map { "/var/lib/mfa/ledger" + $0 }

  /// Makes both files again what they were, whatever stands in their places.
  public func restore(_ image: Image) throws(HarnessFailure) {
    try Self.put(image.record, at: record)
    try Self.put(image.attempts, at: attempts)
    for (path, content) in image.log ?? [:] { try Self.put(content, at: path) }
  }

  /// Removes what is stored for the user, with an entry in the audit log: files that are merely removed
  /// are missed at the next sign-in. A record that cannot be read is discarded with all that it counted.
  public func discard() throws(HarnessFailure) {
    guard try Command.run(["/usr/bin/test", "-e", record]).status.isSuccess else { return }
    try Self.put(Array("discarded".utf8), at: record)
    let name = record.split(separator: "/").last.map(String.init) ?? ""
    try Command.succeed(["/usr/sbin/mfa-admin", "revoke", "--yes", "--all", name])
  }

  /// The number of failures that the attempts file counts, from its later slot.
  public func failures() throws(HarnessFailure) -> Int {
    try Self.latestSlot(of: try Self.contents(of: attempts)).failures
  }

  /// The accepted steps that the attempts file remembers, from its later slot.
  public func acceptedSteps() throws(HarnessFailure) -> [Int] {
    try Self.latestSlot(of: try Self.contents(of: attempts)).steps
  }

  /// The later slot's number, 0 or 1.
  public static func latestSlotNumber(of attempts: [UInt8]) throws(HarnessFailure) -> Int {
    try latestSlot(of: attempts).number
  }

  /// Writes a file of the store, of the store's owner and mode, in the place of whatever is there.
  public static func put(_ bytes: [UInt8], at path: String) throws(HarnessFailure) {
    if isPlain(path) {
      do {
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return
      } catch {
        throw HarnessFailure("\(path) cannot be written: \(error)")
      }
    }
    try Command.succeed(["/bin/rm", "-rf", path])
    try Command.succeed(
      ["/usr/bin/install", "-o", "mfa", "-g", "mfa", "-m", "0600", "/dev/stdin", path],
      input: bytes)
  }

  /// Whether a file is what the store itself makes: of its owner and mode, with one name.
  private static func isPlain(_ path: String) -> Bool {
    do {
      let status = try FileManager.default.attributesOfItem(atPath: path)
      return status[.type] as? FileAttributeType == .typeRegular
        && (status[.referenceCount] as? NSNumber)?.intValue == 1
        && (status[.posixPermissions] as? NSNumber)?.intValue == 0o600
        && status[.ownerAccountName] as? String == "mfa"
    } catch {
      return false
    }
  }

  /// What a file holds.
  public static func contents(of path: String) throws(HarnessFailure) -> [UInt8] {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw HarnessFailure("\(path) cannot be read")
    }
    return Array(data)
  }

  /// How many bytes lie between the beginnings of the two slots of an attempts file.
  public static let slotDistance = 1024

  /// How many bytes of a slot hold something: an attempt state and its checksum.
  public static let slotLength = 640 + 32

  private struct Slot {
    let number: Int
    let sequence: Int
    let failures: Int
    let steps: [Int]
  }

  /// Reads a slot as it was specified: magic, version, sequence, record, failures, time of the last
  /// failure, sign-ins put off, watermarks.
  private static func latestSlot(of attempts: [UInt8]) throws(HarnessFailure) -> Slot {
    func number(_ range: Range<Int>) -> Int { attempts[range].reduce(0) { $0 << 8 | Int($1) } }
    guard attempts.count == 2 * slotDistance else {
      throw HarnessFailure("an attempts file of \(attempts.count) bytes")
    }
    let slots = [0, 1].compactMap { slot -> Slot? in
      let base = slot * slotDistance
      guard Array(attempts[base..<base + 4]) == Array("MFAS".utf8) else { return nil }
      let marks = Int(attempts[base + 46])
      let steps = (0..<marks).map { mark in
        number(base + 47 + 24 * mark + 16..<base + 47 + 24 * mark + 24)
      }
      return Slot(
        number: slot, sequence: number(base + 6..<base + 14),
        failures: number(base + 30..<base + 34), steps: steps)
    }
    guard let latest = slots.max(by: { $0.sequence < $1.sequence }) else {
      throw HarnessFailure("an attempts file without a slot")
    }
    return latest
  }
}
