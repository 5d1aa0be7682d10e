import MultiFactor

/// Functions that find the factor that the user means.
enum FactorChoice {
  /// The shortest prefix of an identifier that is accepted.
  static let shortestIdentifier = 4

  /// Returns the factor with this name, or else with this identifier or identifier prefix.
  static func factor(
    _ text: String, among factors: [MultiFactorInfo]
  ) throws(Failure) -> MultiFactorInfo {
    if let named = factors.first(where: { $0.displayName == text }) { return named }
    let beginning = text.lowercased()
    let begun = factors.filter { $0.uid.hasPrefix(beginning) }
    guard beginning.count >= shortestIdentifier, let first = begun.first else {
      throw Failure(
        "you have no second factor \(quoted(shown(text)))",
        hint: factors.isEmpty
          ? "none is enrolled; enrol one with mfa-enroll"
          : "mfa-enroll list shows their names and identifiers")
    }
    guard begun.count == 1 else {
      throw Failure(
        "more than one identifier begins with \(quoted(shown(text)))",
        hint: "use more of it, or the name")
    }
    return first
  }

  /// Returns the user's only factor, for commands that need no name in that case.
  static func onlyFactor(among factors: [MultiFactorInfo]) throws(Failure) -> MultiFactorInfo {
    guard let first = factors.first else {
      throw Failure("you have no second factor yet", hint: "enrol one with mfa-enroll")
    }
    guard factors.count == 1 else {
      throw Failure(
        "you have several second factors", hint: "name one; mfa-enroll list shows their names")
    }
    return first
  }

  /// Returns user input without characters that could control the terminal.
  static func shown(_ text: String, longest: Int = 64) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.prefix(longest).map { scalar in
          switch scalar.properties.generalCategory {
          case .control, .format, .lineSeparator, .paragraphSeparator: "?"
          default: scalar
          }
        }))
  }
}
