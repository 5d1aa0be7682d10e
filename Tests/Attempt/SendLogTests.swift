import Foundation
import MFABase
import MFAModel
import MFAStore
import MFATestSupport
import Testing

@testable import MFAAttempt

/// The MUSTs of SendLog.swift.
@Suite("The list of messages to phones", .privateMachine)
struct SendLogTests {
  private static let now: Int64 = 1_800_000_000
  private let folder: SendFolder

  init() throws { folder = try SendFolder() }

  private func admit(
    _ number: String = "+15105551234", limits: HostSendLimits = HostSendLimits(), now: Int64 = now
  ) throws -> SendLog.Admission {
    try folder.log().admit(
      Array(number.utf8).span, by: SendCause(.signIn, of: 1), limits: limits, now: now)
  }

  @Test func admittedMessageIsOnTheDisk() throws {
    guard case .admitted(let id) = try admit() else {
      Issue.record("the message is refused")
      return
    }
    let status = try folder.log().status(limits: HostSendLimits(), now: Self.now)
    #expect(status.sent == 1 && status.returned == 0)
    try folder.log().markReturned(id)
    #expect(try folder.log().status(limits: HostSendLimits(), now: Self.now).returned == 1)
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.file)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test func fileHasNoNumber() throws {
    _ = try admit("+15105551234")
    let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.file))
    #expect(bytes.range(of: Data("5551234".utf8)) == nil)
    // Different numbers have limits of their own, and the same number has the same digest.
    let limits = HostSendLimits(perNumberHourly: 1)
    #expect(try admit(limits: limits) == .refused(.numberHourly(seconds: 3600)))
    guard case .admitted = try admit("+15105551235", limits: limits) else {
      Issue.record("another number is refused")
      return
    }
  }

  @Test func refusedMessageIsNotCounted() throws {
    let limits = HostSendLimits(perHostDaily: 1)
    _ = try admit(limits: limits)
    for _ in 0..<3 {
      #expect(try admit(limits: limits) == .refused(.hostDaily(seconds: 86_400)))
    }
    #expect(try folder.log().status(limits: limits, now: Self.now).sent == 1)
  }

  @Test(
    "a file that is damaged or not trusted allows no message",
    arguments: [
      (1, "invert 100", FactorStoreError.damaged(.sends)),
      (2, "invert 0", .damaged(.sends)),
      (3, "invert $(($(stat -c %s $F) - 1))", .damaged(.sends)),
      (4, "truncate -s -1 $F", .untrusted(.sends, .wrongSize)),
      (5, "printf x >>$F", .untrusted(.sends, .wrongSize)),
      (6, "chmod 0640 $F", .untrusted(.sends, .wrongPermissions)),
      (7, "chown 1 $F", .untrusted(.sends, .wrongOwner)),
      (8, "mv $F $F.2; ln -s $F.2 $F", .untrusted(.sends, .symbolicLink)),
      (9, "ln $F $F.2", .untrusted(.sends, .severalNames)),
      (10, "rm $F; mkfifo -m 600 $F", .untrusted(.sends, .notARegularFile)),
      (11, "chmod 0750 $S/phone", .untrusted(.sends, .wrongPermissions)),
      (12, "chown 1 $S/phone", .untrusted(.sends, .wrongOwner)),
      (13, "rm -r $S/phone", .system(.sends, .notFound(.open))),
    ])
  func damaged(number: Int, script: String, error: FactorStoreError) throws {
    _ = try admit()
    try folder.run(script)
    #expect(throws: error, "row \(number)") { try admit() }
    #expect(throws: error, "row \(number)") {
      try folder.log().status(limits: HostSendLimits(), now: Self.now)
    }
  }

  @Test func unwrittenFileCountsAsEmpty() throws {
    try folder.run("umask 077; : >$F")
    guard case .admitted = try admit() else {
      Issue.record("the message is refused")
      return
    }
  }

  @Test("a file of an earlier key counts as empty, and the log says so")
  func earlierKey() throws {
    _ = try admit(limits: HostSendLimits(perHostDaily: 1))
    try folder.writeKey(1)
    guard case .admitted = try admit(limits: HostSendLimits(perHostDaily: 1)) else {
      Issue.record("the message is refused")
      return
    }
    #expect(folder.lines == ["part=sends reason=sealed-under-another-key result=emptied"])
    #expect(
      try admit(limits: HostSendLimits(perHostDaily: 1)) == .refused(.hostDaily(seconds: 86_400)))
  }

  @Test("while the key is being changed, the file is read with either key")
  func changingKey() throws {
    _ = try admit(limits: HostSendLimits(perHostDaily: 2))
    try folder.writeKey(1, name: "key.next")
    _ = try admit(limits: HostSendLimits(perHostDaily: 2))
    let full = SendLog.Admission.refused(.hostDaily(seconds: 86_400))
    #expect(try admit(limits: HostSendLimits(perHostDaily: 2)) == full)
    try folder.run("mv -f $K.next $K")
    #expect(try admit(limits: HostSendLimits(perHostDaily: 2)) == full)
    #expect(folder.lines.isEmpty)
  }

  @Test("processes that send at the same time do not exceed a limit")
  func parallel() async throws {
    let limits = HostSendLimits(perNumberHourly: 20, perHostDaily: 10)
    let location = try folder.location()
    let admitted = try await withThrowingTaskGroup(of: Bool.self) { group in
      for index in 0..<30 {
        group.addTask {
          let number = Array("+151055512\(10 + index)".utf8)
          let admission = try SendLog(location, log: { _ in }).admit(
            number.span, by: SendCause(.signIn, of: 1), limits: limits, now: Self.now)
          if case .admitted = admission { return true }
          return false
        }
      }
      var count = 0
      for try await isAdmitted in group where isAdmitted { count += 1 }
      return count
    }
    #expect(admitted == 10)
  }
}

