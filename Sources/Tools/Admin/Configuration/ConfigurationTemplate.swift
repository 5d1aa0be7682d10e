import MFAModel

/// The file packaging/mfa.conf: each key of `[project]` in a comment, with its description and its
/// default or an example, and examples of tenants.
///
/// Without the # in front of it, a line with a default changes nothing.
/// (`ConfigurationTemplateTests`)
package enum ConfigurationTemplate {
  /// The maximum length of a line.
  private static let width = 100

  private static let heading = """
    # Second factors at sign-in: see mfa.conf(5). Only root may write this file; all users may read it.
    # It is read again at every sign-in. A key that is unknown, repeated or out of range is an error.
    # While there is an error, every sign-in that uses pam_mfa.so is denied.
    #
    # Each key is shown in a comment. Remove the # in front of the key and change the value. A key that
    # has a default is shown with it. A key without a default is shown with an example, and the line
    # above the key says so.
    #
    # The settings here override those in /usr/lib/mfa/mfa.conf, and the files
    # /etc/mfa/mfa.conf.d/*.conf override both, key by key. "mfa-admin config check" reports errors and
    # settings without effect, "mfa-admin config show" the effective settings and their files, and
    # "mfa-admin config template" prints this text.

    [project]

    """

  private static let tenants = """

    # A tenant overrides these settings for the sign-ins that all of its selectors match: users, groups,
    # services and networks. It can have every key above, except for those that only [project] can have.
    # If several tenants match, the last one that sets a key counts.
    #
    # These are examples. To use one, remove the # from all of its lines, and keep it below the settings
    # of [project].

    """

  /// The examples of tenants: the header, and the keys with their values.
  private static let examples:
    [(name: String, settings: [(key: Configuration.Key, value: String)])] = [
      (
        "office",
        [
          (.services, "sshd"), (.networks, "192.0.2.0/24, 2001:db8::/32"),
          (.enrollment, "offered"), (.offerSignIns, "10"),
        ]
      ),
      (
        "administrators",
        [(.groups, "sudo, adm"), (.adjacentIntervals, "1"), (.enrollment, "required")]
      ),
      ("step-up", [(.services, "sudo, su"), (.enrollment, "required"), (.freshFor, "15m")]),
    ]

  private static let daemon = """

    # A section [daemon NAME] lets a program that does not act as root sign in other users than its own,
    # such as a RADIUS server: see mfa.conf(5).

    # [daemon radiusd]
    # user = freerad
    # services = radiusd
    # groups = vpn

    """

  /// The text of the file.
  package static var text: String {
    var text = heading
    for key in Configuration.Key.allCases where !key.isSelector { text += "\n" + lines(about: key) }
    text += tenants
    for example in examples {
      text += "\n# [tenant \(example.name)]\n"
      for (key, value) in example.settings { text += "# \(key.name) = \(value)\n" }
    }
    return text + daemon
  }

  private static func lines(about key: Configuration.Key) -> String {
    let documentation = key.documentation
    var text = ""
    for paragraph in DocumentationText.paragraphs(documentation.summary) {
      text += comment(quoted(paragraph))
    }
    if documentation.words.isEmpty {
      text += comment("Value: \(quoted(key.allowedValues)).")
    } else {
      let column = (documentation.words.map { $0.name.count }.max() ?? 0) + 2
      for word in documentation.words {
        let name = TextWidth.pad(word.name, to: column)
        let meaning = DocumentationText.paragraphs(word.meaning).joined(separator: " ")
        text += comment(quoted(meaning), first: name)
      }
    }
    if key.isOfTheHost { text += comment("Only [project] can have this key.") }
    if let value = key.defaultText {
      return text + "# \(key.name) = \(String(decoding: value, as: UTF8.self))\n"
    }
    let absence = documentation.absence ?? ""
    text += comment("No default: without the key, \(absence.lowercasingFirst) An example:")
    return text + "# \(key.name) = \(documentation.example ?? "")\n"
  }

  /// Returns a paragraph as lines of a comment. The first line begins with `first`, and the other
  /// lines with as many spaces.
  private static func comment(_ paragraph: String, first: String = "") -> String {
    let indentation = String(repeating: " ", count: first.count)
    let lines = TextWidth.lines(of: paragraph, columns: width - 2 - first.count)
    return lines.enumerated().map { index, line in
      "# \(index == 0 ? first : indentation)\(line)\n"
    }.joined()
  }

  /// Returns a text with literal parts in quotation marks, except for names of manual pages such as
  /// pam_mfa(8).
  private static func quoted(_ text: String) -> String {
    DocumentationText.parts(text).map { part in
      part.isLiteral && !part.isManualPage ? "\"\(part.text)\"" : part.text
    }.joined()
  }
}

extension String {
  /// The text with a small first letter.
  fileprivate var lowercasingFirst: String { prefix(1).lowercased() + dropFirst() }
}
