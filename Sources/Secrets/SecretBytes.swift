import CCrypto

/// Bytes that must not be left behind: a key, a password, a code as it was typed.
///
/// They live in one heap block of fixed size that nothing else points to, are lent to closures as
/// spans, and are wiped when the value ends. The type cannot be copied, so neither can they.
///
/// It may go from one task to another: it has one owner at a time, and only that one can change it.
///
/// MUST 1: when the value ends, no byte of it is left in the process's memory.
/// (`SecretBytesTests.theWipeLeavesNothing`, a scan of /proc/self/mem)
@safe
public struct SecretBytes: ~Copyable, @unchecked Sendable {
  private let base: UnsafeMutablePointer<UInt8>

  /// The number of bytes.
  public let count: Int

  /// What wipes and frees them. An object does it, because Embedded Swift 6.3 cannot end a value
  /// with a `deinit` that comes from a module two imports away.
  private let block: Block

  /// Makes `count` zero bytes. A negative count makes none.
  public init(count: Int) {
    let block = Block(count: max(count, 0))
    // SAFETY: `block` holds the bytes for as long as this value holds `block`.
    unsafe base = unsafe block.base
    self.count = block.count
    self.block = block
  }

  /// Copies `bytes`.
  public init(copying bytes: Span<UInt8>) {
    self.init(count: bytes.count)
    withMutableSpan { target in
      for index in bytes.indices { target[index] = bytes[index] }
    }
  }

  /// Copies the part of `bytes` in `range`, clamped to what there is.
  public init(copying bytes: Span<UInt8>, in range: Range<Int>) {
    let range = range.clamped(to: bytes.indices)
    self.init(count: range.count)
    withMutableSpan { target in
      for index in target.indices { target[index] = bytes[range.lowerBound + index] }
    }
  }

  /// The bytes, for as long as the value lives.
  public var span: Span<UInt8> {
    @_lifetime(borrow self)
    get {
      // SAFETY: the block holds `count` initialised bytes for as long as self lives, and the span
      // cannot outlive self.
      let span = unsafe Span(_unsafeStart: base, count: count)
      return unsafe _overrideLifetime(span, borrowing: self)
    }
  }

  /// Lends the bytes to be changed.
  public mutating func withMutableSpan<Result: ~Copyable, Failure: Error>(
    _ body: (inout MutableSpan<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // SAFETY: as in `span`; `mutating` makes the access exclusive.
    var span = unsafe MutableSpan(_unsafeStart: base, count: count)
    return try body(&span)
  }

  /// The first `count` bytes as a value of their own; all of them when there are fewer.
  public func prefix(_ count: Int) -> SecretBytes {
    SecretBytes(copying: span, in: 0..<max(count, 0))
  }
}

/// One heap block, wiped when nobody holds it any more.
@safe
private final class Block {
  let base: UnsafeMutablePointer<UInt8>
  let count: Int

  init(count: Int) {
    self.count = count
    // An allocation of nothing is still a block of its own, so that `base` is never null.
    let base = UnsafeMutablePointer<UInt8>.allocate(capacity: max(count, 1))
    // SAFETY: that many bytes have just been allocated.
    unsafe base.initialize(repeating: 0, count: max(count, 1))
    unsafe self.base = base
  }

  deinit {
    // SAFETY: `base` was allocated with at least `count` bytes and nothing else points to it.
    // The wipe is a call into C that is not optimised away, as a plain store would be.
    unsafe ccrypto_wipe(base, count)
    unsafe base.deallocate()
  }
}