/// A store with a folder for messages to phones, which is removed at the end.
final class SendFolder {
  let path = "/var/lib/mfa-sends-\(UUID().uuidString)"
  private(set) var lines: [String] = []

  var file: String { path + "/store/phone/sends" }

  init() throws {
    for part in ["", "/store", "/store/phone"] {
      try Command.succeed(["/bin/mkdir", "-m", "0700", path + part])
    }
    try writeKey(0)
  }

  deinit { do { try FileManager.default.removeItem(atPath: path) } catch {} }

  func location() throws -> StoreLocation {
    guard let directory = TrustedPath(Array("\(path)/store".utf8)),
      let key = TrustedPath(Array("\(path)/key".utf8))
    else { throw FactorStoreError.nameTooLong }
    return StoreLocation(directory: directory, key: key)
  }

  func log() throws -> SendLog {
    SendLog(
      try location(),
      log: { [unowned self] line in lines.append(String(decoding: line.text, as: UTF8.self)) })
  }

  func writeKey(_ byte: UInt8, name: String = "key") throws {
    let url = URL(fileURLWithPath: "\(path)/\(name)")
    try Data(repeating: byte, count: SealingKey.length).write(to: url)
    try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: url.path)
  }

  /// Inverts the bits of one byte of the file, so that it differs whatever the byte was.
  private static let invert = """
    invert() {
      byte=$(od -An -t u1 -j "$1" -N 1 "$F")
      printf "\\\\$(printf %o "$((byte ^ 255))")" | dd of="$F" conv=notrunc bs=1 seek="$1" status=none
    }

    """

  /// Runs a shell script with `$F` as the file, `$S` as the store, `$K` as the key, and the function
  /// `invert OFFSET`.
  func run(_ script: String) throws {
    try Command.succeed(
      ["/bin/sh", "-ec", Self.invert + script],
      environment: ["F": file, "S": path + "/store", "K": path + "/key"])
  }
}
