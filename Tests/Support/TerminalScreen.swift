import Foundation

/// A window as it is shown, rendered by a terminal emulator library (Tests/EndToEnd/Screens/render.py).
package struct TerminalScreen: Sendable {
  /// The colours of a terminal.
  package enum Theme: String, Sendable, CaseIterable { case dark, light }

  /// The text of each line, without spaces at its end.
  package let lines: [String]
  /// The line and the column of the cursor, from 1.
  package let cursor: (line: Int, column: Int)
  /// The texts of the QR codes that a scanner reads from the picture of the window.
  package let codes: [String]

  private struct Request: Encodable {
    struct Event: Encodable {
      var text: String?
      var columns: Int?
      var rows: Int?
    }
    let columns: Int
    let rows: Int
    let theme: String
    let events: [Event]
    let picture: String?
  }

  private struct Answer: Decodable {
    let lines: [String]
    let cursor: [Int]
  }

  /// Renders everything that has appeared in a session.
  ///
  /// - Parameters:
  ///   - session: the session.
  ///   - theme: the terminal's colours.
  ///   - isScanned: whether a scanner reads the picture.
  ///   - machine: the machine whose folder holds the picture.
  /// - Throws: the error of a program that renders or scans.
  package init(
    of session: TerminalSession, theme: Theme, isScanned: Bool, on machine: Machine
  ) throws {
    let picture = machine.folder + "/screen-\(UUID().uuidString).png"
    let request = machine.folder + "/screen.json"
    let size = session.sizes[0]
    var events: [Request.Event] = []
    for (index, size) in session.sizes.enumerated() {
      let next = index + 1 < session.sizes.count ? session.sizes[index + 1].place : nil
      if index > 0 { events.append(Request.Event(columns: size.columns, rows: size.rows)) }
      let bytes = Data(session.screen[size.place..<(next ?? session.screen.count)])
      events.append(Request.Event(text: bytes.base64EncodedString()))
    }
    let body = try JSONEncoder().encode(
      Request(
        columns: size.columns, rows: size.rows, theme: theme.rawValue, events: events,
        picture: isScanned ? picture : nil))
    try machine.write(Array(body), to: request)
    let output = try Command.succeed([
      "/usr/bin/python3", Checkout.folder + "/Tests/EndToEnd/Screens/render.py", request,
    ])
    let answer = try JSONDecoder().decode(Answer.self, from: Data(output.utf8))
    lines = answer.lines
    cursor = (answer.cursor[0], answer.cursor[1])
    guard isScanned else {
      codes = []
      return
    }
    // The status is 4 if there is no code.
    let read = try Command.run([
      "/usr/bin/zbarimg", "--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", picture,
    ])
    codes = read.text.split(separator: "\n").map(String.init)
  }

  /// The name of this host, which is not the same on all machines.
  private static let host: String = {
    let name = FileManager.default.contents(atPath: "/proc/sys/kernel/hostname") ?? Data()
    return String(decoding: name, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }()

  /// The screen as a text fixture: secrets, names of users and hosts, days and pictures are replaced by others of the same
  /// size, and the last line tells the size of the window and the place of the cursor.
  package func fixture(size: (columns: Int, rows: Int)) -> String {
    var text = ""
    var isInSecret = false
    for line in lines {
      text += Self.standIn(line, isInSecret: isInSecret) + "\n"
      isInSecret = line.contains("otpauth:")
    }
    while text.hasSuffix("\n\n") { text.removeLast() }
    return text + "-- \(size.columns)x\(size.rows), cursor at line \(cursor.line), column "
      + "\(cursor.column)\n"
  }

  private static func standIn(_ line: String, isInSecret: Bool) -> String {
    let blocks: Set<Character> = ["\u{2580}", "\u{2584}", "\u{2588}"]
    if line.contains(where: blocks.contains), line.allSatisfy({ $0 == " " || blocks.contains($0) })
    {
      return "[QR code]"
    }
    // The rest of a URL that is longer than a line.
    if isInSecret, let rest = line.wholeMatch(of: /([a-z?]*=)?([A-Z2-7]{1,32})(&.*)?/) {
      return (rest.output.1 ?? "") + String(repeating: "A", count: rest.output.2.count)
        + (rest.output.3 ?? "")
    }
    return line.replacing(/[A-Z2-7]{4}( [A-Z2-7]{4}){7}/) { _ in
      Array(repeating: "AAAA", count: 8).joined(separator: " ")
    }
    .replacing(/secret=[A-Z2-7]*/) {
      "secret=" + String(repeating: "A", count: $0.output.count - "secret=".count)
    }
    .replacing(/\b\d{6}\b/, with: "000000")
    .replacing(/al[1-9]\d\d/, with: "alice")
    .replacing(/[a-z2-7]{4}(-[a-z2-7]{4}){3}/, with: "aaaa-aaaa-aaaa-aaaa")
    .replacing(/\d{4}-\d\d-\d\d/, with: "2026-01-31")
    .replacing(/2026-01-31 \d\d:\d\d( [A-Z]+)?/, with: "2026-01-31 12:00 UTC")
    .replacing(host, with: "host.example")
  }
}
