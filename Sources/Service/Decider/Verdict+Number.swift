import MFACMFA
import MFASignIn

extension Verdict {
  /// The number of the verdict in a message.
  package var number: UInt8 { UInt8(truncatingIfNeeded: rawValue) }
}
