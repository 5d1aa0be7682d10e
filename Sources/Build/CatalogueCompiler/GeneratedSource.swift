/// The Swift code with the texts of a module's messages in every language.
struct GeneratedSource {
  let module: MessageModule
  let messages: [Message]
  /// The texts of the messages in each language, in the same order.
  let texts: [(language: CatalogueLanguage, texts: [TranslatedText])]

  /// The code.
  var text: String {
    var code = "// Generated from packaging/po by CatalogueCompiler.\n\n"
    if module.name != "MFAMessages" { code += "import MFAMessages\n\n" }
    for type in module.messages { code += selection(type) }
    for type in module.messages + module.parts {
      for (language, texts) in texts { code += property(type, language, texts) }
    }
    return code
  }

  /// Returns the function that selects a language.
  private func selection(_ type: String) -> String {
    var code = """
      extension \(type) {
        /// Returns the text in a language.
        @inline(never)
        package func text(in language: Language) -> \(result(type)) {
          switch language {

      """
    for (language, _) in texts { code += "    case .\(language.name): \(language.name)\n" }
    return code + "    }\n  }\n}\n\n"
  }

  /// Returns a property with the text in one language.
  private func property(
    _ type: String, _ language: CatalogueLanguage, _ texts: [TranslatedText]
  ) -> String {
    var code = """
      extension \(type) {
        fileprivate var \(language.name): \(result(type)) {
          switch self {

      """
    let own = zip(messages, texts).filter { $0.0.type == type }
    for (message, text) in own where !message.isHint {
      let hint = own.first { $0.0.isHint && $0.0.subject == message.subject }
      for (index, form) in text.forms.enumerated() {
        // A language may have the same text for several forms.
        if index < text.forms.count - 1, form.pieces == text.forms.last?.pieces { continue }
        var expression = literal(form.pieces, message, language, form.numbers)
        var names = TranslatedText.names(form.pieces)
        if let (hint, text) = hint, let form = text.forms.first {
          names.formUnion(TranslatedText.names(form.pieces))
          expression =
            "FailureText(\(expression), hint: \(literal(form.pieces, hint, language, form.numbers)))"
        }
        code += "    case \(pattern(message, names, form.numbers)): \(expression)\n"
      }
    }
    return code + "    }\n  }\n}\n\n"
  }

  private func result(_ type: String) -> String {
    messages.contains { $0.type == type && $0.isHint } ? "FailureText" : "MessageText"
  }

  /// Returns the pattern of a case, which binds the values with these names.
  private func pattern(
    _ message: Message, _ names: Set<String>, _ numbers: PluralRule.Numbers
  ) -> String {
    var pattern = ""
    var conditions: [String] = []
    for piece in message.pieces {
      switch piece {
      case .text(let text): pattern += text
      case .empty:
        pattern += "let empty"
        conditions.append("empty.isEmpty")
      case .parameter(let name, _, let isOptional):
        switch numbers {
        case .only(let number) where name == message.count: pattern += String(number)
        case .condition(let condition) where name == message.count:
          pattern += "let \(name)"
          let words = condition.split(separator: " ").map { $0 == "n" ? name : String($0) }
          conditions.append("(" + words.joined(separator: " ") + ")")
        case .only, .condition, .others: pattern += names.contains(name) ? "let \(name)" : "_"
        }
        if isOptional { pattern += "?" }
      }
    }
    return conditions.isEmpty ? pattern : "\(pattern) where \(conditions.joined(separator: " && "))"
  }

  /// Returns a string literal, or a property with the text of another enumeration.
  private func literal(
    _ pieces: [TranslatedText.Piece], _ message: Message, _ language: CatalogueLanguage,
    _ numbers: PluralRule.Numbers
  ) -> String {
    var literal = ""
    for piece in pieces {
      switch piece {
      case .literal(let text): literal += Self.escaped(text)
      case .value(let name):
        if case .only(let number) = numbers, name == message.count {
          literal += String(number)
          continue
        }
        let kind = message.parameters.first { $0.name == name }?.kind ?? .value
        let value =
          switch kind {
          case .value: name
          case .seconds: "WrittenDuration(seconds: \(name)).\(language.name)"
          case .minutes: "WrittenDuration.minutes(\(name)).\(language.name)"
          case .limit: "WrittenDuration(limit: \(name)).\(language.name)"
          case .message: "\(name).\(language.name)"
          }
        if pieces.count == 1, kind == .message { return value }
        literal += "\\(\(value))"
      }
    }
    return "\"\(literal)\""
  }

  /// Returns a text with the escape sequences of a string literal.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\\\"
      case "\"": escaped += "\\\""
      case "\n": escaped += "\\n"
      case " "..."~": escaped.unicodeScalars.append(scalar)
      default:
        switch scalar.properties.generalCategory {
        case .control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator:
          escaped += "\\u{" + String(scalar.value, radix: 16) + "}"
        default: escaped.unicodeScalars.append(scalar)
        }
      }
    }
    return escaped
  }
}
