import MFABase

/// What a function of a PAM module returns (pam(3), "return values"), with the numbers of
/// `_pam_types.h` of Linux-PAM.
package enum PAMReturnCode: UInt8, CaseIterable, Sendable {
  case success, openError, symbolError, serviceError, systemError, bufferError, permissionDenied
  case authenticationError, insufficientCredentials, authenticationInfoUnavailable, userUnknown
  case maximumTries, newTokenRequired, accountExpired, sessionError, credentialsUnavailable
  case credentialsExpired, credentialsError, noModuleData, conversationError, tokenError
  case tokenRecoveryError, tokenLockBusy, tokenAgingDisabled, tryAgain, ignore, abort
  case tokenExpired, moduleUnknown, badItem, conversationAgain, incomplete

  /// The name in the controls of service files (pam.conf(5)).
  package var name: StaticString {
    switch self {
    case .success: "success"
    case .openError: "open_err"
    case .symbolError: "symbol_err"
    case .serviceError: "service_err"
    case .systemError: "system_err"
    case .bufferError: "buf_err"
    case .permissionDenied: "perm_denied"
    case .authenticationError: "auth_err"
    case .insufficientCredentials: "cred_insufficient"
    case .authenticationInfoUnavailable: "authinfo_unavail"
    case .userUnknown: "user_unknown"
    case .maximumTries: "maxtries"
    case .newTokenRequired: "new_authtok_reqd"
    case .accountExpired: "acct_expired"
    case .sessionError: "session_err"
    case .credentialsUnavailable: "cred_unavail"
    case .credentialsExpired: "cred_expired"
    case .credentialsError: "cred_err"
    case .noModuleData: "no_module_data"
    case .conversationError: "conv_err"
    case .tokenError: "authtok_err"
    case .tokenRecoveryError: "authtok_recover_err"
    case .tokenLockBusy: "authtok_lock_busy"
    case .tokenAgingDisabled: "authtok_disable_aging"
    case .tryAgain: "try_again"
    case .ignore: "ignore"
    case .abort: "abort"
    case .tokenExpired: "authtok_expired"
    case .moduleUnknown: "module_unknown"
    case .badItem: "bad_item"
    case .conversationAgain: "conv_again"
    case .incomplete: "incomplete"
    }
  }

  /// Whether the code is a failure for a module that is called once: everything except success,
  /// "ignore" and "new password required", which sign-ins with an expired password return.
  package var isFailure: Bool {
    switch self {
    case .success, .ignore, .newTokenRequired: false
    case _: true
    }
  }
}
