/// An answer that is returned again when a request is repeated.
package struct EngineAnswer: Equatable, Sendable {
  /// The length of a nonce in bytes.
  package static let nonceLength = 16

  /// The random number of the request, `nonceLength` bytes.
  package var nonce: [UInt8]
  /// The answer, at most 1,024 bytes.
  package var answer: [UInt8]
  /// The time, in seconds since the epoch, after which the answer may be forgotten.
  package var expires: Int64

  /// Creates an answer.
  package init(nonce: [UInt8], answer: [UInt8], expires: Int64) {
    self.nonce = nonce
    self.answer = answer
    self.expires = expires
  }
}
