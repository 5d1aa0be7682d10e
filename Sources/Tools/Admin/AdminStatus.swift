/// The exit statuses.
package enum AdminStatus: Int32 {
  /// The command succeeded.
  case success = 0
  /// Something failed, a record cannot be used, or a check other than `doctor` found a problem.
  case failure = 1
  /// There is no such user, factor, grant, tenant or service, or there is nothing to confirm.
  case notFound = 2
  /// `doctor` or `check` found an error or a warning.
  case findings = 3
  /// The command line is not valid, or a required confirmation cannot be requested.
  case usage = 64
  /// The command must be run as root.
  case notRoot = 77

  /// The description of the statuses for `--help`.
  package static var explanation: String {
    """
    Exit status:
      0   success
      1   something failed, a record cannot be used, or a check found a problem
      2   there is no such user, factor, grant, tenant or service
      3   doctor or check found an error or a warning
      64  the command line is not valid, or the command needs an answer or --yes
      77  the command must be run as root
    """
  }
}
