import MFAImport

/// The result of importing one factor.
package struct ImportReport: Equatable {
  /// The possible results.
  package enum Outcome: Equatable {
    /// The factor was imported under this name.
    case imported(name: String, [ImportWarning])
    /// The factor would be imported under this name.
    case possible(name: String, [ImportWarning])
    /// The account already has a factor with this key.
    case present(name: String)
    /// The factor was not imported. The value is the reason.
    case refused(String)
  }

  /// The user's name, or nil if the file does not contain it.
  package let user: [UInt8]?
  /// The line of the file, or nil if the result applies to the whole file.
  package let line: Int?
  /// The result.
  package let outcome: Outcome

  /// Whether the import of the factor failed.
  package var isRefused: Bool {
    switch outcome {
    case .imported, .possible, .present: false
    case .refused: true
    }
  }

  /// The result as one line, such as `alice: imported as "imported"`, with any warnings.
  package var text: String {
    let place = line.map { "line \($0)" }
    let who = user.map { VisibleText.escaping($0) } ?? place ?? "?"
    return switch outcome {
    case .imported(let name, let warnings):
      "\(who): imported as \"\(name)\"" + warnings.map { "; " + $0.text }.joined()
    case .possible(let name, let warnings):
      "\(who): would be imported as \"\(name)\"" + warnings.map { "; " + $0.text }.joined()
    case .present(let name): "\(who): already present as \"\(name)\""
    case .refused(let reason): "\(who): not imported: \(reason)"
    }
  }

  /// The result as JSON.
  package var json: JSON {
    var members: [(name: String, value: JSON)] = [
      ("user", JSON(user.map { VisibleText.escaping($0) })),
      ("line", line.map { .number(Int64($0)) } ?? .null),
    ]
    switch outcome {
    case .imported(let name, let warnings):
      members += [("result", .string("imported"))] + Self.members(name, warnings)
    case .possible(let name, let warnings):
      members += [("result", .string("possible"))] + Self.members(name, warnings)
    case .present(let name):
      members += [("result", .string("present"))] + Self.members(name, [])
    case .refused(let reason):
      members += [("result", .string("refused")), ("reason", .string(reason))]
    }
    return .object(members)
  }

  private static func members(
    _ name: String, _ warnings: [ImportWarning]
  ) -> [(name: String, value: JSON)] {
    [("displayName", .string(name)), ("warnings", .array(warnings.map { .string($0.text) }))]
  }
}
