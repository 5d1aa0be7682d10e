import MFABase

/// A QR code (ISO/IEC 18004) as a square of dark and light modules.
///
/// The encoded data is a secret in this project, so the modules are stored and wiped like a secret.
public struct QRSymbol: ~Copyable {
  /// The number of modules along a side, 21 to 177, without the quiet zone.
  public let size: Int

  /// One byte for each module, row by row: 1 is dark, 0 is light.
  private let modules: SecretBytes

  /// Takes ownership of `size` times `size` modules.
  init(size: Int, modules: consuming SecretBytes) {
    self.size = size
    self.modules = modules
  }

  /// Returns whether a module is dark. Outside the symbol, in its quiet zone, all modules are
  /// light.
  public func isDark(row: Int, column: Int) -> Bool {
    guard row >= 0, row < size, column >= 0, column < size else { return false }
    return modules.span[row &* size &+ column] == 1
  }
}
