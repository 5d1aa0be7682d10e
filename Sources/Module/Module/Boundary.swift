import MFABase
import MFACMFA
import MFAWire

// The function of mfa.h that is called by the shim.

@c @implementation
func mfa_decide(
  _ line: mfa_line, _ request: UnsafePointer<mfa_request>,
  _ application: UnsafePointer<mfa_application>
) -> mfa_verdict {
  let identity = ProcessIdentity.current
  // SAFETY: the shim passes structures that outlive the call.
  let conversation = unsafe ModuleConversation(
    ModuleLine(line), SignInRequest(request.pointee),
    application: PAMApplication(application.pointee), identity: identity,
    decider: Deciders.installed(for: identity))
  return conversation.run()
}

extension ModuleLine {
  /// Converts the line that called the module.
  fileprivate init(_ line: mfa_line) {
    self =
      switch line {
      case .auth: .auth
      case .account: .account
      case .session: .session
      }
  }
}
