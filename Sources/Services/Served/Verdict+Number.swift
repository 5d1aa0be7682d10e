import MFACMFA
public import MFASignIn

extension Verdict {
  /// The number of the verdict in a message.
  public var number: UInt8 { UInt8(truncatingIfNeeded: rawValue) }
}
