/// What a load concerns besides its row.
public struct EngineContext: Sendable {
  /// The host whose failures in this period are returned; nil for none.
  public var host: [UInt8]?
  /// The period, a number that rises with time.
  public var period: Int64
  /// The nonce whose answer is returned; nil for none.
  public var nonce: [UInt8]?

  /// Creates a context.
  public init(host: [UInt8]? = nil, period: Int64 = 0, nonce: [UInt8]? = nil) {
    self.host = host
    self.period = period
    self.nonce = nonce
  }
}
