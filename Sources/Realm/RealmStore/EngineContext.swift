/// What a load concerns besides its row.
package struct EngineContext: Sendable {
  /// The host whose failures in this period are returned; nil for none.
  package var host: [UInt8]?
  /// The period, a number that rises with time.
  package var period: Int64
  /// The nonce whose answer is returned; nil for none.
  package var nonce: [UInt8]?

  /// Creates a context.
  package init(host: [UInt8]? = nil, period: Int64 = 0, nonce: [UInt8]? = nil) {
    self.host = host
    self.period = period
    self.nonce = nonce
  }
}
