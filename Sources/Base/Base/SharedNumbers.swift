import MFACPOSIX

/// Numbers that a process shares with the copies that it starts. Every operation is atomic.
@safe
package final class SharedNumbers: @unchecked Sendable {
  private let base: UnsafeMutablePointer<UInt32>
  private let count: Int

  /// Creates `count` zeros. The memory is freed when the last process ends.
  package init?(count: Int) {
    let (bytes, overflow) = count.multipliedReportingOverflow(by: MemoryLayout<UInt32>.stride)
    // SAFETY: the call returns that many zero bytes, aligned to a page, or null.
    guard count > 0, !overflow, let memory = unsafe cposix_share_memory(bytes) else { return nil }
    // SAFETY: the memory is large enough and aligned, and zeros are valid numbers.
    unsafe base = unsafe memory.bindMemory(to: UInt32.self, capacity: count)
    self.count = count
  }

  /// The number at an index. An index that does not exist has the number 0, and cannot be set.
  package subscript(index: Int) -> UInt32 {
    get {
      guard index >= 0, index < count else { return 0 }
      // SAFETY: the index is within the memory.
      return unsafe cposix_load(base + index)
    }
    set {
      guard index >= 0, index < count else { return }
      // SAFETY: the index is within the memory.
      unsafe cposix_store(base + index, newValue)
    }
  }

  /// Adds to the number at an index, and returns the sum.
  @discardableResult
  package func add(_ number: Int32, at index: Int) -> UInt32 {
    guard index >= 0, index < count else { return 0 }
    // SAFETY: the index is within the memory.
    return unsafe cposix_add(base + index, number)
  }
}
