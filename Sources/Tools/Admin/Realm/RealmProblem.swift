import MFABase
import MFARealm

/// Why a command on a host of a realm failed.
package enum RealmProblem: Error, Equatable {
  /// The host belongs to no realm.
  case noRealm
  /// The command works on the store of one host.
  case localCommand
  /// No option of this command is possible on a host of a realm; the value is the option.
  case localOption(String)
  /// The relay cannot be reached.
  case noRelay(SystemError)
  /// Another user than root created the socket of the relay.
  case untrustedRelay(UInt32)
  /// The relay did not answer.
  case silentRelay
  /// The relay ended the connection, or sent an answer that this version does not know.
  case otherVersion
  /// The list of what this host has imported cannot be used. The value is its path.
  case importListUnusable(String)
  /// The list of what this host has imported is about another realm. The value is its path.
  case importListOfOtherRealm(String)
  /// The number of users about whom this host and the realm differ. Nothing was imported.
  case importConflicts(Int)
  /// The number of users who were not imported.
  case usersNotImported(Int, of: Int)
  /// The realm, or the relay, refused the request. The value is a detail, such as a name.
  case refused(AdministrationFailure, String)

  /// The exit status.
  package var status: AdminStatus {
    switch self {
    case .refused(.notFound, _), .refused(.unknownGroup, _): .notFound
    case .localOption, .noRealm, .refused(.badHostName, _), .refused(.badGrant, _): .usage
    case .localCommand, .noRelay, .untrustedRelay, .silentRelay, .otherVersion, .refused,
      .importListUnusable, .importListOfOtherRealm, .importConflicts, .usersNotImported:
      .failure
    }
  }

  /// What failed, and why.
  package var message: String {
    switch self {
    case .noRealm: "this host does not belong to a realm"
    case .localCommand:
      "this command works on the store of one host, and this host belongs to a realm"
    case .localOption(let option): "\(option) is not possible on a host of a realm"
    case .noRelay(let error): "the relay of this host cannot be reached: \(error.text)"
    case .untrustedRelay(let owner): "uid \(owner) listens on the socket of the relay"
    case .silentRelay: "the relay of this host does not answer"
    case .otherVersion: "the relay or the verifier has another version than mfa-admin"
    case .importListUnusable(let path):
      "\(path) cannot be read as the list of what this host has imported"
    case .importListOfOtherRealm(let path):
      "\(path) lists what this host has imported into another realm"
    case .importConflicts(1):
      "this host and the realm differ about one user; nothing was imported"
    case .importConflicts(let count):
      "this host and the realm differ about \(count) users; nothing was imported"
    case .usersNotImported(let count, let total):
      "\(count) of \(total) users were not imported"
    case .refused(let failure, let detail): Self.message(failure, detail)
    }
  }

  private static func message(_ failure: AdministrationFailure, _ detail: String) -> String {
    switch failure {
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
  package var hint: String {
    switch self {
    case .noRealm: "mfa-fleet(8) describes how a host joins a realm"
    case .localCommand:
      "the realm's factors are not on this host; ON A HOST OF A REALM in mfa-admin(8) lists what is possible"
    case .localOption: "omit it"
    case .noRelay, .silentRelay: "systemctl status mfa-relay.service"
    case .untrustedRelay: "find the program: ss --listening --packet --processes"
    case .otherVersion: "restart the relay after an upgrade: systemctl restart mfa-relay.service"
    case .importListUnusable(let path):
      "without the list, what the realm has revoked since would be imported again: restore \(path)"
    case .importListOfOtherRealm(let path):
      "move the file away to import into this realm: mv \(path) \(path).old"
    case .importConflicts:
      "--conflicts keep leaves what the realm has, --conflicts take replaces it with what this host has"
    case .usersNotImported: "the lines above say why; you can repeat the command"
    case .refused(let failure, let detail): Self.hint(failure, detail)
    }
  }

  private static func hint(_ failure: AdministrationFailure, _ detail: String) -> String {
    switch failure {
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
