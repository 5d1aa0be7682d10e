import Foundation

/// A user's two files under /var/lib/mfa, for tests that read and damage them.
package struct StoreFiles: Sendable {
  /// The path of the factor record.
  package let record: String

  /// The path of the attempts file.
  package let attempts: String

  /// Creates the paths for the account `name`, which must not require escaping.
  package init(of name: String) {
    record = "/var/lib/mfa/factors/" + name
    attempts = "/var/lib/mfa/attempts/" + name
  }

  /// The content of both files at one moment.
  package struct Image: Equatable, Sendable {
    /// The content of the factor record.
    package let record: [UInt8]

    /// The content of the attempts file.
    package let attempts: [UInt8]

    /// The content of the audit log's files at the same moment, or nil to leave them unchanged.
    package var log: [String: [UInt8]]?

    /// Creates an image with the given contents.
    package init(record: [UInt8], attempts: [UInt8], log: [String: [UInt8]]? = nil) {
      self.record = record
      self.attempts = attempts
      self.log = log
    }

    /// Compares the user's files only.
    package static func == (left: Image, right: Image) -> Bool {
      left.record == right.record && left.attempts == right.attempts
    }
  }

  /// Returns the present content.
  package func image() throws(HarnessFailure) -> Image {
    var log: [String: [UInt8]] = [:]
    for path in Self.log where FileManager.default.fileExists(atPath: path) {
      log[path] = try Self.contents(of: path)
    }
    return Image(
      record: try Self.contents(of: record), attempts: try Self.contents(of: attempts), log: log)
  }

  /// The files of the audit log, and the identity of the store, which has the end of the log.
  static let log = ["", ".head", ".index"].map { "/var/lib/mfa/audit-log" + $0 } + [identity]

  /// The identity of the store.
  package static let identity = "/etc/mfa/identity/store"

  /// Makes the identity that of a store in which nothing was recorded.
  static func forgetIdentity() throws(HarnessFailure) {
    try Command.succeed([
      "/bin/sh", "-c", "head -c 512 /dev/zero | install -o mfa -g mfa -m 0600 /dev/stdin $0",
      identity,
    ])
  }

  /// Restores both files, whatever has replaced them.
  package func restore(_ image: Image) throws(HarnessFailure) {
    try Self.put(image.record, at: record)
    try Self.put(image.attempts, at: attempts)
    for (path, content) in image.log ?? [:] { try Self.put(content, at: path) }
  }

  /// Removes what is stored for the user, with an entry in the audit log, because the next sign-in
  /// would detect files that are merely missing. The record is first made unreadable, so that it is
  /// discarded together with its attempt state.
  package func discard() throws(HarnessFailure) {
    guard try Command.run(["/usr/bin/test", "-e", record]).status.isSuccess else { return }
    try Self.put(Array("discarded".utf8), at: record)
    let name = record.split(separator: "/").last.map(String.init) ?? ""
    try Command.succeed(["/usr/sbin/mfa-admin", "revoke", "--yes", "--all", name])
  }

  /// Returns the number of failures from the later slot of the attempts file.
  package func failures() throws(HarnessFailure) -> Int {
    try Self.latestSlot(of: try Self.contents(of: attempts)).failures
  }

  /// Returns the accepted time steps from the later slot of the attempts file.
  package func acceptedSteps() throws(HarnessFailure) -> [Int] {
    try Self.latestSlot(of: try Self.contents(of: attempts)).steps
  }

  /// Writes a file of the store with the store's owner and mode, replacing whatever exists there.
  package static func put(_ bytes: [UInt8], at path: String) throws(HarnessFailure) {
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

  /// Returns whether a file is a regular file with one link and with the owner and mode that the
  /// store uses.
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

  /// Returns the content of a file.
  package static func contents(of path: String) throws(HarnessFailure) -> [UInt8] {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw HarnessFailure("\(path) cannot be read")
    }
    return Array(data)
  }

  /// The distance in bytes between the beginnings of the two slots of an attempts file.
  private static let slotDistance = 1024

  private struct Slot {
    let sequence: Int
    let failures: Int
    let steps: [Int]
  }

  /// Reads a slot as specified: magic, version, sequence, record, failures, time of the last
  /// failure, postponed sign-ins, watermarks.
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
        sequence: number(base + 6..<base + 14),
        failures: number(base + 30..<base + 34), steps: steps)
    }
    guard let latest = slots.max(by: { $0.sequence < $1.sequence }) else {
      throw HarnessFailure("an attempts file without a slot")
    }
    return latest
  }
}
