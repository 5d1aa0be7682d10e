import CSpawn

extension MultiFactor {
  /// Protects the secrets in this process from other programs of the same user: no core dump is written,
  /// and no other process can trace this one or read its memory.
  ///
  /// Call it first in a program that shows keys or asks for passwords and codes. The library does not
  /// call it itself, because it concerns the whole process: debuggers and crash reporters no longer work
  /// on the process, and its files in /proc belong to root. It lasts until the process runs another
  /// program.
  ///
  /// - Returns: whether the process is protected.
  @discardableResult
  public static func protectProcess() -> Bool { cspawn_protect() == 0 }
}
