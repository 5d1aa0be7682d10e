/// The exit statuses.
enum AdminStatus: Int32 {
  /// Done.
  case success = 0
  /// Something failed, a record cannot be used, or something was found other than by the doctor.
  case failure = 1
  /// There is no such user or tenant, or the user has no such factor.
  case notFound = 2
  /// The doctor has found an error or a warning.
  case findings = 3
  /// The command was not understood, or needs an answer that nobody is there to give.
  case usage = 64
  /// Only root may do this.
  case notRoot = 77

  /// The statuses as `--help` explains them.
  static var explanation: String {
    """
    Exit status:
      0   done
      1   something failed, a record cannot be used, or something was found
      2   there is no such user, factor of the user, tenant or service
      3   doctor has found an error or a warning
      64  the command was not understood, or needs an answer or --yes
      77  only root may do this
    """
  }
}
