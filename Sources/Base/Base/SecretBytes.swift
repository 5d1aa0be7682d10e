import MFACSecrets

/// Bytes that must be wiped after use, such as a key, a password or a typed code.
///
/// The bytes are in one heap block of fixed size that nothing else references. They are accessed as
/// spans, and are wiped when the value ends. The type is not copyable, so the bytes are not copied
/// either.
///
/// The type is `Sendable`, because a value has one owner at a time and only the owner can change
/// it.
///
/// MUST 1: when the value ends, no byte of it is left in the process's memory.
/// (`SecretBytesTests.theWipeLeavesNothing`, a scan of /proc/self/mem)
@safe
public struct SecretBytes: ~Copyable, @unchecked Sendable {
  private let base: UnsafeMutablePointer<UInt8>

  /// The number of bytes.
  public let count: Int

  /// Wipes and frees the bytes. This is an object, because Embedded Swift 6.3 cannot destroy a
  /// value whose `deinit` is in an indirectly imported module.
  private let block: Block

  /// Creates `count` zero bytes, or none if `count` is negative.
  public init(count: Int) {
    let block = Block(count: max(count, 0))
    // SAFETY: `block` holds the bytes, and this value holds `block` as long as it lives.
    unsafe base = unsafe block.base
    self.count = block.count
    self.block = block
  }

  /// Creates a copy of `bytes`.
  public init(copying bytes: Span<UInt8>) {
    self.init(count: bytes.count)
    withMutableSpan { target in
      for index in bytes.indices { target[index] = bytes[index] }
    }
  }

  /// Creates a copy of the part of `bytes` in `range`, clamped to the valid indices.
  public init(copying bytes: Span<UInt8>, in range: Range<Int>) {
    let beginning = bytes.extracting(first: max(range.upperBound, 0))
    self.init(copying: beginning.extracting(droppingFirst: max(range.lowerBound, 0)))
  }

  /// Creates a copy of two byte strings, one after the other.
  public init(joining first: Span<UInt8>, _ second: Span<UInt8>) {
    self.init(count: first.count &+ second.count)
    withMutableSpan { target in
      for index in first.indices { target[index] = first[index] }
      for index in second.indices { target[first.count &+ index] = second[index] }
    }
  }

  /// The bytes, valid as long as the value lives.
  public var span: Span<UInt8> {
    @_lifetime(borrow self)
    get {
      // SAFETY: the block holds `count` initialised bytes as long as self lives, and the span
      // cannot outlive self. `max` changes nothing, but tells the compiler that the count is valid.
      let span = unsafe Span(_unsafeStart: base, count: max(count, 0))
      // SAFETY: the bytes live as long as `self`, to which this binds the span.
      return unsafe _overrideLifetime(span, borrowing: self)
    }
  }

  /// Calls `body` with the bytes, which it may change.
  public mutating func withMutableSpan<Result: ~Copyable, Failure: Error>(
    _ body: (inout MutableSpan<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // SAFETY: as in `span`; `mutating` makes the access exclusive.
    var span = unsafe MutableSpan(_unsafeStart: base, count: max(count, 0))
    return try body(&span)
  }

  /// Returns a copy of the first `count` bytes, or of all bytes if there are fewer.
  public func prefix(_ count: Int) -> SecretBytes {
    SecretBytes(copying: span, in: 0..<max(count, 0))
  }
}

/// A heap block that is wiped when its last reference ends.
@safe
private final class Block {
  let base: UnsafeMutablePointer<UInt8>
  let count: Int

  init(count: Int) {
    self.count = count
    // An empty allocation is still a separate block, so `base` is never null.
    let base = UnsafeMutablePointer<UInt8>.allocate(capacity: max(count, 1))
    // SAFETY: this number of bytes has just been allocated.
    unsafe base.initialize(repeating: 0, count: max(count, 1))
    // SAFETY: this object owns the memory, which only `deinit` frees.
    unsafe self.base = base
  }

  deinit {
    // SAFETY: `base` was allocated with at least `count` bytes and has no other references. The
    // compiler cannot optimise the C function away, as it could a plain store.
    unsafe csecrets_wipe(base, count)
    // SAFETY: `init` allocated the memory, and nothing uses it after `deinit`.
    unsafe base.deallocate()
  }
}
