public import MFABase
public import MFAQRCode

extension QRSymbol {
  /// Encodes the URL of a secret, from `TOTPSecret.generateQRCodeURL`, for a screen.
  ///
  /// libqrencode works on copies that it frees without wiping; its result is wiped.
  ///
  /// - Parameter url: at most 2953 bytes.
  /// - Throws: `libraryMissing` without libqrencode 4; `empty`, `tooLong` or `outOfMemory`.
  public init(_ url: borrowing SecretBytes) throws(QRCodeError) {
    try self.init(encoding: url.span, errorCorrection: .low)
  }
}

extension TerminalPicture {
  /// Draws the URL of a secret so that it fits a terminal of the given size.
  ///
  /// - Parameters:
  ///   - url: the URL from `TOTPSecret.generateQRCodeURL`.
  ///   - ink: `blackOnWhite` for every terminal that has colours.
  ///   - room: the size of the terminal, or of the part of it that is free.
  /// - Returns: the text to print, or the size that the smallest picture needs.
  /// - Throws: `libraryMissing` without libqrencode 4; `empty`, `tooLong` or `outOfMemory`.
  public static func of(
    _ url: borrowing SecretBytes, ink: TerminalColours, room: TerminalSize
  ) throws(QRCodeError) -> TerminalPicture {
    try of(url.span, ink: ink, room: room)
  }
}

/// Why a picture file could not be created: `libraryMissing` without a supported libpng, or `outOfMemory`.
public typealias QRImageError = QRCodeError

// Re-exports the types in the module's interface, so that a program needs no second import.
@_exported public import enum MFAQRCode.ErrorCorrection
@_exported public import enum MFAQRCode.QRCodeError
@_exported public import struct MFAQRCode.QRSymbol
@_exported public import enum MFAQRCode.TerminalColours
@_exported public import enum MFAQRCode.TerminalPicture
@_exported public import struct MFAQRCode.TerminalRenderer
@_exported public import struct MFAQRCode.TerminalSize
@_exported public import struct MFABase.SecretBytes
