import MultiFactor

/// Why the command failed, and what to do next.
struct Failure: Error, Equatable {
  /// What happened, in lower case and without a full stop.
  let description: String
  /// What to do next, in the same style.
  let hint: String
  /// The exit status.
  let status: ExitStatus

  init(_ description: String, hint: String, status: ExitStatus = .failed) {
    self.description = description
    self.hint = hint
    self.status = status
  }

  init(_ error: MultiFactorError) {
    self.init(error.description, hint: error.hint, status: ExitStatus(error))
  }

  /// The message as printed: two lines.
  var text: String { "mfa-enroll: error: \(description)\nhint: \(hint)\n" }
}
