import MFAAttempt
import MFABase
import MFACPOSIX
import MFAModel

/// The editor of the administrator, which changes a copy of a file.
///
/// MUST 1: the copy is in a folder that only root can enter, and is removed when the editor ends, whatever was typed
/// in it, Ctrl-C included. (`ConfigurationEditorTests`)
/// MUST 2: the editor holds no lock that other commands wait for: while an editor is open, an administrator can switch
/// the second factor off. (`ConfigurationEditorTests.otherCommands`)
package struct Editor {
  /// The folder of the copy, which exists while an editor runs.
  private static let folder = "/run/mfa-config-edit"

  /// The longest copy that is read, in bytes. A text that is longer than a file of the configuration may be is
  /// refused later, and can be edited again.
  private static let longest = 1 << 20

  /// The folders in which an editor is looked for that is named without a path.
  private static let places = [
    "/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin",
  ]

  /// The editors of a host on which none is chosen, in order.
  private static let standard = ["editor", "vi", "nano"]

  /// The signals with which a terminal, or the end of a session, ends its processes.
  private static let signals = [SIGINT, SIGQUIT, SIGHUP, SIGTERM]

  /// The programs to try, each with its arguments.
  private let programs: [[String]]
  private let environment: [[UInt8]]

  /// Chooses the editor that SUDO_EDITOR, VISUAL or EDITOR names, or else an editor of the host.
  package init() throws(AdminError) {
    let text: [UInt8]
    do throws(SystemError) {
      text = try PlainFile.read("/proc/self/environ", longest: Self.longest).get()
    } catch {
      throw .system("/proc/self/environ", error)
    }
    self.init(environment: text.split(separator: 0).map { Array($0) })
  }

  init(environment: [[UInt8]]) {
    self.environment = environment
    let named = ["SUDO_EDITOR", "VISUAL", "EDITOR"].lazy.compactMap { name -> [String]? in
      let start = Array("\(name)=".utf8)
      let value = environment.first { $0.starts(with: start) }?.dropFirst(start.count) ?? []
      let words = String(decoding: value, as: UTF8.self).split(whereSeparator: {
        $0 == " " || $0 == "\t"
      })
      return words.isEmpty ? nil : words.map { String($0) }
    }
    programs = named.first.map { [$0] } ?? Self.standard.map { [$0] }
  }

  /// The path of the copy of a file.
  private static func copy(of name: FileName) -> String {
    folder + "/" + String(decoding: name.bytes, as: UTF8.self)
  }

  /// Lets the administrator edit a text under the name of its file. Returns what was saved.
  package func edit(_ text: [UInt8], as name: FileName) throws(AdminError) -> [UInt8] {
    // The editor handles these signals; this process waits for its end, and removes the copy.
    for signal in Self.signals { _ = cposix_set_signal(signal, 1) }
    defer { for signal in Self.signals { _ = cposix_set_signal(signal, 0) } }
    try remove()
    defer {
      // What cannot be removed now is removed by the next editor.
      do throws(AdminError) { try remove() } catch {}
    }
    let path = Self.copy(of: name)
    do throws(SystemError) {
      // SAFETY: the string is valid during the call.
      guard unsafe mkdir(Self.folder, 0o700) == 0 else {
        throw SystemError(.open, number: cposix_errno())
      }
      guard let copy = TrustedPath(Array(path.utf8)) else {
        throw SystemError(.open, number: EINVAL)
      }
      try copy.inParent { (folder, name) throws(SystemError) in
        try folder.create(name).write(text)
      }
    } catch {
      throw .unwritable(path, error)
    }
    try run(path)
    do throws(SystemError) {
      return try PlainFile.read(path, longest: Self.longest, owner: 0).get()
    } catch {
      throw .unreadable(path, error)
    }
  }

  /// Runs the editor, and waits for its end.
  private func run(_ path: String) throws(AdminError) {
    for program in programs {
      guard let end = try end(of: program, path) else { continue }
      guard end == .exited(0) else { throw .editorFailed(program[0], end) }
      return
    }
    throw .noEditor(programs.map { $0[0] })
  }

  /// Runs a program at the terminal. Returns how it ended, or nil if it does not exist.
  private func end(of program: [String], _ path: String) throws(AdminError) -> ProgramEnd? {
    let places =
      program[0].hasPrefix("/") ? [program[0]] : Self.places.map { "\($0)/\(program[0])" }
    for place in places {
      var start = ProgramStart(
        Array(place.utf8), arguments: (program + [path]).map { Array($0.utf8) })
      start.environment = environment
      start.input = STDIN_FILENO
      start.output = STDOUT_FILENO
      start.errors = STDERR_FILENO
      do throws(SystemError) {
        return try ProgramEnd.wait(for: try start.start())
      } catch {
        guard error.isNotFound || error.isNotADirectory else {
          throw AdminError(at: place, error.text)
        }
      }
    }
    return nil
  }

  /// Removes the folder of the copy, and what the editor left in it.
  private func remove() throws(AdminError) {
    guard let folder = TrustedPath(Array(Self.folder.utf8)) else { return }
    do throws(SystemError) {
      try folder.inParent { (parent, name) throws(SystemError) in
        let copies = try parent.directory(name)
        var names: [FileName] = []
        try copies.forEachEntry { name in
          names.append(name)
          return true
        }
        for name in names { try copies.remove(name) }
        try parent.remove(name)
      }
    } catch {
      guard !error.isNotFound else { return }
      throw .unwritable(Self.folder, error)
    }
  }
}

extension FileName {
  /// The name of the file at a path.
  package init?(ofFileAt path: [UInt8]) {
    self.init(Array(path.split(separator: UInt8(ascii: "/")).last ?? []))
  }
}
