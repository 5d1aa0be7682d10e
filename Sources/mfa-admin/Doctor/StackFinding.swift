import PAMStack

/// Something in PAM's service files that turns people away who must enrol.
struct StackFinding: Equatable {
  /// What is wrong.
  enum Fault: Equatable {
    /// The `auth` line at this place has no `account` line that is certain. It names these
    /// configuration files.
    case accountLine(AccountLine, auth: StackPosition, configuration: [[UInt8]])
    /// It cannot be told whether there is an `auth` line of the module.
    case unreadable(StackRefusal)
  }

  /// The service.
  let service: [UInt8]
  /// What is wrong with it.
  let fault: Fault

  /// A word that stays the same from version to version, for programs.
  var code: String {
    switch fault {
    case .accountLine(let line, _, _): "\(line.name)"
    case .unreadable(let refusal): "\(refusal.name)"
    }
  }

  /// Where it is: the file and the line that are to be looked at first.
  var place: String {
    switch fault {
    case .accountLine(let line, let auth, _): Self.text(line.obstacle ?? auth.text)
    case .unreadable(let refusal):
      refusal.place.isEmpty ? Self.text(service) : Self.text(refusal.place)
    }
  }

  /// What is wrong.
  var message: String {
    switch fault {
    case .accountLine(let line, let auth, _):
      return "who must enrol is denied by \(Self.text(auth.text)): \(Self.reason(line))"
    case .unreadable(let refusal):
      return "it cannot be told whether pam_mfa.so is asked: \(Self.reason(refusal))"
    }
  }

  /// What to do about it.
  var hint: String {
    switch fault {
    case .accountLine(.unknown, _, _), .unreadable: return "correct what stands there"
    case .accountLine(let line, _, let configuration):
      let added = (["account", "required", "pam_mfa.so"] + configuration.map { Self.text($0) })
        .joined(separator: " ")
      let top = "\"\(added)\" above every other account line and every @include"
      switch line {
      case .forgotten: return "take the action 'reset' out of that line"
      case .missing, .certain, .unknown: return "write \(top) that has any"
      case .toothless, .otherConfiguration, .passedOver:
        return "replace it: write \(top) that has any"
      }
    }
  }

  /// What is wrong with an `account` line.
  static func reason(_ line: AccountLine) -> String {
    switch line {
    case .certain: "nothing"
    case .missing: "there is no account line of pam_mfa.so"
    case .toothless: "its account line denies nobody for certain: it is not \"required\""
    case .otherConfiguration: "its account line reads another configuration"
    case .passedOver(let ours, _):
      "this line may end the stack before, or jump over, its account line at \(text(ours.text))"
    case .forgotten(let ours, _):
      "this line may have what its account line at \(text(ours.text)) says forgotten"
    case .unknown(let refusal): "its account lines cannot be told: \(reason(refusal))"
    }
  }

  /// Why a stack cannot be told.
  static func reason(_ refusal: StackRefusal) -> String {
    switch refusal {
    case .notAServiceName: "the name is no service's"
    case .notFound: "this line includes a file that does not exist"
    case .loop: "this line includes a file in itself"
    case .tooDeep: "files include one another more than \(ServiceStack.deepest) deep"
    case .tooLong: "there are more than \(ServiceStack.mostLines) lines, or 64 KiB"
    case .notUnderstood: "this line is not understood"
    case .system(_, let error): "this file cannot be read: \(error.text)"
    case .untrusted(_, let distrust): "this file is not trusted: \(distrust.name)"
    }
  }

  private static func text(_ bytes: [UInt8]) -> String { VisibleText.escaping(bytes) }

  /// As the doctor tells it.
  var finding: Finding {
    let severity: Finding.Severity =
      switch fault {
      case .accountLine: .error
      case .unreadable: .warning
      }
    return Finding(
      severity: severity, code: code, services: [service], place: place, message: message,
      hint: hint)
  }
}
