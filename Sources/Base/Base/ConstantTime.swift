import MFACSecrets

/// Returns whether two byte sequences are equal, in a time that depends only on their length.
package func constantTimeEquals(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
  guard left.count == right.count else { return false }
  // SAFETY: both buffers hold `count` bytes; csecrets_equal reads no more.
  return unsafe left.withUnsafeBufferPointer { left in
    unsafe right.withUnsafeBufferPointer { right in
      guard let leftBase = left.baseAddress, let rightBase = right.baseAddress else { return true }
      return unsafe csecrets_equal(leftBase, rightBase, left.count) == 1
    }
  }
}

/// Returns all ones if two numbers are equal, and zero otherwise, without a branch.
@inline(never)
package func constantTimeMask(_ left: UInt32, equals right: UInt32) -> UInt32 {
  let difference = left ^ right
  // The top bit of `difference | -difference` is set exactly when the difference is not zero.
  let differs = (difference | (0 &- difference)) >> 31
  return differs &- 1
}
