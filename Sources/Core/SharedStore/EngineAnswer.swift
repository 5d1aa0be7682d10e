/// An answer that is returned again when a request is repeated.
public struct EngineAnswer: Equatable, Sendable {
  /// The length of a nonce in bytes.
  public static let nonceLength = 16

  /// The random number of the request, `nonceLength` bytes.
  public var nonce: [UInt8]
  /// The answer, at most 1,024 bytes.
  public var answer: [UInt8]
  /// The time, in seconds since the epoch, after which the answer may be forgotten.
  public var expires: Int64

  /// Creates an answer.
  public init(nonce: [UInt8], answer: [UInt8], expires: Int64) {
    self.nonce = nonce
    self.answer = answer
    self.expires = expires
  }
}
