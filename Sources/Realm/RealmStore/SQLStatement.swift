/// A statement with its parameters.
struct SQLStatement: Sendable {
  /// How the server gets the statement.
  enum Form: Sendable {
    /// As text.
    case text(String)
    /// As text, to be executed later under a name.
    case preparation(name: String, text: String)
    /// By the name of a prepared statement.
    case prepared(name: String)
  }

  let form: Form
  let values: [SQLValue]

  /// Creates a statement that is parsed and executed once.
  init(_ text: String, _ values: [SQLValue] = []) {
    form = .text(text)
    self.values = values
  }

  /// Creates a statement in any form.
  init(_ form: Form, _ values: [SQLValue] = []) {
    self.form = form
    self.values = values
  }
}
