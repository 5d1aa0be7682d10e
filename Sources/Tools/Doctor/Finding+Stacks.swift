import MFAAdmin
import MFAPAMStack

// What is wrong with PAM service files, in words.

extension Finding {
  /// Returns the finding that a service's stack has no reliable `account` line for its `auth` line, so that
  /// users who must enrol are denied. The `auth` line names these configuration files.
  static func accountLine(
    _ line: AccountLine, of service: ServiceWithModule, configuration: [[UInt8]]
  ) -> Finding {
    let added =
      (["account", "required", "pam_mfa.so"] + configuration.map { VisibleText.escaping($0) })
      .joined(separator: " ")
    let top = "\"\(added)\" above all other account lines and above every @include"
    let hint =
      switch line {
      case .unknown(let refusal): refusal.remedy
      case .forgotten: "remove the action 'reset' from that line"
      case .missing, .certain: "add \(top) that contains one"
      case .denialIgnored, .otherConfiguration, .skippable:
        "replace it: add \(top) that contains one"
      }
    return Finding(
      severity: .error, code: "\(line.name)", services: [service.name],
      place: line.obstacle.map { VisibleText.escaping($0) } ?? service.place,
      message: "users who must enrol are denied by \(service.place): \(line.sentence)", hint: hint)
  }

  /// Returns the finding that a stack cannot be read, so that it is unknown whether it uses the module.
  /// `mentionsModule` is whether the service's file contains the module's name.
  static func unreadableStack(
    _ refusal: StackRefusal, of service: [UInt8], mentionsModule: Bool
  ) -> Finding {
    Finding(
      severity: mentionsModule ? .error : .warning, code: "\(refusal.name)", services: [service],
      place: VisibleText.escaping(refusal.place.isEmpty ? service : refusal.place),
      message: "cannot determine whether the stack uses pam_mfa.so: \(refusal.sentence)",
      hint: refusal.remedy)
  }
}

extension AccountLine {
  /// The problem with the line in words.
  package var sentence: String {
    switch self {
    case .certain: "nothing"
    case .missing: "the stack has no account line for pam_mfa.so"
    case .denialIgnored:
      "the module's account line can fail without denying the sign-in: it is not \"required\""
    case .otherConfiguration: "the module's account line reads a different configuration"
    case .skippable(let ours, _):
      "this line can end the stack before the module's account line at "
        + "\(VisibleText.escaping(ours.text)) or jump over it"
    case .forgotten(let ours, _):
      "this line can reset the result of the module's account line at "
        + VisibleText.escaping(ours.text)
    case .unknown(let refusal): "the account lines cannot be read: \(refusal.sentence)"
    }
  }
}

extension StackRefusal {
  /// The reason why a stack cannot be read, in words.
  package var sentence: String {
    switch self {
    case .notAServiceName: "the name is not a valid service name"
    case .notFound: "this line includes a file that does not exist"
    case .loop: "this line makes a file include itself"
    case .tooDeep: "includes are nested more than \(ServiceStack.deepest) deep"
    case .tooLong: "the stack has more than \(ServiceStack.maximumLineCount) lines or 64 KiB"
    case .notUnderstood: "this line cannot be parsed"
    case .carriageReturn:
      "this line ends with a carriage return, as on Windows, which libpam takes for a part of the "
        + "last word"
    case .system(_, let error):
      (error.distrust == nil ? "this file cannot be read: " : "this file is not trusted: ")
        + error.text
    }
  }

  /// The file, with the line if it is known, and the reason in words.
  package var located: String { "\(VisibleText.escaping(place)): \(sentence)" }

  /// What to do about the line or file.
  fileprivate var remedy: String {
    guard case .carriageReturn(let position) = self else { return "correct the named line or file" }
    return
      "remove the carriage returns: sed -i 's/\\r$//' \(VisibleText.escaping(position.file))"
  }
}
