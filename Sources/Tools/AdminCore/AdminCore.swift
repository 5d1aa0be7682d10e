// MFAAdminCore: what several commands of mfa-admin do, without their arguments.
//
// `Administration` has the operations on the store: list users, revoke, unlock, import, grant, and
// verify the audit log. `ThisHost.administration` opens it for the host that the program runs on.
// `AdminError` is the reason why a command failed, with a hint. The reports, such as `UserReport`,
// hold a result and its forms as text and as JSON.
//
// MUST 1: this library prints nothing. Commands print its reports with `Console`.
// MUST 2: this library never signs a user in, so it does not import `MFASignIn`.
