import Glibc

/// Loads a PAM module as libpam does (`dlopen` with RTLD_NOW), without calling it.
package enum ModuleLoader {
  /// The functions that libpam calls for `auth`, `account` and `session` lines.
  private static let functions = [
    "pam_sm_authenticate", "pam_sm_setcred", "pam_sm_acct_mgmt", "pam_sm_open_session",
    "pam_sm_close_session",
  ]

  /// Loads the module at a path. Returns the reason why it cannot be loaded, or nil.
  ///
  /// The process ends if the file is damaged in certain ways, so this is called in a process of its
  /// own.
  package static func problem(_ path: String) -> String? {
    // SAFETY: the string is valid during the call.
    guard let library = unsafe dlopen(path, RTLD_NOW | RTLD_LOCAL) else { return lastError }
    // SAFETY: the library stays loaded, and the string is valid during the call.
    for function in functions where unsafe dlsym(library, function) == nil {
      return "it has no function \(function)"
    }
    return nil
  }

  private static var lastError: String {
    // SAFETY: the text is NUL-terminated and valid until the next call of a dl function.
    guard let text = unsafe dlerror() else { return "unknown reason" }
    // SAFETY: the text is NUL-terminated and valid until the next call of a dl function.
    return unsafe String(cString: text)
  }
}
