// Re-exports the types in the module's interface, so that a program needs no second import.
@_exported public import enum MFAQRCode.ErrorCorrection
@_exported public import enum MFAQRCode.QRCodeError
@_exported public import struct MFAQRCode.QRSymbol
@_exported public import enum MFAQRCode.TerminalColours
@_exported public import enum MFAQRCode.TerminalPicture
@_exported public import struct MFAQRCode.TerminalRenderer
@_exported public import struct MFAQRCode.TerminalSize
@_exported public import struct MFABase.SecretBytes
