/// A service that was switched on, as it is written down.
///
/// MUST 1: what was written is read back equal, and nothing else is read: no beginning of it, and
/// nothing behind it. (`ServiceChangeTests`)
struct ServiceChange: Equatable {
  /// How far it has come.
  enum Stage: String, CaseIterable {
    /// Files are being written. Whoever finds it so, and nobody at it, puts them back.
    case working
    /// All is in place, until the deadline.
    case standing
    /// It is being undone. Whoever finds it so, and nobody at it, goes on.
    case undoing
  }

  /// A process, by what no other has: its number and when it began, in clock ticks since the machine
  /// was started.
  struct Process: Hashable {
    let number: Int64
    let start: Int64
  }

  /// Until when a change holds unless it is confirmed.
  struct Deadline: Equatable {
    /// The kernel's name for this run of the machine.
    let boot: String
    /// In seconds since the machine was started (CLOCK_BOOTTIME).
    let sinceBoot: Int64
    /// In seconds since the epoch, to be shown.
    let time: Int64

    /// Whether it is over. It is in another run of the machine.
    func isOver(boot: String, sinceBoot: Int64) -> Bool {
      self.boot != boot || sinceBoot >= self.sinceBoot
    }
  }

  /// The service.
  let service: [UInt8]
  /// How far it has come.
  var stage: Stage
  /// Until when it holds; nil where nobody has to confirm it.
  let deadline: Deadline?
  /// Who made it.
  let actor: [UInt8]
  /// The service's programs that ran when all was in place: none of these is a new sign-in.
  var processes: [Process]
  /// The files, in the order in which they are written.
  let files: [ChangedFile]

  private static let heading = "mfa-admin change 1"

  /// The record.
  var bytes: [UInt8] {
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

  init(
    service: [UInt8], stage: Stage, deadline: Deadline?, actor: [UInt8],
    processes: [Process] = [], files: [ChangedFile]
  ) {
    self.service = service
    self.stage = stage
    self.deadline = deadline
    self.actor = actor
    self.processes = processes
    self.files = files
  }

  /// Reads a record; nil for anything else.
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
    // Whatever else could be read, this is the only way to write it.
    guard self.bytes == bytes, !service.isEmpty, !files.isEmpty else { return nil }
  }

  /// Reads a record from its beginning on.
  private struct Reader {
    var rest: ArraySlice<UInt8>

    /// The next line.
    mutating func line() -> String? {
      guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
      let line = String(decoding: rest[rest.startIndex..<end], as: UTF8.self)
      rest = rest[(end + 1)...]
      return line
    }

    /// The values of the next line, where it begins with `key` and has so many.
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

    /// A file whose line has these values, with what stands behind it.
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

  /// Bytes as one word: what is not printable ASCII, and `%`, is written `%XX`; nothing is `%`.
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
