import MFAStore
import MFABase
import MFAModel
import Foundation

@testable import MFAAdmin

/// Damages the audit log. The input determines the entries to write and the changes of the files.
///
/// Only written entries are reported as verified, each in its place. A log that differs from the
/// written one has a fault. A log with an interrupted write accepts the next entry. Printed lines
/// have no control characters.
enum AuditLogTarget {
  static func check(_ input: [UInt8]) throws {
    let store = try Store()
    defer { store.remove() }
    var instructions = Instructions(input)
    try store.writeEntries(&instructions)
    try store.damage(&instructions)
    try store.inspect()
  }

  private final class Store {
    private let folder: ScratchFolder
    private var marks: [AuditLogCheckpoint] = []
    /// The written lines, without their line feeds.
    private var lines: [[UInt8]] = []
    /// The content of the head file after each entry.
    private var heads: [[UInt8]] = []
    private var written: [UInt8] = []
    private var damaged: [UInt8] = []
    private var hasCurrentHead = true

    init() throws {
      folder = try ScratchFolder()
      try FileManager.default.createDirectory(
        atPath: folder.path + "/store", withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o700])
      try create("key", in: try folder.opened(), [UInt8](0..<32), permissions: 0o400)
    }

    func remove() { folder.remove() }

    private func create(
      _ name: String, in directory: borrowing Directory, _ bytes: [UInt8], permissions: UInt32
    ) throws {
      let name = try requireValue(FileName(Array(name.utf8)), "a file name")
      let file = try directory.create(name)
      try file.write(bytes)
      try file.changeMode(to: permissions)
    }

    private func opened() throws -> LocalFactorStore {
      try LocalFactorStore(
        StoreLocation(
          directory: try folder.trustedPath(of: "store"), key: try folder.trustedPath(of: "key")))
    }

    /// Returns the content of a file of the log, or nothing if the file does not exist.
    private func contents(_ name: String) throws -> [UInt8] {
      let path = "\(folder.path)/store/\(name)"
      guard FileManager.default.fileExists(atPath: path) else { return [] }
      return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    /// Overwrites a file in place, which keeps its owner and permissions.
    private func replace(_ name: String, _ bytes: [UInt8]) throws {
      guard bytes != (try contents(name)) else { return }
      let path = "\(folder.path)/store/\(name)"
      if !FileManager.default.fileExists(atPath: path) {
        let directory = try folder.trustedPath(of: "store").lastDirectory()
        try create(name, in: directory, [], permissions: 0o600)
      }
      let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
      try file.truncate(atOffset: 0)
      try file.write(contentsOf: Data(bytes))
      try file.close()
    }

    private static func event(_ instructions: inout Instructions) -> AuditLogEvent {
      let kinds = [
        AuditLogEvent.Kind.enrolled, .revoked, .configured, .recoveryCodeUsed, .serviceRestored,
      ]
      let kind = kinds[instructions.number() % kinds.count]
      let detail = instructions.bytes(atMost: 160)
      return AuditLogEvent(
        kind, ids: Array("0a1b".utf8), detail: detail,
        by: AuditLogEvent.Actor(
          name: instructions.bytes(atMost: 40), uid: UInt32(instructions.number()),
          program: Array("mfa-admin".utf8), source: Source(instructions.bytes(atMost: 70))),
        at: Int64(truncatingIfNeeded: instructions.number64()))
    }

    func writeEntries(_ instructions: inout Instructions) throws {
      for _ in 0..<instructions.number() % 5 {
        marks.append(try opened().enter(Self.event(&instructions)))
        heads.append(try contents("audit-log.head"))
      }
      written = try contents("audit-log")
      lines = written.split(separator: UInt8(ascii: "\n")).map(Array.init)
      try require(
        lines.count == marks.count, "a record is not one line")
      for line in lines { try requirePrintableASCII(line, "an entry") }
    }

    func damage(_ instructions: inout Instructions) throws {
      damaged = written
      var count = 0
      while !instructions.isAtEnd, count < 8 {
        count += 1
        let operation = instructions.number() % 8
        let place = instructions.number(below: damaged.count + 1)
        switch operation {
        case 0 where place < damaged.count: damaged[place] ^= UInt8(instructions.number() | 1)
        case 1:
          let end = min(place + 1 + instructions.number(), damaged.count)
          damaged.removeSubrange(place..<end)
        case 2: damaged.insert(contentsOf: instructions.bytes(atMost: 80), at: place)
        case 3: damaged.removeSubrange(place...)
        case 4 where !lines.isEmpty:
          let line = lines[instructions.number() % lines.count] + [UInt8(ascii: "\n")]
          damaged.insert(contentsOf: line, at: place)
        case 5: damaged += instructions.bytes(atMost: 200)
        case 6 where !heads.isEmpty:
          hasCurrentHead = false
          try replace("audit-log.head", heads[instructions.number() % heads.count])
        case 7 where !heads.isEmpty:
          hasCurrentHead = false
          var head = heads[heads.count - 1]
          head[instructions.number(below: head.count)] ^= UInt8(instructions.number() | 1)
          try replace("audit-log.head", head)
        case _: continue
        }
      }
      try replace("audit-log", damaged)
    }

    private func read() throws -> (reading: AuditLogReading, lines: [AuditLogReading.Line]) {
      var lines: [AuditLogReading.Line] = []
      let reading = try opened().inspectAuditLog { lines.append($0) }
      return (reading, lines)
    }

    func inspect() throws {
      let (reading, lines) = try read()
      try require(reading.lines == lines.count, "the number of lines differs")
      var proven = 0
      for line in lines {
        let entry = AuditLogEntry(line)
        try requireShowable(Array(entry.line.dropLast().utf8), "a printed line")
        try requireShowable(Array(entry.json.text.utf8), allowing: ["\n"], "a line as JSON")
        guard case .entry(let mark) = line.kind else { continue }
        try require(
          proven < marks.count && mark == marks[proven] && line.text == self.lines[proven],
          "a record is reported as verified but was not written there")
        proven += 1
      }
      try require(
        reading.last == (proven == 0 ? nil : marks[proven - 1]), "the last record differs")
      let isWhole = damaged.starts(with: written)
      if damaged == written, hasCurrentHead {
        try require(reading.fault == nil && reading.left == 0, "an undamaged log has a fault")
      }
      guard hasCurrentHead, reading.fault == nil else { return }
      try require(isWhole, "a changed log has no fault")
      guard !marks.isEmpty else { return }
      try checkNextEntry(behind: proven)
    }

    /// Checks that a log without a fault accepts another entry, and has no fault afterwards.
    private func checkNextEntry(behind proven: Int) throws {
      var none = Instructions([])
      let mark = try opened().enter(Self.event(&none))
      let (reading, lines) = try read()
      try require(
        reading.fault == nil && reading.last == mark && reading.left == 0,
        "a log has a fault after the next record: \(String(describing: reading.fault))")
      let entries = lines.count { if case .entry = $0.kind { true } else { false } }
      try require(entries == proven + 1, "the next record is not verified")
    }
  }
}
