import MFAAttempt
import MFABase
import MFAMessages
import MFAModel
import MFAPAMStack
import MFAStore
import MFAWire

// The `session` line of sshd.
//
// sshd repeats what modules tell during authentication, to scp and to commands too, and does not know
// yet whether the client will ask for a terminal. What modules tell at the beginning of the session, it
// shows once, to shells at a terminal only. The `auth` line therefore leaves the notices that need no
// confirmation to the `session` line. PAM does not learn whether sshd showed them, so they stay pending
// until the user has read them with `mfa-enroll notices`, or signs in where text is certainly shown.
//
// MUST 1: the `session` line never decides about a session, and changes nothing. (`SessionLineTests`)
extension SignIn {
  /// Whether the `session` line of this service tells the pending notices.
  var tellsInSession: Bool {
    guard SessionService(request.service) == .sshd else { return false }
    do throws(StackRefusal) {
      return try ServiceStack(.session, of: request.service, from: host.stacks).entries
        .contains { $0.asks(module: "pam_mfa.so") }
    } catch {
      return false
    }
  }

  /// Shows what is pending for the user.
  func beginSession(_ resolved: Resolved) {
    guard SessionService(request.service) == .sshd, application.showsMessages, identity.actsAsRoot,
      resolved.failure == nil, resolved.state == .enabled, let account = resolved.account,
      let store = resolved.store
    else { return }
    do throws(Pause) {
      guard let (_, snapshot) = try enrolled(account, store) else { return }
      let record = snapshot.record
      let notices = PendingNotices(
        record, snapshot.attempts.unreported, factor: nil, isShown: false, now: try now())
      // The `auth` line shows the notices that the user has to confirm.
      guard !notices.isEmpty, notices.confirmation == nil else { return }
      useLanguage(of: record, resolved)
      for message in notices.messages(in: resolved.language) {
        tell(message, as: .information, essential: false)
      }
      tell(.howToReadNotices, resolved, essential: false)
    } catch {
      // A session begins whatever happens here.
    }
  }
}

// The address that the user signs in from, as far as it is certain.
extension SignIn {
  /// What identifies the source of this sign-in for the waits after failed attempts: its address, and
  /// without a remote host its terminal. Other sources count as one for each service.
  ///
  /// An IPv6 client can use each address of its network of 64 bits, and counts as one source.
  var client: SignInOrigin {
    if let address = knownAddress {
      let network = address.isIPv4 ? address : IPAddress(bits: (address.bits >> 64) << 64)
      return SignInOrigin(.network, network.text)
    }
    let terminal = request.isAtTerminal ? request.terminal : nil
    return SignInOrigin(.session, request.service + [0] + (terminal ?? []))
  }

  /// Returns the address that the user signs in from, or nil if it is unknown.
  ///
  /// A numeric PAM_RHOST is the address. A host name is never trusted, because it is chosen by the
  /// owner of the address. sshd passes a name under `UseDNS yes`, and the remote address of its
  /// connection is used instead. The connections of other services are not used: a service may be
  /// connected to a server that it depends on.
  func numericAddress() throws(Pause) -> IPAddress? {
    if let knownAddress { return knownAddress }
    guard isNamed, identity.actsAsRoot, application.facts == nil else { return nil }
    throw .facts
  }

  /// The address, as far as it is known without asking for facts.
  private var knownAddress: IPAddress? {
    guard let remoteHost = request.remoteHost, !remoteHost.isEmpty else { return nil }
    if let address = IPAddress(remoteHost.span) { return address }
    guard isNamed, identity.actsAsRoot, let peer = application.facts?.peer, peer.count == 16 else {
      return nil
    }
    return IPAddress(bits: peer.reduce(UInt128(0)) { $0 << 8 | UInt128($1) })
  }

  /// True if the remote host is a name, and only the application's process knows its address.
  private var isNamed: Bool {
    let service: StaticString = "sshd"
    guard let remoteHost = request.remoteHost, !remoteHost.isEmpty else { return false }
    return request.service == service.bytes && IPAddress(remoteHost.span) == nil
  }
}

// Records of sign-ins in the kernel's audit trail.
extension SignIn {
  /// Writes the decision about a code to the audit trail. Writes nothing if no code was verified.
  func audit(_ result: SignInResult, _ account: Account?) {
    guard let account, let succeeded = result.auditedSuccess else { return }
    var kind = Audit.Kind.authentication
    if case .allowed(.enrolledNow) = result { kind = .management }
    let address = request.remoteHost.flatMap { IPAddress($0.span) == nil ? nil : $0 }
    application.audit(
      Audit.Record(
        kind: kind, operation: result.auditedOperation.bytes, account: account.name,
        address: address, terminal: request.terminal, succeeded: succeeded))
  }
}

extension SignInResult {
  /// The operation in the audit trail. A result that changes the record has a name of its own.
  var auditedOperation: StaticString {
    switch self {
    case .allowed(.code(let accepted)): Attempt.Result.accepted(accepted).auditedOperation
    case .allowed(.enrolledNow): "mfa:enrolled"
    case .allowed(.breakGlass): "mfa:break-glass"
    case .allowed(.programPassword), .denied(.programPassword): "mfa:program-password"
    case .allowed, .passed, .denied: "mfa:code"
    }
  }

  /// Whether a code was accepted, or nil if there was no attempt.
  var auditedSuccess: Bool? {
    switch self {
    case .allowed(.code), .allowed(.enrolledNow), .allowed(.breakGlass), .allowed(.programPassword):
      true
    case .denied(.programPassword): false
    case .denied(.code(let rejected)): Attempt.Result.rejected(rejected).auditedSuccess
    case .allowed, .passed, .denied: nil
    }
  }
}

// Further tries after a code that was not accepted.
//
// MUST 1: each try is a counted attempt, and none is verified while attempts are throttled or locked.
// (`TryTests.everyTryIsCounted`)
// MUST 2: an unknown user is asked as often as a user with a factor. (`TryTests.unknownUser`)
extension SignIn {
  /// Returns whether the user may try another code in this sign-in.
  ///
  /// With `forward_pass`, the answer contains the password too, and the application can ask only
  /// once.
  func mayTryAgain(after result: SignInResult?, _ resolved: Resolved) -> Bool {
    let options = resolved.options
    guard let result, line == .auth, resolved.state == .enabled,
      resolved.continuation.tryNumber < options.tries ?? resolved.settings.tries,
      !resolved.isAbandoned,
      !options.usesFirstPass, !options.forwardsPass
    else { return false }
    switch result {
    case .denied(.unknownUser): return true
    case .denied(.code(.notACode(.noAnswer))): return false
    case .denied(.code(.wrong(0))), .denied(.code(.ofAnotherTime(_, 0))),
      .denied(.code(.replayed(_, 0))), .denied(.code(.notACode)), .denied(.code(.notYet)),
      .denied(.code(.typeNotAllowed)), .denied(.code(.repeated)):
      return true
    case .allowed, .passed, .denied: return false
    }
  }

  /// Returns whether the user, or an application that can ask only once, gave no answer to a further
  /// try. The result of the try before has been reported.
  func isAbandonedRetry(_ result: SignInResult, _ resolved: Resolved) -> Bool {
    guard resolved.continuation.tryNumber > 1 else { return false }
    if case .denied(.code(.notACode(.noAnswer))) = result { return true }
    return resolved.isAbandoned
  }
}
