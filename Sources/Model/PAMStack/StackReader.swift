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
    for line in try lines(of: file) {
      linesRead &+= 1
      guard linesRead <= ServiceStack.maximumLineCount else { throw .tooLong(file: file.path) }
      try read(line, at: StackPosition(file: file.path, line: line.number), level: level)
    }
    _ = names.popLast()
  }

  private func lines(of file: StackFile) throws(StackRefusal) -> [StackLine] {
    do throws(StackLine.Unclear) {
      return try StackLine.lines(
        of: file.contents, keepsCarriageReturns: keepsCarriageReturns)
    } catch {
      let position = StackPosition(file: file.path, line: error.number)
      throw error.hasCarriageReturn ? .carriageReturn(position) : .notUnderstood(position)
    }
  }

  private mutating func read(
    _ line: StackLine, at position: StackPosition, level: Int
  ) throws(StackRefusal) {
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
