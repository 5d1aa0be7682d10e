import MFABase

extension MultiFactor {
  /// Protects the secrets in this process from the user's other programs: no core dump is written,
  /// and no other process can trace this one or read its memory.
  ///
  /// Call this first in a program that shows keys or asks for passwords and codes. The library does
  /// not call it itself because it affects the whole process: debuggers and crash reporters no
  /// longer work on the process, and its files in /proc belong to root. The protection lasts until
  /// the process executes another program.
  ///
  /// - Returns: whether the process is protected.
  @discardableResult
  public static func protectProcess() -> Bool { ProcessMemory.protect() }
}
