// Re-exports the types in the module's interface, so that a program needs no second import.
@_exported public import enum MFABase.HashAlgorithm
@_exported public import struct MFABase.SecretBytes
@_exported public import enum MFAMessages.Language
@_exported public import struct MFAMessages.FailureText
@_exported public import struct MFAMessages.MessageText
