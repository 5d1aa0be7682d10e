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
