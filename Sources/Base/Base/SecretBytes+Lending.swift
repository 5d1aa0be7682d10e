extension SecretBytes {
  /// Calls `body` with the bytes. Use this for a secret stored in an object, whose span cannot
  /// leave the object.
  package borrowing func withSpan<Result: ~Copyable, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(span)
  }
}
