/// Why a symbol became no file.
public enum QRImageError: Error, Equatable, Sendable {
  /// libpng is not installed, or is not the one that is known here.
  case libraryMissing
  /// libpng failed, for lack of memory.
  case outOfMemory
}
