/// Why no QR code could be made.
public enum QRCodeError: Error, Equatable, Sendable {
  /// There is nothing to encode.
  case empty
  /// The bytes do not fit the largest symbol (version 40) at this level of error correction.
  case tooLong
  /// There was no memory.
  case outOfMemory
  /// libqrencode is not installed, or is not the one that is known here.
  case libraryMissing
}
