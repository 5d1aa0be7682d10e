import MFAWire
import MFAAttempt
import MFABase
import MFAStore
import MFAModel
import MFAMessages
import MFAPAMStack

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
      guard !notices.isEmpty else { return }
      useLanguage(of: record, resolved)
      for message in notices.messages(in: resolved.language) { tell(message, essential: false) }
      tell(.howToReadNotices, resolved, essential: false)
    } catch {
      // A session begins whatever happens here.
    }
  }
}
