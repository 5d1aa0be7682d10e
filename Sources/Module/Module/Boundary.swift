import MFAWire
import MFABase
import MFACMFA

// The functions of mfa.h that are part of the module itself.

@c @implementation
func mfa_ask_service(
  _ line: mfa_line, _ request: UnsafePointer<mfa_request>,
  _ application: UnsafePointer<mfa_application>, _ verdict: UnsafeMutablePointer<mfa_verdict>
) -> Int32 {
  // SAFETY: the shim passes structures that outlive the call.
  let described = unsafe SignInRequest(request.pointee)
  // SAFETY: as above.
  let application = unsafe PAMApplication(application.pointee)
  let identity = ProcessIdentity.current
  let path: StaticString =
    identity.actsAsRoot
    ? InstalledPath.residentRootSocket : InstalledPath.residentUserSocket
  let conversation = ResidentConversation(
    ModuleLine(line), described, application: application, path: path.bytes,
    caller: identity.user)
  guard let decided = conversation.run() else { return 0 }
  // SAFETY: the shim passes memory for a verdict.
  unsafe verdict.pointee = decided
  return 1
}

@c @implementation
func mfa_is_settled(
  _ request: UnsafePointer<mfa_request>, _ application: UnsafePointer<mfa_application>
) -> Int32 {
  // SAFETY: the shim passes structures that outlive the call.
  let described = unsafe SignInRequest(request.pointee)
  // SAFETY: as above.
  return unsafe Settlement.isSettled(described, PAMApplication(application.pointee)) ? 1 : 0
}

@c @implementation
func mfa_settle(
  _ request: UnsafePointer<mfa_request>, _ application: UnsafePointer<mfa_application>
) {
  // SAFETY: the shim passes structures that outlive the call.
  let described = unsafe SignInRequest(request.pointee)
  // SAFETY: as above.
  unsafe Settlement.settle(described, PAMApplication(application.pointee))
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
