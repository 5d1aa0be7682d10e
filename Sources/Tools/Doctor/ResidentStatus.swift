/// The condition of the resident service.
package enum ResidentStatus: Equatable {
  /// There is no socket, or nobody listens on it.
  case stopped
  /// The service answers.
  case answers
  /// The service accepts connections but does not answer.
  case silent
  /// Another user than root created the listener.
  case untrusted(owner: UInt32)
  /// The service could not be asked, for this reason.
  case unknown(String)

  /// The condition in one word, for programs.
  package var word: String {
    switch self {
    case .stopped: "stopped"
    case .answers: "answers"
    case .silent: "silent"
    case .untrusted: "untrusted"
    case .unknown: "unknown"
    }
  }

  /// Where sign-ins are decided, in a sentence.
  package var sentence: String {
    switch self {
    case .answers: "sign-ins are decided by mfad, the resident service"
    case .stopped: "sign-ins are decided by mfa-helper, because mfad does not run"
    case .silent, .untrusted:
      "sign-ins are denied, because mfad cannot be used: mfa-admin doctor"
    case .unknown:
      "it is not known whether sign-ins are decided by mfad or by mfa-helper: mfa-admin doctor"
    }
  }
}
