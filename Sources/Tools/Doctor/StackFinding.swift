import MFAAdmin
import MFAPAMStack

/// A problem in PAM service files: users who must enrol are denied, or the stack cannot be read.
package struct StackFinding: Equatable {
  /// The kind of problem.
  package enum Fault: Equatable {
    /// The stack has no reliable `account` line for the `auth` line at this position. The `auth`
    /// line names these configuration files.
    case accountLine(AccountLine, auth: StackPosition, configuration: [[UInt8]])
    /// The stack cannot be read, so it is unknown whether it uses the module. `mentionsModule` is
    /// whether the service's file contains the module's name.
    case unreadable(StackRefusal, mentionsModule: Bool)
  }

  /// The name of the service.
  package let service: [UInt8]
  /// The problem with the service.
  let fault: Fault

  /// A stable identifier for programs.
  package var code: String {
    switch fault {
    case .accountLine(let line, _, _): "\(line.name)"
    case .unreadable(let refusal, _): "\(refusal.name)"
    }
  }

  /// The file and line to look at first.
  package var place: String {
    switch fault {
    case .accountLine(let line, let auth, _): Self.text(line.obstacle ?? auth.text)
    case .unreadable(let refusal, _):
      refusal.place.isEmpty ? Self.text(service) : Self.text(refusal.place)
    }
  }

  /// The problem in words.
  package var message: String {
    switch fault {
    case .accountLine(let line, let auth, _):
      return "users who must enrol are denied by \(Self.text(auth.text)): \(Self.reason(line))"
    case .unreadable(let refusal, _):
      return "cannot determine whether the stack uses pam_mfa.so: \(Self.reason(refusal))"
    }
  }

  /// The remedy.
  package var hint: String {
    switch fault {
    case .accountLine(.unknown(.carriageReturn(let position)), _, _),
      .unreadable(.carriageReturn(let position), _):
      return "remove the carriage returns: sed -i 's/\\r$//' \(Self.text(position.file))"
    case .accountLine(.unknown, _, _), .unreadable: return "correct the named line or file"
    case .accountLine(let line, _, let configuration):
      let added = (["account", "required", "pam_mfa.so"] + configuration.map { Self.text($0) })
        .joined(separator: " ")
      let top = "\"\(added)\" above all other account lines and above every @include"
      switch line {
      case .forgotten: return "remove the action 'reset' from that line"
      case .missing, .certain, .unknown: return "add \(top) that contains one"
      case .denialIgnored, .otherConfiguration, .skippable:
        return "replace it: add \(top) that contains one"
      }
    }
  }

  /// Returns the problem with an `account` line in words.
  package static func reason(_ line: AccountLine) -> String {
    switch line {
    case .certain: "nothing"
    case .missing: "the stack has no account line for pam_mfa.so"
    case .denialIgnored:
      "the module's account line can fail without denying the sign-in: it is not \"required\""
    case .otherConfiguration: "the module's account line reads a different configuration"
    case .skippable(let ours, _):
      "this line can end the stack before the module's account line at \(text(ours.text)) or jump "
        + "over it"
    case .forgotten(let ours, _):
      "this line can reset the result of the module's account line at \(text(ours.text))"
    case .unknown(let refusal): "the account lines cannot be read: \(reason(refusal))"
    }
  }

  /// Returns the reason why a stack cannot be read.
  package static func reason(_ refusal: StackRefusal) -> String {
    switch refusal {
    case .notAServiceName: "the name is not a valid service name"
    case .notFound: "this line includes a file that does not exist"
    case .loop: "this line makes a file include itself"
    case .tooDeep: "includes are nested more than \(ServiceStack.deepest) deep"
    case .tooLong: "the stack has more than \(ServiceStack.maximumLineCount) lines or 64 KiB"
    case .notUnderstood: "this line cannot be parsed"
    case .carriageReturn:
      "this line ends with a carriage return, as on Windows, which libpam takes for a part of the "
        + "last word"
    case .system(_, let error): "this file cannot be read: \(error.text)"
    case .untrusted(_, let distrust): "this file is not trusted: \(distrust.name)"
    }
  }

  private static func text(_ bytes: [UInt8]) -> String { VisibleText.escaping(bytes) }

  /// The finding that `mfa-admin doctor` reports.
  package var finding: Finding {
    let severity: Finding.Severity =
      switch fault {
      case .accountLine: .error
      case .unreadable(_, let mentionsModule): mentionsModule ? .error : .warning
      }
    return Finding(
      severity: severity, code: code, services: [service], place: place, message: message,
      hint: hint)
  }
}
