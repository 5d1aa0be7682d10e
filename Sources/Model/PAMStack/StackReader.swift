import MFABase

/// A reader for a service file and the files that it includes.
struct StackReader<Source: StackSource> {
  let facility: StackType
  let source: Source
  /// Whether a carriage return at the end of a line is a part of its last word.
  let keepsCarriageReturns: Bool
  private(set) var entries: [StackEntry] = []
  private var linesRead = 0
  /// The names of the files being read, each included by the previous one.
  private var names: [[UInt8]] = []

  init(facility: StackType, source: Source, keepsCarriageReturns: Bool) {
    self.facility = facility
    self.source = source
    self.keepsCarriageReturns = keepsCarriageReturns
  }

  mutating func read(
    _ file: StackFile, name: [UInt8], level: Int
  ) throws(StackRefusal) {
    guard file.contents.count <= StackFile.longest else { throw .tooLong(file: file.path) }
    names.append(name)
    for line in try StackLine.lines(of: file, keepsCarriageReturns: keepsCarriageReturns) {
      linesRead &+= 1
      guard linesRead <= ServiceStack.maximumLineCount else { throw .tooLong(file: file.path) }
      try read(line, level: level)
    }
    _ = names.popLast()
  }

  private mutating func read(_ line: StackLine, level: Int) throws(StackRefusal) {
    let position = line.position
    var words = line.words.makeIterator()
    guard let type = words.next(), let control = words.next() else {
      throw .notUnderstood(position)
    }
    if Word.equals(type.text, "@include") {
      guard words.next() == nil else { throw .notUnderstood(position) }
      return try include(control.text, at: position, level: level)
    }
    guard !type.isBracketed, let named = StackType(type.text), let module = words.next()
    else { throw .notUnderstood(position) }
    guard named == facility else { return }
    if !control.isBracketed, Word.equals(control.text, "include") {
      return try include(module.text, at: position, level: level)
    }
    if !control.isBracketed, Word.equals(control.text, "substack") {
      entries.append(StackEntry(position: position, kind: .substack, level: level))
      return try include(module.text, at: position, level: level &+ 1)
    }
    let read =
      control.isBracketed
      ? StackControl(actions: control.text) : StackControl(word: control.text)
    guard let read else { throw .notUnderstood(position) }
    var arguments: [[UInt8]] = []
    while let argument = words.next() { arguments.append(argument.text) }
    entries.append(
      StackEntry(
        position: position, kind: .module(name: module.text, arguments: arguments, read),
        level: level))
  }

  private mutating func include(
    _ name: [UInt8], at position: StackPosition, level: Int
  ) throws(StackRefusal) {
    guard !names.contains(name) else { throw .loop(position) }
    guard names.count < ServiceStack.deepest else { throw .tooDeep(position) }
    // libpam takes a name with a slash for a path.
    guard Word.isFileName(name) else { throw .notUnderstood(position) }
    guard let file = try source.file(name) else { throw .notFound(includedAt: position) }
    try read(file, name: name, level: level)
  }
}

/// The reason why a service's stack cannot be determined.
package enum StackRefusal: Error, Equatable, Sendable {
  /// The service's name is not a plain file name in lower case.
  case notAServiceName
  /// An included file does not exist.
  case notFound(includedAt: StackPosition)
  /// A file includes itself, directly or through other files.
  case loop(StackPosition)
  /// Files include each other more deeply than `ServiceStack.deepest`.
  case tooDeep(StackPosition)
  /// A file is longer than `StackFile.longest`, or there are more lines than
  /// `ServiceStack.maximumLineCount`.
  case tooLong(file: [UInt8])
  /// The line is invalid, has more than one possible meaning, or includes a file whose name is not a
  /// plain file name.
  case notUnderstood(StackPosition)
  /// The line ends with a carriage return, as on Windows.
  case carriageReturn(StackPosition)
  /// A file cannot be read, or a user other than root could have written it.
  case system(file: [UInt8], SystemError)

  /// The reason as named in log lines.
  package var name: StaticString {
    switch self {
    case .notAServiceName: "not-a-service-name"
    case .notFound: "included-file-not-found"
    case .loop: "included-in-itself"
    case .tooDeep: "too-many-includes"
    case .tooLong: "too-long"
    case .notUnderstood: "not-understood"
    case .carriageReturn: "carriage-return"
    case .system(_, let error): error.distrust == nil ? "not-readable" : "not-trusted"
    }
  }

  /// The file concerned, with the line if it is known; empty if no file is concerned.
  package var place: [UInt8] {
    switch self {
    case .notAServiceName: []
    case .notFound(let position), .loop(let position), .tooDeep(let position),
      .notUnderstood(let position), .carriageReturn(let position):
      position.text
    case .tooLong(let file), .system(let file, _): file
    }
  }
}

/// A source of service files.
package protocol StackSource {
  /// Returns the file of a service, or an included file, by its plain name; nil if it does not
  /// exist.
  func file(_ name: [UInt8]) throws(StackRefusal) -> StackFile?

  /// Returns the `account` stack of a service. A source can remember it.
  func accountStack(of service: [UInt8]) throws(StackRefusal) -> ServiceStack
}

extension StackSource {
  /// Reads the stack.
  package func accountStack(of service: [UInt8]) throws(StackRefusal) -> ServiceStack {
    try ServiceStack(.account, of: service, from: self)
  }
}

/// A service file that has not been parsed.
package struct StackFile: Sendable {
  /// The path, for messages.
  package let path: [UInt8]
  /// The content of the file.
  package let contents: [UInt8]

  /// Creates a file.
  package init(path: [UInt8], contents: [UInt8]) {
    self.path = path
    self.contents = contents
  }

  /// The maximum length of a file in bytes.
  package static var longest: Int { 65_536 }
}
