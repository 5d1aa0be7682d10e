import MFAEnrollMessages
import MFAMessages
import MultiFactor

/// Why the command failed, and what to do next.
struct Failure: Error, Equatable {
  /// The part of the product that reports the failure.
  private enum Reason: Equatable {
    case program(EnrollFailure)
    case library(MultiFactorError)
  }

  private let reason: Reason
  /// The exit status.
  let status: ExitStatus

  /// Creates a failure that this program detected.
  init(_ reason: EnrollFailure, status: ExitStatus = .failed) {
    self.reason = .program(reason)
    self.status = status
  }

  /// Creates a failure that the library or the helper reported.
  init(_ error: MultiFactorError) {
    reason = .library(error)
    status = ExitStatus(error)
  }

  /// Returns what happened and what to do next, in a language.
  func text(in language: Language) -> FailureText {
    switch reason {
    case .program(let failure): failure.text(in: language)
    case .library(let error): error.text(in: language)
    }
  }

  /// Returns the failure as it is printed: what happened, and below it what to do next.
  func report(in language: Language) -> MessageText {
    let text = text(in: language)
    let error = EnrollMessage.errorLabel.label(in: language)
    let hint = EnrollMessage.hintLabel.label(in: language)
    return "mfa-enroll: \(error)\(text.description)\n\(hint)\(text.hint)"
  }
}
