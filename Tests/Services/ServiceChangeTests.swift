import Testing

@testable import MFAServices

@Suite struct ServiceChangeTests {
  static let file = ChangedFile(
    path: "/etc/pam.d/sshd", old: Array("a\nend\n".utf8), new: Array("a\nfile 1 2\nend\nb".utf8),
    permissions: 0o644, owner: 0, group: 42)
  static let dropIn = ChangedFile(
    path: "/etc/ssh/a b%\n", old: nil, new: [0, 255, 10], permissions: 0o600, owner: 0, group: 0)
  static let deadline = ServiceChange.Deadline(
    boot: "c3ac-df7", sinceBoot: 100, time: 1_795_289_156)

  static let changes = [
    ServiceChange(
      service: Array("sshd".utf8), stage: .inProgress, deadline: deadline,
      actor: Array("alice".utf8),
      files: [dropIn, file]),
    ServiceChange(
      service: Array("sudo".utf8), stage: .pending, deadline: nil, actor: Array("a b\n".utf8),
      processes: [.init(number: 12, start: 3_526_700), .init(number: 1, start: 0)], files: [file]),
    ServiceChange(
      service: Array("su".utf8), stage: .undoing, deadline: deadline, actor: [], files: [dropIn]),
  ]

  @Test("a written change reads back equal", arguments: changes)
  func roundTrip(change: ServiceChange) {
    #expect(ServiceChange(change.bytes) == change)
  }

  @Test("truncated records and records with trailing bytes are rejected", arguments: changes)
  func truncated(change: ServiceChange) {
    let bytes = change.bytes
    for count in bytes.indices {
      #expect(ServiceChange(Array(bytes[..<count])) == nil, "\(count)")
    }
    for more in ["\n", "end\n", "x"] {
      #expect(ServiceChange(bytes + Array(more.utf8)) == nil)
    }
  }

  @Test("a changed byte in a heading, key or length is rejected")
  func damaged() {
    let change = Self.changes[1]
    let bytes = change.bytes
    for index in bytes.indices {
      var damaged = bytes
      damaged[index] ^= 0x10
      guard let read = ServiceChange(damaged) else { continue }
      // A change in a value gives a different valid record, which has only one encoding.
      #expect(read != change && read.bytes == damaged, "\(index)")
    }
    for (part, other) in [
      ("change 1", "change 2"), ("stage standing", "stage Standing"), ("420 0 42 6", "0420 0 42 6"),
      ("420 0 42 6", "420 0 42 -6"), ("420 0 42 6", "420 0 42 99999999"), ("sudo", "%73udo"),
      ("process 12 ", "process +12 "), ("actor", "process"),
    ] {
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(text.contains(part))
      #expect(ServiceChange(Array(text.replacing(part, with: other).utf8)) == nil, "\(other)")
    }
    #expect(ServiceChange([]) == nil)
  }

  struct Due: CustomTestStringConvertible {
    let number: Int
    var stage = ServiceChange.Stage.pending
    var deadline: ServiceChange.Deadline? = ServiceChangeTests.deadline
    var boot = "c3ac-df7"
    let now: Int64
    let reason: String?
    var testDescription: String { "\(number)" }
  }

  static let due = [
    Due(number: 1, now: 99, reason: nil),
    Due(number: 2, now: 100, reason: "not-confirmed"),
    Due(number: 3, now: 101, reason: "not-confirmed"),
    Due(number: 4, boot: "another", now: 0, reason: "boot"),
    Due(number: 5, deadline: nil, now: 0, reason: "interrupted"),
    Due(number: 6, stage: .inProgress, now: 0, reason: "interrupted"),
    Due(number: 7, stage: .undoing, now: 0, reason: "disabled"),
  ]

  @Test("changes that must be rolled back, and the reasons", arguments: due)
  func reasons(row: Due) {
    let change = ServiceChange(
      service: Array("su".utf8), stage: row.stage, deadline: row.deadline, actor: [],
      files: [Self.file])
    let reason = ServiceSwitch.reason(change, boot: row.boot, now: row.now).map { "\($0)" }
    #expect(reason == row.reason, "\(row.number)")
  }
}
