import MFAWire
import MFACMFA

// The functions of mfa.h that decide in the application's process.

@c @implementation
func mfa_sign_in(
  _ request: UnsafePointer<mfa_request>, _ application: UnsafePointer<mfa_application>
) -> mfa_verdict {
  // SAFETY: the shim passes structures that outlive the call.
  let signIn = unsafe SignIn(
    SignInRequest(request.pointee), host: LocalHost(),
    application: PAMApplication(application.pointee))
  return signIn.authenticate()
}

@c @implementation
func mfa_account(
  _ request: UnsafePointer<mfa_request>, _ application: UnsafePointer<mfa_application>
) -> mfa_verdict {
  // SAFETY: as above.
  let signIn = unsafe SignIn(
    SignInRequest(request.pointee), host: LocalHost(),
    application: PAMApplication(application.pointee))
  return signIn.checkAccount()
}

@c @implementation
func mfa_session(
  _ request: UnsafePointer<mfa_request>, _ application: UnsafePointer<mfa_application>
) -> mfa_verdict {
  // SAFETY: as above.
  let signIn = unsafe SignIn(
    SignInRequest(request.pointee), host: LocalHost(),
    application: PAMApplication(application.pointee))
  signIn.beginSession()
  return .deny
}
