@testable import MFAStore
import MFABase
import MFAModel
import Foundation
import Synchronization
import MFATestSupport
import Testing

@Suite("The audit log", .privateMachine)
struct AuditLogTests {
  let fixture: StoreFixture

  init() throws { fixture = try StoreFixture() }

  var auditLog: String { fixture.folder + "/store/audit-log" }
  var head: String { fixture.folder + "/store/audit-log.head" }

  private func event(_ name: String = "phone") -> AuditLogEvent {
    AuditLogEvent(
      .renamed, ids: Array("0a1b".utf8), detail: Array(name.utf8),
      by: AuditLogEvent.Actor(
        name: Array("ali ce".utf8), uid: 1000, program: Array("sshd".utf8),
        source: Source(Array("2001:db8::1".utf8))), at: 1_700_000_059)
  }

  @discardableResult
  private func enter(_ names: String...) throws -> [String] {
    try names.map { name in
      String(decoding: try fixture.open().enter(event(name)).text, as: UTF8.self)
    }
  }

  private func inspect() throws -> (reading: AuditLogReading, lines: [AuditLogReading.Line]) {
    var lines: [AuditLogReading.Line] = []
    let reading = try fixture.open().inspectAuditLog { lines.append($0) }
    return (reading, lines)
  }

  private func refusal() throws -> FactorStoreError? {
    let store = try fixture.open()
    do throws(FactorStoreError) {
      _ = try store.enter(event())
      return nil
    } catch {
      return error
    }
  }

  private func text() throws -> String {
    String(decoding: try fixture.bytes(of: auditLog), as: UTF8.self)
  }

