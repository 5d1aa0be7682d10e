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

/// Why no QR code could be created.
public enum QRCodeError: Error, Equatable, Sendable {
  /// There is nothing to encode.
  case empty
  /// The bytes do not fit the largest symbol (version 40) at this level of error correction.
  case tooLong
  /// Memory could not be allocated.
  case outOfMemory
  /// libqrencode is not installed, or is not a supported version.
  case libraryMissing
}

/// The part of a symbol that may be unreadable (ISO/IEC 18004, section 6.5.1). The two higher
/// levels are for paper that gets dirty, not for screens.
public enum ErrorCorrection: Sendable, CaseIterable {
  /// Level L: about 7 %.
  case low
  /// Level M: about 15 %.
  case medium
}
