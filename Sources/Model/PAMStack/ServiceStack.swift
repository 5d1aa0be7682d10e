import MFABase

/// The lines that PAM processes for one service and type, in order and with included files in place
/// (pam.conf(5), pam.d(5)).
///
/// MUST 1: reading ends for every input, with a stack or with a refusal that names the location.
/// (`ServiceStackTests.refused`)
/// MUST 2: nothing is guessed: a line that libpam might read differently is refused.
/// (`ServiceStackTests.refused`)
package struct ServiceStack: Equatable, Sendable {
  /// The lines.
  package let entries: [StackEntry]

  /// The maximum depth of included files.
  package static var deepest: Int { 16 }

  /// The maximum number of lines in all files together.
  package static var maximumLineCount: Int { 1000 }

  /// Reads the stack of `service`. If the service has no file, or the file has no line of this
  /// type, the stack of `other` is used.
  ///
  /// With `keepsCarriageReturns`, a carriage return at the end of a line is a part of its last word,
  /// as libpam takes it. Otherwise such a line is refused.
  package init<Source: StackSource>(
    _ facility: StackType, of service: [UInt8], from source: Source,
    keepsCarriageReturns: Bool = false
  ) throws(StackRefusal) {
    guard Self.isServiceName(service) else { throw .notAServiceName }
    let reader = StackReader(
      facility: facility, source: source, keepsCarriageReturns: keepsCarriageReturns)
    let own = try Self.entries(of: service, reader)
    let isOther = Word.equals(service, "other")
    guard own.isEmpty, !isOther else {
      entries = own
      return
    }
    entries = try Self.entries(of: Word.bytes("other"), reader)
  }

  private static func entries<Source: StackSource>(
    of name: [UInt8], _ reader: StackReader<Source>
  ) throws(StackRefusal) -> [StackEntry] {
    guard let file = try reader.source.file(name) else { return [] }
    var reader = reader
    try reader.read(file, name: name, level: 0)
    return reader.entries
  }

  /// Returns whether a name consists of lower-case letters, digits and `-_.+@` and does not begin
  /// with a dot.
  private static func isServiceName(_ name: [UInt8]) -> Bool {
    Word.isFileName(name) && Word.lowercased(name) == name
  }
}

// Whether an entry may skip a later one, or discard earlier results.

extension ServiceStack {
  /// Returns whether a result of the entry at `start` may skip the later entry at `index`.
  package func maySkip(_ index: Int, at start: Int) -> Bool {
    guard case .module(_, _, let control) = entries[start].kind else { return false }
    let machine = StackMachine(self)
    return PAMReturnCode.allCases.contains { code in
      !control.action(for: code).isDenial && machine.next(after: start, code).index > index
    }
  }
}

extension StackEntry {
  /// Whether a result of the entry may discard earlier results.
  package var mayReset: Bool {
    switch kind {
    case .substack: false
    case .module(_, _, let control): control.mayReset
    }
  }
}

/// A line of a stack, which may come from an included file.
package struct StackEntry: Equatable, Sendable {
  /// The effect of the line.
  package enum Kind: Equatable, Sendable {
    /// Calls a module.
    case module(name: [UInt8], arguments: [[UInt8]], StackControl)
    /// Begins a substack, which consists of the following entries of a higher level.
    case substack
  }

  /// The source location of the line.
  package let position: StackPosition
  /// The effect of the line.
  package let kind: Kind
  /// The number of substacks that contain the line.
  package let level: Int

  /// The file name of the module that the line calls, if libpam loads it from its own folder: the line has the name
  /// alone, or in a folder named `security`. Nil for a module elsewhere, and for a substack.
  package var moduleFile: [UInt8]? {
    guard case .module(let name, _, _) = kind else { return nil }
    var file: [UInt8] = []
    var isElsewhere = false
    for byte in name {
      if byte == UInt8(ascii: "/") {
        isElsewhere = file != Word.bytes("security")
        file = []
      } else {
        file.append(byte)
      }
    }
    return isElsewhere ? nil : file
  }

  /// Returns whether the line calls the module with this file name, and libpam loads it from its own folder.
  package func asks(module file: StaticString) -> Bool { moduleFile == Word.bytes(file) }
}

/// The source location of a line in a service file.
package struct StackPosition: Equatable, Sendable {
  /// The file's path.
  package let file: [UInt8]
  /// The line number, counted from 1. For a continued line, the number of its first line.
  package let line: Int

  /// Creates a position.
  package init(file: [UInt8], line: Int) {
    self.file = file
    self.line = line
  }

  /// The position in the form `/etc/pam.d/sshd:12`.
  package var text: [UInt8] { file + joined([":", decimal(Int64(line))]) }
}

/// The type of a line in a service file (pam.conf(5), "type").
package enum StackType: Sendable, CaseIterable {
  case auth, account, password, session

  /// Parses a type. Ignores case and a leading hyphen, which only prevents libpam from logging a
  /// missing module. Returns nil for any other word.
  init?(_ word: [UInt8]) {
    var name: [UInt8] = []
    for (index, byte) in word.enumerated() where index > 0 || byte != UInt8(ascii: "-") {
      name.append(byte)
    }
    guard let facility = Self.allCases.first(where: { Word.equals(name, $0.name) }) else {
      return nil
    }
    self = facility
  }

  /// The type as named in a file.
  package var name: StaticString {
    switch self {
    case .auth: "auth"
    case .account: "account"
    case .password: "password"
    case .session: "session"
    }
  }
}

/// The files in PAM's folders that only other service files include, as Debian, Fedora, SUSE and
/// Arch name them. No program signs users in with these names.
///
/// The default service `other` is not one of them: libpam uses it for services without a file.
package enum IncludedServiceFile {
  private static var names: [StaticString] {
    [
      "system-auth", "password-auth", "smartcard-auth", "fingerprint-auth", "postlogin",
      "config-util", "system-login", "system-local-login", "system-remote-login",
      "system-services",
    ]
  }

  /// Returns whether only other service files include the file with this name.
  package static func contains(_ name: [UInt8]) -> Bool {
    name.starts(with: Word.bytes("common-")) || names.contains { name == $0.bytes }
  }
}