  @Test("an entry is one readable line; its checkpoint is its number and part of its chain value")
  func format() throws {
    let marks = try enter("my phone", "tab\nlet")
    let lines = try text().split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count == 3 && lines[2].isEmpty)
    let first =
      "n=1 time=2023-11-14T22:14:19Z event=renamed user=- uid=- id=0a1b name=my\\x20phone "
      + "by=ali\\x20ce by-uid=1000 via=sshd from=2001:db8::1 record=- chain="
    #expect(lines[0].hasPrefix(first) && lines[0].count == first.count + 64)
    #expect(lines[1].contains("n=2 ") && lines[1].contains(" name=tab\\x0alet "))
    for (line, mark) in zip(lines, marks) {
      let value = line.suffix(64).prefix(8)
      #expect(
        mark.hasSuffix(":\(value)")
          && AuditLogCheckpoint(Array(mark.utf8))?.text == Array(mark.utf8))
    }
    let (reading, seen) = try inspect()
    #expect(reading.fault == nil && reading.last?.text == Array(marks[1].utf8))
    #expect(seen.map(\.number) == [1, 2] && reading.lines == 2)
    #expect(
      seen.map { String(decoding: $0.text, as: UTF8.self) } == lines.dropLast().map(String.init))
  }

  @Test("a missing audit log is empty")
  func empty() throws {
    let (reading, lines) = try inspect()
    #expect(reading.fault == nil && reading.last == nil && lines.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: auditLog))
  }

  // MARK: Changed files

  @Test("any changed byte is detected, and its line is reported")
  func everyByteFlipped() throws {
    try enter("one", "two", "three")
    let whole = try fixture.bytes(of: auditLog)
    var line = 1
    for index in whole.indices {
      var changed = whole
      changed[index] ^= 1 << UInt8(index % 8)
      try fixture.overwrite(auditLog, changed)
      let fault = try inspect().reading.fault
      // Without its final line feed, the last line counts as incomplete.
      let isLast = index == whole.count - 1
      #expect(fault == (isLast ? .cut(missing: 1) : .broken(line: line)), "byte \(index)")
      if whole[index] == UInt8(ascii: "\n") { line += 1 }
    }
    try fixture.overwrite(auditLog, whole)
    #expect(try inspect().reading.fault == nil)
  }

  @Test("any changed byte of the head file is detected or has no effect")
  func everyByteOfTheHeadFlipped() throws {
    try enter("one", "two", "three")
    let whole = try fixture.bytes(of: head)
    for index in whole.indices {
      var changed = whole
      changed[index] ^= 1 << UInt8(index % 8)
      try fixture.overwrite(head, changed)
      let reading = try inspect().reading
      // The other slot is at most one entry behind, as after an interrupted process.
      #expect(reading.fault == nil && reading.last?.number == 3, "byte \(index)")
    }
    try fixture.overwrite(head, [UInt8](repeating: 0, count: 1024))
    #expect(try inspect().reading.fault == .headMissing)
    #expect(try refusal() == .damaged(.auditLogHead))
  }

  @Test("removed, repeated and exchanged lines are detected, and the line is reported")
  func everyLineRemoved() throws {
    try enter("one", "two", "three", "four")
    let whole = try text().split(separator: "\n").map(String.init)
    func check(_ lines: [String], _ fault: AuditLogReading.Fault, _ row: String) throws {
      try fixture.overwrite(auditLog, Array(lines.map { $0 + "\n" }.joined().utf8))
      #expect(try inspect().reading.fault == fault, "\(row)")
    }
    for index in whole.indices {
      var lines = whole
      lines.remove(at: index)
      try check(
        lines, index == 3 ? .cut(missing: 1) : .broken(line: index + 1), "without \(index + 1)")
      lines = whole
      lines.insert(whole[index], at: index)
      try check(lines, .broken(line: index + 2), "\(index + 1) twice")
      lines.insert("junk", at: index + 1)
      let isBehind = index == 3
      try check(
        lines, .broken(line: index + (isBehind ? 3 : 2)), "\(index + 1) twice, and junk")
      guard index > 0 else { continue }
      lines = whole
      lines.swapAt(index - 1, index)
      try check(lines, .broken(line: index), "\(index) and \(index + 1) swapped")
    }
    try check(whole.dropLast(4), .cut(missing: 4), "without all")
  }

  @Test("an audit log truncated at any length is detected, with the number of missing entries")
  func everyTruncation() throws {
    try enter("one", "two", "three")
    let whole = try fixture.bytes(of: auditLog)
    for length in whole.indices {
      let cut = Array(whole.prefix(length))
      try fixture.overwrite(auditLog, cut)
      let entries = cut.count { $0 == UInt8(ascii: "\n") }
      let fault = try inspect().reading.fault
      #expect(fault == .cut(missing: UInt32(3 - entries)), "length \(length)")
      let refusal = try refusal()
      // An empty or removed audit log is not begun again automatically.
      if length == 0 {
        guard case .system(.auditLog, _) = refusal else { Issue.record("length 0"); continue }
      } else {
        #expect(refusal == .damaged(.auditLog), "length \(length)")
      }
    }
    try fixture.overwrite(auditLog, whole)
    #expect(try refusal() == nil)
  }

  @Test("entries chained with a different key are refused")
  func anotherKey() throws {
    try enter("one", "two")
    try Command.succeed(["/bin/rm", fixture.folder + "/key"])
    try fixture.write(Array(1...32), to: "/key", mode: "0400")
    #expect(try inspect().reading.fault == .broken(line: 1))
    #expect(try refusal() == .damaged(.auditLogHead))
  }

  // MARK: Interrupted writes

  @Test(
    "an incomplete entry of an interrupted process is replaced, and a complete one is kept",
    arguments: [
      // Row, the bytes after the two entries that the head file covers, and the number of valid
      // entries.
      (1, "", 2), (2, "n=3 time=", 2), (3, "n=3 time=\n", 2), (4, "\0\0\0", 2), (5, "3", 3),
      (6, "3n=4 ti", 3), (7, "junk\nmore junk", 2), (8, "\n", 2),
    ])
  func interrupted(row: Int, left: String, entries: Int) throws {
    try enter("one", "two")
    let heads = try fixture.bytes(of: head)
    let two = try fixture.bytes(of: auditLog)
    try enter("three")
    let third = Array(try fixture.bytes(of: auditLog).dropFirst(two.count))
    try fixture.overwrite(head, heads)
    let rest = left.hasPrefix("3") ? third + Array(left.dropFirst().utf8) : Array(left.utf8)
    try fixture.overwrite(auditLog, two + rest)

    let before = try inspect().reading
    #expect(before.fault == nil && before.last?.number == UInt32(entries), "row \(row)")
    #expect(before.left == rest.count - (entries - 2) * third.count, "row \(row)")
    #expect(try enter("next")[0].hasPrefix("\(entries + 1):"), "row \(row)")
    let (reading, lines) = try inspect()
    #expect(reading.fault == nil && reading.left == 0 && reading.torn == 0, "row \(row)")
    #expect(reading.last?.number == UInt32(entries + 1), "row \(row)")
    #expect(lines.count == entries + 1, "row \(row)")
    let kept = entries == 2 ? two : two + third
    #expect(try fixture.bytes(of: auditLog).starts(with: kept), "row \(row)")
  }

  @Test("any number of interrupted entries can be replaced")
  func interruptedOften() throws {
    try enter("one", "two")
    let two = try fixture.bytes(of: auditLog)
    for length in [1, 100, 4_000] {
      for round in 0..<20 {
        let whole = try fixture.bytes(of: auditLog)
        try fixture.overwrite(auditLog, whole + [UInt8](repeating: 0x78, count: length))
        try enter("entry \(round)")
      }
    }
    let (reading, lines) = try inspect()
    #expect(reading.fault == nil && reading.left == 0 && reading.torn == 0)
    #expect(lines.count == 62)
    #expect(try fixture.bytes(of: auditLog).starts(with: two))
  }

  @Test("an entry that lacks only its line feed is completed")
  func lineFeed() throws {
    try enter("one")
    let heads = try fixture.bytes(of: head)
    try enter("two")
    let two = try fixture.bytes(of: auditLog)
    try fixture.overwrite(head, heads)
    try fixture.overwrite(auditLog, Array(two.dropLast()))
    #expect(try inspect().reading.fault == nil)
    #expect(try enter("three")[0].hasPrefix("3:"))
    let reading = try inspect().reading
    #expect(reading.fault == nil && reading.left == 0 && reading.last?.number == 3)
    #expect(try fixture.bytes(of: auditLog).starts(with: two))
  }

  @Test("a forged line is not accepted as the entry of an interrupted process")
  func forged() throws {
    try enter("one", "two")
    let two = try fixture.bytes(of: auditLog)
    let line = try #require(try text().split(separator: "\n").last)
    for (row, left, broken) in [
      (1, "\(line.replacing("n=2 ", with: "n=3 "))\n", 3), (2, "junk\n\(line)\n", 4),
      (3, "\(line)\njunk", 3),
    ] {
      try fixture.overwrite(auditLog, two + Array(left.utf8))
      #expect(try inspect().reading.fault == .broken(line: broken), "row \(row)")
    }
    // The next entry replaces the forged line.
    try enter("three")
    #expect(try inspect().reading.fault == nil)
    #expect(try text().split(separator: "\n").count == 3)
  }

  @Test("the first entry may be interrupted, but several entries without a head file are refused")
  func beginning() throws {
    try enter("one", "two")
    let lines = try text().split(separator: "\n").map { Array(($0 + "\n").utf8) }
    let zeros = [UInt8](repeating: 0, count: 1024)
    for (row, content, isGood) in [
      (1, [], true), (2, Array("n=1".utf8), true), (3, lines[0], true), (4, lines[0] + [7], true),
      (5, lines[0] + lines[1], false),
    ] as [(Int, [UInt8], Bool)] {
      try fixture.overwrite(head, zeros)
      try fixture.overwrite(auditLog, content)
      #expect((try refusal() == nil) == isGood, "row \(row)")
      #expect((try inspect().reading.fault == nil) == isGood, "row \(row)")
    }
  }

  @Test("a long uncovered tail is refused instead of read")
  func readsLittle() throws {
    try enter("one")
    let whole = try fixture.bytes(of: auditLog)
    let junk = [UInt8](repeating: UInt8(ascii: "x"), count: 12_289)
    try fixture.overwrite(auditLog, whole + junk)
    #expect(try refusal() == .damaged(.auditLog))
    #expect(try inspect().reading.fault == .broken(line: 2))
    try fixture.overwrite(auditLog, whole + junk.dropLast())
    #expect(try refusal() == nil)
    #expect(try inspect().reading.fault == nil)
  }

  // MARK: The store

  @Test("the files of an audit log that root moves aside belong to the store's owner")
  func ownerOfMovedFiles() throws {
    try enter("one")
    try Command.succeed(["/bin/chown", "-R", "1", fixture.folder + "/store"])
    let moved = try fixture.open().moveAuditLogAside(suffix: Array("old".utf8))
    #expect(moved.count == 3)
    for name in moved {
      let path = fixture.folder + "/store/" + String(decoding: name, as: UTF8.self)
      #expect(try Command.succeed(["/usr/bin/stat", "-c", "%u %a", path]) == "1 600\n", "\(path)")
    }
  }

  @Test(
    "files with a wrong owner, mode or type are refused, and nothing is changed",
    arguments: [
      (1, "chmod 0640 $L", .untrusted(.auditLog, .wrongPermissions)),
      (2, "chown 1 $L", .untrusted(.auditLog, .wrongOwner)),
      (3, "ln $L $L.2", .untrusted(.auditLog, .severalNames)),
      (4, "mv $L $L.2; ln -s $L.2 $L", .untrusted(.auditLog, .symbolicLink)),
      (5, "rm $L; mkfifo -m 0600 $L", .untrusted(.auditLog, .notARegularFile)),
      (6, "chmod 0640 $H", .untrusted(.auditLogHead, .wrongPermissions)),
      (7, "chown 1 $H", .untrusted(.auditLogHead, .wrongOwner)),
      (8, "ln $H $H.2", .untrusted(.auditLogHead, .severalNames)),
      (9, "mv $H $H.2; ln -s $H.2 $H", .untrusted(.auditLogHead, .symbolicLink)),
      (10, "truncate -s 1023 $H", .untrusted(.auditLogHead, .wrongSize)),
      (11, "rm $H", .damaged(.auditLogHead)),
      (12, "rm $L", .system(.auditLog, .notFound(.open))),
      (13, "truncate -s 0 $H", .damaged(.auditLogHead)),
      (14, "rm $L.index", .system(.auditLogIndex, .notFound(.open))),
      (15, "chmod 0640 $L.index", .untrusted(.auditLogIndex, .wrongPermissions)),
      (16, "truncate -s 0 $L.index", .system(.auditLogIndex, .notFound(.open))),
    ] as [(Int, String, FactorStoreError)])
  func distrusted(number: Int, change: String, expected: FactorStoreError) throws {
    try fixture.enroll()
    try enter("one", "two")
    try fixture.rename()
    let before = try fixture.bytes(of: fixture.record)
    let script = "L=$1/store/audit-log H=$1/store/audit-log.head; "
    try Command.succeed(["/usr/bin/env", "sh", "-ec", script + change, "sh", fixture.folder])
    let entry = try fixture.open().unverifiedEntry(of: fixture.account)
    let record = try #require(entry.record)
    let attempts = entry.attempts
    let store = fixture
    #expect(throws: expected, "row \(number)") {
      var changed = record
      changed.note(.recoveryCodesMade, about: .recoveryCodes, from: .unknown, at: 7)
      _ = try entry.replace(record: changed, attempts: attempts, entering: event())
    }
    #expect(try store.bytes(of: store.record) == before, "row \(number)")
  }

  @Test("the audit log contains the new record's fingerprint, which mailing does not change")
  func enteredFirst() throws {
    try fixture.enroll()
    func fingerprints() throws -> [String] {
      try text().split(separator: "\n").compactMap { line in
        line.split(separator: " ").first { $0.hasPrefix("record=") }.map(String.init)
      }
    }
    let entry = try fixture.open().entry(of: fixture.account, creating: false)
    var record = try #require(entry.record)
    record.note(.recoveryCodesMade, about: .recoveryCodes, from: .unknown, at: 7)
    let mark = try entry.replace(record: record, attempts: entry.attempts, entering: event())
    #expect(mark?.number == 1)
    record.mailed(upTo: 1)
    #expect(try entry.replace(record: record, attempts: entry.attempts, entering: nil) == nil)
    #expect(try entry.write(entry.attempts, entering: event()).number == 2)
    record.note(.recoveryCodesMade, about: .recoveryCodes, from: .unknown, at: 7)
    #expect(
      try entry.replace(record: record, attempts: entry.attempts, entering: event())?.number == 3)
    let prints = try fingerprints()
    #expect(prints.count == 3 && prints[0].utf8.count == 7 + 16)
    #expect(prints[0] == prints[1] && prints[1] != prints[2])
    #expect(try text().contains(" user=alice uid=1000 "))
  }

  // MARK: Configurations

  private func change(_ configuration: UInt64) throws -> AuditLogCheckpoint? {
    try Self.enter(
      AuditLogEvent(
        .policyChanged, ids: Array("9f".utf8), detail: Array("/etc/mfa/mfa.conf@x".utf8),
        by: AuditLogEvent.Actor(
          name: [], uid: nil, program: Array("sshd".utf8), source: Source([])), at: 0),
      configuration, in: fixture.location())
  }

  private func knows(_ configuration: UInt64) throws -> Bool {
    try fixture.open().knows(configuration: configuration)
  }

  @Test("a new configuration is recorded once, and can then be recognised without the key")
  func configurations() throws {
    #expect(try !knows(7))
    #expect(try change(7)?.number == 1)
    #expect(try text().contains(" event=policy-changed user=- uid=- id=9f "))
    #expect(try text().contains(" by=- by-uid=- via=sshd from=- record=- chain="))
    #expect(try change(7) == nil && knows(7) && !knows(8))
    // Other entries keep the configuration, in both slots.
    for name in ["one", "two", "three"] {
      try enter(name)
      #expect(try knows(7), "\(name)")
    }
    #expect(try change(8)?.number == 5 && knows(8) && !knows(7))
    #expect(try change(7)?.number == 6 && knows(7))
    try fixture.write([UInt8](repeating: 1, count: 32), to: "/key", mode: "0400")
    #expect(try knows(7))
  }

  @Test("a head file of an unknown version is refused")
  func unknownHead() throws {
    try enter("one")
    try enter("two")
    var unknown = try fixture.bytes(of: head)
    for slot in [0, 512] { unknown[slot + 5] = 2 }
    try fixture.overwrite(head, unknown)
    #expect(try inspect().reading.fault == .headMissing)
  }

  @Test("thirty-two concurrent writers record each of their events once")
  func concurrency() throws {
    let location = try fixture.location()
    let failures = Mutex(0)
    let event = event()
    DispatchQueue.concurrentPerform(iterations: 32) { _ in
      do {
        let store = try LocalFactorStore(location)
        for _ in 0..<4 { _ = try store.enter(event) }
      } catch {
        failures.withLock { $0 += 1 }
      }
    }
    #expect(failures.withLock { $0 } == 0)
    let (reading, lines) = try inspect()
    #expect(reading.fault == nil && reading.last?.number == 128 && lines.count == 128)
  }

  /// Records a configuration.
  private static func enter(
    _ event: AuditLogEvent, _ configuration: UInt64, in location: StoreLocation
  ) throws -> AuditLogCheckpoint? {
    try StoreFixture.whileBusy { () throws(FactorStoreError) in
      try LocalFactorStore(location).enter(event, configuration: configuration)
    }
  }

  @Test("if thirty-two concurrent processes see a new configuration, only one records it")
  func oneEntersConfigurations() throws {
    let location = try fixture.location()
    let changed = AuditLogEvent(.policyChanged, by: event().actor, at: 0)
    let entered = Mutex([UInt64: Int]())
    let failures = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 32) { number in
      do {
        let configuration = UInt64(1 + number / 8)
        let mark = try Self.enter(changed, configuration, in: location)
        if mark != nil { entered.withLock { $0[configuration, default: 0] += 1 } }
      } catch {
        failures.withLock { $0 += 1 }
      }
    }
    #expect(failures.withLock { $0 } == 0)
    let counts = entered.withLock { $0 }
    #expect(counts.keys.sorted() == [1, 2, 3, 4])
    #expect(try inspect().reading.last?.number == UInt32(counts.values.reduce(0, +)))
  }
}
