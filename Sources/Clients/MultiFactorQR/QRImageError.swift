/// Why a picture file could not be created.
public enum QRImageError: Error, Equatable, Sendable {
  /// libpng is not installed, or is not a supported version.
  case libraryMissing
  /// libpng ran out of memory.
  case outOfMemory
}
