import Import

/// What came of one factor that was to be imported.
struct ImportReport: Equatable {
  /// What came of it.
  enum Outcome: Equatable {
    /// It was imported under this name.
    case imported(name: String, [ImportWarning])
    /// It would be.
    case possible(name: String, [ImportWarning])
    /// A factor with this key is there already.
    case present(name: String)
    /// It was not, for this reason.
    case refused(String)
  }

  /// Whose; nil where the file does not say.
  let user: [UInt8]?
  /// The line of the file; nil where the whole file is meant.
  let line: Int?
  /// What came of it.
  let outcome: Outcome

  /// Whether it was not imported, and should have been.
  var isRefused: Bool {
    switch outcome {
    case .imported, .possible, .present: false
    case .refused: true
    }
  }

  /// One line for a person: `alice: imported as "imported"`, and what to know about it.
  var text: String {
    let place = line.map { "line \($0)" }
    let who = user.map { VisibleText.escaping($0) } ?? place ?? "?"
    return switch outcome {
    case .imported(let name, let warnings):
      "\(who): imported as \"\(name)\"" + warnings.map { "; " + $0.text }.joined()
    case .possible(let name, let warnings):
      "\(who): would be imported as \"\(name)\"" + warnings.map { "; " + $0.text }.joined()
    case .present(let name): "\(who): already imported: it is \"\(name)\""
    case .refused(let reason): "\(who): not imported: \(reason)"
    }
  }

  /// The same for programs.
  var json: JSON {
    var members: [(name: String, value: JSON)] = [
      ("user", JSON(user.map { VisibleText.escaping($0) })),
      ("line", line.map { .number(Int64($0)) } ?? .null),
    ]
    switch outcome {
    case .imported(let name, let warnings):
      members += [("outcome", .string("imported"))] + Self.members(name, warnings)
    case .possible(let name, let warnings):
      members += [("outcome", .string("possible"))] + Self.members(name, warnings)
    case .present(let name):
      members += [("outcome", .string("present"))] + Self.members(name, [])
    case .refused(let reason):
      members += [("outcome", .string("refused")), ("reason", .string(reason))]
    }
    return .object(members)
  }

  private static func members(
    _ name: String, _ warnings: [ImportWarning]
  ) -> [(name: String, value: JSON)] {
    [("factor", .string(name)), ("warnings", .array(warnings.map { .string($0.text) }))]
  }
}
