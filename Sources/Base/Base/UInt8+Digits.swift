extension UInt8 {
  /// The value of an ASCII digit, 0 to 9.
  package var decimalDigit: UInt8? {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) ? self &- UInt8(ascii: "0") : nil
  }
}
