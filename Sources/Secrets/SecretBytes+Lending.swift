extension SecretBytes {
  /// Lends the bytes to `body`: for a secret that an object holds, whose span cannot leave the object.
  public borrowing func withSpan<Result: ~Copyable, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(span)
  }
}
