// MFAAdminOutput: how mfa-admin prints.
//
// `Console` is the process's terminal, standard output and standard error. `JSON` is a value that
// is printed for programs; `JSONReader` parses JSON text. `VisibleText` escapes text from untrusted
// sources. `AdminStatus` lists the exit statuses.
//
// MUST 1: this library does not know what is printed: it has no types for users, services or
// findings.
// MUST 2: text that another program or user chose is printed only through `VisibleText` or `JSON`.
