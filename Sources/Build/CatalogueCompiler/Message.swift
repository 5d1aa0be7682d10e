/// A message of the template.
///
/// The context of an entry is a case of an enumeration, such as `SignInMessage.codeSent(number)`. A
/// name in the brackets is a parameter, whose value stands for `{number}` in the texts. Other values
/// are fixed, and select a text:
///
///     bypassCodeAccepted(0)               the text for 0
///     recoveryCodeAccepted(left, true)    the text for any number and true
///     ticketMade([])                      the text for a reason without characters
///     unknownCommand(name, meant?)        the text for an optional value that is not nil
///     throttled(duration: seconds)        {duration} stands for a duration, given in seconds
///
/// The order of entries is that of a Swift `switch`: the first that fits is used. With `hint` at its
/// end, a context is the second text of a failure, which says what to do next.
struct Message {
  /// How a parameter is shown.
  enum Kind: String {
    /// A number or a text.
    case value
    /// A duration, from a number of seconds or minutes.
    case seconds
    case minutes
    /// A time limit in seconds, which is rounded down.
    case limit
    /// A text of another enumeration.
    case message
  }

  /// A part of the Swift pattern of a case.
  enum Piece {
    case text(String)
    /// No characters, or no bytes.
    case empty
    case parameter(name: String, kind: Kind, isOptional: Bool)
  }

  let entry: Catalogue.Entry
  /// The enumeration.
  let type: String
  /// The Swift pattern.
  let pieces: [Piece]
  let isHint: Bool

  /// The context without the word that marks a hint.
  var subject: String { String(entry.context.dropLast(isHint ? Self.hint.count : 0)) }

  /// The parameters and how they are shown.
  var parameters: [(name: String, kind: Kind)] {
    pieces.compactMap {
      if case .parameter(let name, let kind, _) = $0 { (name, kind) } else { nil }
    }
  }

  /// The parameter that selects a plural form.
  var count: String? { entry.english.count > 1 ? parameters.first?.name : nil }

  private static let hint = " hint"

  /// Creates the message of an entry. Returns nil if its context is not a case of an enumeration.
  init?(_ entry: Catalogue.Entry) {
    self.entry = entry
    isHint = entry.context.hasSuffix(Self.hint)
    let context = entry.context.dropLast(isHint ? Self.hint.count : 0)
    let path = context.prefix { $0 != "(" }
    guard let dot = path.lastIndex(of: ".") else { return nil }
    type = String(path[..<dot])
    guard let pieces = Self.pieces(context[dot...]) else { return nil }
    self.pieces = pieces
  }

  /// Returns the parts of a pattern such as `.throttled(duration: seconds)`.
  private static func pieces(_ pattern: Substring) -> [Piece]? {
    var pieces: [Piece] = []
    var rest = pattern
    while let character = rest.first {
      if character == "." {
        let name = rest.dropFirst().prefix { $0.isLetter || $0.isNumber }
        pieces.append(.text("." + name))
        rest = rest.dropFirst(1 + name.count)
      } else if character.isLetter {
        let name = rest.prefix { $0.isLetter || $0.isNumber }
        rest = rest.dropFirst(name.count)
        if ["true", "false", "nil"].contains(name) {
          pieces.append(.text(String(name)))
          continue
        }
        let isOptional = rest.first == "?"
        if isOptional { rest = rest.dropFirst() }
        var kind = Kind.value
        if rest.hasPrefix(": ") {
          let word = rest.dropFirst(2).prefix { $0.isLetter }
          guard let known = Kind(rawValue: String(word)) else { return nil }
          kind = known
          rest = rest.dropFirst(2 + word.count)
        }
        pieces.append(.parameter(name: String(name), kind: kind, isOptional: isOptional))
      } else if rest.hasPrefix("[]") {
        pieces.append(.empty)
        rest = rest.dropFirst(2)
      } else if character.isNumber || "(),_ ?".contains(character) {
        pieces.append(.text(String(character)))
        rest = rest.dropFirst()
      } else {
        return nil
      }
    }
    return pieces
  }
}

extension Catalogue {
  /// Returns the messages of the template.
  func messages(of modules: [MessageModule], problems: inout Problems) -> [Message] {
    var messages: [Message] = []
    let types = modules.flatMap { $0.messages + $0.parts }
    for entry in entries {
      guard let message = Message(entry) else {
        problems.add(
          file, entry.line, "msgctxt is not a case of an enumeration: '\(entry.context)'")
        continue
      }
      if !types.contains(message.type) {
        problems.add(
          file, entry.line,
          "\(entry.context): the enumeration is unknown: add it to MessageModule.all")
      }
      messages.append(message)
    }
    for type in types where !messages.contains(where: { $0.type == type }) {
      problems.add(file, 1, "\(type): the enumeration has no message")
    }
    for message in messages {
      let others = messages.filter { $0.type == message.type && $0.isHint != message.isHint }
      if !others.isEmpty, !others.contains(where: { $0.subject == message.subject }) {
        let missing = message.isHint ? "description" : "hint"
        problems.add(
          file, message.entry.line, "\(message.entry.context): the message has no \(missing)")
      }
      if message.entry.english.count > 1, !others.isEmpty || message.count == nil {
        problems.add(
          file, message.entry.line,
          "\(message.entry.context): only a message with a number and without a hint has plural forms"
        )
      }
    }
    return messages
  }
}
