/// The record of an enabled service and of the files changed for it.
///
/// MUST 1: a written record is read back equal, and nothing else is accepted: no truncated record
/// and no record with trailing data. (`ServiceChangeTests`)
package struct ServiceChange: Equatable {
  /// The progress of a change.
  package enum Stage: String, CaseIterable {
    /// Files are being written. If no process is doing so, the next process rolls the change back.
    case inProgress = "working"
    /// All files are written, and the change holds until the deadline.
    case pending = "standing"
    /// The change is being undone. If no process is doing so, the next process continues.
    case undoing
  }

  /// A process, uniquely identified by its number and start time, in clock ticks since the machine
  /// started.
  package struct Process: Hashable {
    package let number: Int64
    package let start: Int64
  }

  /// The time at which an unconfirmed change is rolled back.
  package struct Deadline: Equatable {
    /// The kernel's boot ID.
    package let boot: String
    /// The time in seconds since the machine started (CLOCK_BOOTTIME).
    let sinceBoot: Int64
    /// The time in seconds since the epoch, for display.
    package let time: Int64

    /// Returns whether the deadline has passed, which includes any restart of the machine.
    func isOver(boot: String, sinceBoot: Int64) -> Bool {
      self.boot != boot || sinceBoot >= self.sinceBoot
    }
  }

  /// The name of the service.
  package let service: [UInt8]
  /// The progress of the change.
  var stage: Stage
  /// The deadline, or nil if the change needs no confirmation.
  private(set) var deadline: Deadline?
  /// The administrator who made the change.
  package let actor: [UInt8]
  /// The processes of the service's sign-in programs that ran when all files were in place. None of
  /// them is a new sign-in.
  var processes: [Process] = []
  /// The files, in the order in which they are written.
  package private(set) var files: [ChangedFile]

  /// Whether the change is on trial: it has a deadline. The record of a confirmed change still has the
  /// old deadline, which must be removed before the change is undone.
  var isTrial: Bool { deadline != nil }

  /// Returns the change as after the confirmation, without its deadline, and with more files, which are
  /// restored last.
  func confirmed(adding others: [ChangedFile]) -> ServiceChange {
    var change = self
    change.deadline = nil
    change.files = others + files
    return change
  }

  private static let heading = "mfa-admin change 1"

  /// The encoded record.
  package var bytes: [UInt8] {
    var text = "\(Self.heading)\nservice \(Self.encoded(service))\nstage \(stage.rawValue)\n"
    if let deadline {
      text += "deadline \(deadline.boot) \(deadline.sinceBoot) \(deadline.time)\n"
    }
    text += "actor \(Self.encoded(actor))\n"
    for process in processes { text += "process \(process.number) \(process.start)\n" }
    var bytes = Array(text.utf8)
    for file in files {
      let old = file.old.map { "\($0.count)" } ?? "-"
      let line =
        "file \(file.permissions) \(file.owner) \(file.group) \(old) \(file.new.count) "
        + "\(Self.encoded(Array(file.path.utf8)))\n"
      bytes += Array(line.utf8) + (file.old ?? []) + file.new + [UInt8(ascii: "\n")]
    }
    return bytes + Array("end\n".utf8)
  }
}

extension ServiceChange {
  /// Decodes a record. Nil for any other input.
  init?(_ bytes: [UInt8]) {
    var reader = Reader(rest: bytes[...])
    guard reader.line() == Self.heading,
      let service = reader.values("service", count: 1)?.first.flatMap({ Self.decoded($0) }),
      let stage = reader.values("stage", count: 1)?.first.flatMap({ Stage(rawValue: $0) })
    else { return nil }
    var deadline: Deadline?
    if let values = reader.values("deadline", count: 3) {
      guard let sinceBoot = Int64(values[1]), let time = Int64(values[2]) else { return nil }
      deadline = Deadline(boot: values[0], sinceBoot: sinceBoot, time: time)
    }
    guard let actor = reader.values("actor", count: 1)?.first.flatMap({ Self.decoded($0) }) else {
      return nil
    }
    var processes: [Process] = []
    while let values = reader.values("process", count: 2) {
      guard let number = Int64(values[0]), let start = Int64(values[1]) else { return nil }
      processes.append(Process(number: number, start: start))
    }
    var files: [ChangedFile] = []
    while let values = reader.values("file", count: 6) {
      guard let file = reader.file(values) else { return nil }
      files.append(file)
    }
    self.init(
      service: service, stage: stage, deadline: deadline, actor: actor, processes: processes,
      files: files)
    // Accept only the canonical encoding.
    guard self.bytes == bytes, !service.isEmpty, !files.isEmpty else { return nil }
  }

  /// Reads a record sequentially.
  private struct Reader {
    var rest: ArraySlice<UInt8>

    /// Reads the next line.
    mutating func line() -> String? {
      guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
      let line = String(decoding: rest[rest.startIndex..<end], as: UTF8.self)
      rest = rest[(end + 1)...]
      return line
    }

    /// Reads the values of the next line if the line begins with `key` and has `count` values.
    mutating func values(_ key: String, count: Int) -> [String]? {
      let before = rest
      guard let line = line() else { return nil }
      let words = line.split(separator: " ", omittingEmptySubsequences: false).map { String($0) }
      guard words.count == count + 1, words[0] == key else {
        rest = before
        return nil
      }
      return Array(words.dropFirst())
    }

    /// Reads the contents of a file whose line has these values.
    mutating func file(_ values: [String]) -> ChangedFile? {
      guard let permissions = UInt32(values[0]), let owner = UInt32(values[1]),
        let group = UInt32(values[2]), let newCount = Int(values[4]),
        let path = ServiceChange.decoded(values[5])
      else { return nil }
      var old: [UInt8]?
      if values[3] != "-" {
        guard let count = Int(values[3]), let bytes = take(count) else { return nil }
        old = bytes
      }
      guard let new = take(newCount), take(1) == [UInt8(ascii: "\n")] else { return nil }
      return ChangedFile(
        path: String(decoding: path, as: UTF8.self), old: old, new: new, permissions: permissions,
        owner: owner, group: group)
    }

    private mutating func take(_ count: Int) -> [UInt8]? {
      guard count >= 0, count <= rest.count else { return nil }
      let bytes = Array(rest.prefix(count))
      rest = rest.dropFirst(count)
      return bytes
    }
  }

  /// Encodes bytes as one word: `%`, spaces and all bytes that are not printable ASCII become
  /// `%XX`, and an empty array becomes `%`.
  private static func encoded(_ bytes: [UInt8]) -> String {
    guard !bytes.isEmpty else { return "%" }
    var text = ""
    for byte in bytes {
      if byte > 0x20, byte < 0x7F, byte != UInt8(ascii: "%") {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }
    return text
  }

  private static func decoded(_ text: String) -> [UInt8]? {
    guard text != "%" else { return [] }
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2,
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      else { return nil }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return bytes
  }
}
