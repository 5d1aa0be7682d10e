import MultiFactor

/// Why the program ends without having done what it was asked, and what to do next.
struct Failure: Error, Equatable {
  /// What happened, in lower case and without a full stop.
  let description: String
  /// What to do next, likewise.
  let hint: String
  /// What the program that started this one is told.
  let status: ExitStatus

  init(_ description: String, hint: String, status: ExitStatus = .failed) {
    self.description = description
    self.hint = hint
    self.status = status
  }

  init(_ error: MultiFactorError) {
    self.init(error.description, hint: error.hint, status: ExitStatus(error))
  }

  /// As it is printed: two lines.
  var text: String { "mfa-enroll: error: \(description)\nhint: \(hint)\n" }
}
