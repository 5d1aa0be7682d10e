import MFACPOSIX

/// The capabilities of this thread (capabilities(7)), through the kernel's system calls. No library
/// is needed.
enum Capabilities {
  /// The bit of CAP_AUDIT_WRITE in the first word of a capability set.
  private static var auditWrite: UInt32 { 1 << UInt32(CAP_AUDIT_WRITE) }

  /// Gives up all capabilities for good except CAP_AUDIT_WRITE, which stays permitted but not
  /// effective and is not passed to programs that this process starts. The kernel removes the
  /// ambient capabilities together with the inheritable ones. Returns true if it succeeded or the
  /// kernel does not support capabilities.
  static func reduce() -> Bool {
    change { words in
      for index in words.indices {
        words[index].permitted &= index == 0 ? auditWrite : 0
        words[index].effective = 0
        words[index].inheritable = 0
      }
    } || cposix_errno() == ENOSYS
  }

  /// Makes CAP_AUDIT_WRITE effective or ineffective. Returns whether this changed anything. Changes
  /// nothing if the thread does not have the capability in its permitted set.
  static func setAuditWriting(isEffective: Bool) -> Bool {
    var isChange = false
    let isDone = change { words in
      let before = words[0].effective
      words[0].effective &= ~auditWrite
      if isEffective { words[0].effective |= words[0].permitted & auditWrite }
      isChange = words[0].effective != before
    }
    return isDone && isChange
  }

  /// Reads the three capability sets, lets `body` change them, and writes them. Each set has two
  /// words. Returns whether it succeeded.
  private static func change(_ body: (inout [__user_cap_data_struct]) -> Void) -> Bool {
    var header = __user_cap_header_struct(
      version: UInt32(_LINUX_CAPABILITY_VERSION_3), pid: 0)
    var words = [__user_cap_data_struct](repeating: __user_cap_data_struct(), count: 2)
    // SAFETY: version 3 has two words, so the call writes no more than the array has.
    guard unsafe cposix_get_capabilities(&header, &words) == 0 else { return false }
    body(&words)
    // SAFETY: the call reads both structures, which outlive it.
    return unsafe cposix_set_capabilities(&header, &words) == 0
  }
}
