import MFAEnrollMessages
import MultiFactor

/// Functions that find the factor that the user means.
enum FactorChoice {
  /// The shortest prefix of an identifier that is accepted.
  static let shortestIdentifier = 4

  /// Returns the factor with this name, or else with this identifier or identifier prefix.
  static func factor(
    _ text: String, among factors: [MultiFactorInfo]
  ) throws(Failure) -> MultiFactorInfo {
    guard !factors.isEmpty else { throw Failure(.noDevice) }
    if let named = factors.first(where: { $0.displayName == text }) { return named }
    let beginning = text.lowercased()
    let begun = factors.filter { $0.uid.hasPrefix(beginning) }
    guard beginning.count >= shortestIdentifier, let first = begun.first else {
      throw Failure(.noSuchDevice(name: shown(text)))
    }
    guard begun.count == 1 else {
      throw Failure(.ambiguousID(shown(text)))
    }
    return first
  }

  /// Returns the user's only factor, for commands that need no name in that case.
  static func onlyFactor(among factors: [MultiFactorInfo]) throws(Failure) -> MultiFactorInfo {
    guard let first = factors.first else {
      throw Failure(.noDevice)
    }
    guard factors.count == 1 else {
      throw Failure(.severalDevices)
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
