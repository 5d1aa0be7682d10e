import MFARealm

// Why a realm refused a request, in words.
extension AdministrationFailure {
  /// What failed, and why. `detail` is, for example, a name.
  func message(_ detail: String) -> String {
    switch self {
    case .notPermitted: "the realm does not permit administrators on this host"
    case .hostRefused:
      "the realm refuses this host: it was revoked, or its certificate was replaced"
    case .unknownCommand: "the verifier does not know this command: it is older than mfa-admin"
    case .malformed: "the verifier cannot read the request"
    case .store: "the store of the realm cannot be used: \(detail)"
    case .notFound: "the realm has no \"\(detail)\", or nothing that matches"
    case .unknownGroup where detail.isEmpty: "a host needs a group"
    case .unknownGroup: "the verifiers have no group \(detail)"
    case .badHostName: "\(detail) is not the name of a host in lower case"
    case .tooManyGrants: "\(detail) already has the largest number of tickets and bypass codes"
    case .badGrant: "the duration, the number of uses or the reason is not possible"
    case .policy: "the policy of the realm cannot be read on the verifier"
    case .notRoot: "the relay serves only root"
    case .noVerifier where !detail.isEmpty: "no verifier of the realm answers: \(detail)"
    case .noVerifier: "no verifier of the realm answers; nothing was changed"
    case .uncertain: "the verifier did not answer in time: the change may have been made"
    case .importNotPermitted: "the realm does not permit this host to import \(detail)"
    case .nameTaken: "the realm has factors or codes of a user \(detail)"
    }
  }

  /// What the administrator can do next.
  func hint(_ detail: String) -> String {
    switch self {
    case .notPermitted:
      "a group of this host needs \"administering = on\" in /etc/mfa/verifier.conf on the verifiers"
    case .hostRefused: "join again with a new ticket: mfa-fleet(8)"
    case .unknownCommand, .malformed: "upgrade the verifiers"
    case .store: "on a verifier: runuser -u mfa -- mfa-verifier check"
    case .notFound: "mfa-admin list shows the users, mfa-admin realm hosts the hosts"
    case .unknownGroup:
      "name a section [hosts NAME] of /etc/mfa/verifier.conf with --group, for example: --group web"
    case .badHostName: "for example: mfa-admin realm ticket web1.example.org --group web"
    case .tooManyGrants: "withdraw one with mfa-admin withdraw; mfa-admin grants lists them"
    case .badGrant: "see BYPASS in mfa-admin(8) for the ranges"
    case .policy: "on a verifier: mfa-admin config check"
    case .notRoot: "run the command as root"
    case .noVerifier:
      "mfa-admin doctor says what is wrong; the log of the relay names each verifier"
    case .uncertain: "mfa-admin audit-log show lists the changes that were made"
    case .importNotPermitted:
      "a group of this host with these users needs \"importing = on\" in /etc/mfa/verifier.conf on the verifiers"
    case .nameTaken: "if these are not needed any more: mfa-admin revoke --all \(detail)"
    }
  }
}
