import MFAModel

/// The sections of mfa.conf(5) about the keys, in the markup of man(7).
///
/// packaging/man/mfa.conf.5 contains each section between two comments.
/// (`ConfigurationTemplateTests`)
package enum KeyManual: String, CaseIterable {
  /// The keys of `[project]`, which tenants can also have.
  case settings
  /// The keys that select the sign-ins of a tenant.
  case selectors
  /// The keys that only daemons have.
  case daemon

  /// The maximum length of a line, including markup.
  private static let width = 110

  /// The section with the comments around it.
  package var text: String {
    ".\\\" Begin: \(rawValue), from packaging/key-texts\n" + keys.map { Self.entry($0) }.joined()
      + ".\\\" End: \(rawValue)\n"
  }

  private var keys: [Configuration.Key] {
    Configuration.Key.allCases.filter { key in
      switch self {
      case .settings: !key.isSelector
      case .selectors: key.belongs(to: .tenant) && key.isSelector
      case .daemon: !key.belongs(to: .tenant) && key.isSelector
      }
    }
  }

  private static func entry(_ key: Configuration.Key) -> String {
    let documentation = key.documentation
    let names = key.spellings
    var text = ".TP\n"
    text += names.count == 1 ? ".B " : ".BR "
    text += names.joined(separator: " \" or \" ") + "\n"
    text += "Value: \(key.allowedValues)."
    if !key.isSelector {
      text +=
        key.defaultText.map { " Default: \(String(decoding: $0, as: UTF8.self))." }
        ?? " No default."
    }
    text += "\n.br\n" + paragraphs(documentation.summary)
    if !documentation.words.isEmpty {
      text += ".RS\n"
      for word in documentation.words {
        text += ".TP\n.B \(escaped(word.name, isLiteral: true))\n" + paragraphs(word.meaning)
      }
      text += ".RE\n"
    }
    if !documentation.details.isEmpty { text += ".IP\n" + paragraphs(documentation.details) }
    var last: [String] = []
    if !key.isSelector, let absence = documentation.absence {
      last.append("Without this key, \(absence.prefix(1).lowercased())\(absence.dropFirst())")
    }
    if key.isOfTheHost { last.append("Only `[project]` can have this key.") }
    return last.isEmpty ? text : text + ".IP\n" + paragraphs(last.joined(separator: " "))
  }

  /// Returns the paragraphs of a text. Each sentence begins a line.
  private static func paragraphs(_ text: String) -> String {
    DocumentationText.paragraphs(text).map { paragraph in
      let marked = DocumentationText.parts(paragraph).map { part in
        let text = escaped(part.text, isLiteral: part.isLiteral)
        return part.isLiteral ? "\\fB\(text)\\fP" : text
      }.joined()
      return marked.replacing(". ", with: ".\n").split(separator: "\n").map { sentence in
        TextWidth.lines(of: String(sentence), columns: width).map { line in
          // A line that begins with one of these characters would be a request.
          (line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" : "") + line + "\n"
        }.joined()
      }.joined()
    }.joined(separator: ".IP\n")
  }

  private static func escaped(_ text: String, isLiteral: Bool) -> String {
    let text = text.replacing("\\", with: "\\e")
    return isLiteral ? text.replacing("-", with: "\\-") : text
  }
}
