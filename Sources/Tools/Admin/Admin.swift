// MFAAdmin: what several commands of mfa-admin do, without their arguments, and how they print.
//
// `Administration` has the operations on the store: list users, revoke, unlock, import, grant, and
// verify the audit log. `ThisHost.administration` opens it for the host that the program runs on.
// `AdminError` is the reason why a command failed, with a hint. The reports, such as `UserReport`,
// hold a result and its forms as text and as JSON.
//
// `Console` is the process's terminal, standard output and standard error. `JSON` is a value that
// is printed for programs; `JSONReader` parses JSON text. `VisibleText` escapes text from untrusted
// sources. `AdminStatus` lists the exit statuses.
//
// MUST 1: operations print nothing. Commands print their reports with `Console`.
// MUST 2: this library never signs a user in, so it does not import `MFASignIn`.
// MUST 3: text that another program or user chose is printed only through `VisibleText` or `JSON`.
