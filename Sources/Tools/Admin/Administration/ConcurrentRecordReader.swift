import MFAStore
import MFAModel
import Dispatch
import Synchronization
import MFABase

/// A concurrent reader of many users' records. Half of the time goes to the kernel, which opens two
/// files for each user.
///
/// MUST 1: a record that cannot be read without error gives nil, and the caller reads it again
/// individually. (`AdministrationTests.damaged`)
/// MUST 2: no two threads use the same reader: each thread has its own number. (`round`; for this
/// reason the type may be shared between threads)
package final class ConcurrentRecordReader: @unchecked Sendable {
  /// A file, and the account that its record should belong to.
  package struct Target: Sendable {
    /// The account.
    package let account: Account
    /// The file's name.
    package let file: FileName
  }

  /// The number of concurrent readers.
  private static let readers = 4
  /// The number of records that a reader takes at a time.
  private static let portion = 256
  /// The number of records between two progress reports.
  private static let stride = 16_384

  /// One reader for each thread.
  private let readers: [LocalFactorStoreReader]

  /// Opens the store's directories and reads its key.
  init(_ store: LocalFactorStore) throws(FactorStoreError) {
    var readers: [LocalFactorStoreReader] = []
    for _ in 0..<Self.readers { readers.append(try store.reader()) }
    self.readers = readers
  }

  /// Reads the records of `targets` and returns `result` for each, in the same order, or nil if the
  /// record cannot be read without error. `result` is called on the reading thread, so that only
  /// its return values stay in memory, not the records. `onProgress` receives the number of targets
  /// that were read.
  func results<Result: Sendable>(
    for targets: [Target?], onProgress: (Int) -> Void,
    _ result: @Sendable (FactorSnapshot) -> Result
  ) -> [Result?] {
    var results: [Result?] = []
    results.reserveCapacity(targets.count)
    while results.count < targets.count {
      let start = results.count
      let end = min(start + Self.stride, targets.count)
      for part in round(targets[start..<end], result) { results.append(contentsOf: part) }
      onProgress(results.count)
    }
    return results
  }

  private func round<Result: Sendable>(
    _ targets: ArraySlice<Target?>, _ result: @Sendable (FactorSnapshot) -> Result
  ) -> [[Result?]] {
    let count = (targets.count + Self.portion - 1) / Self.portion
    let parts = Mutex([[Result?]](repeating: [], count: count))
    let taken = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: Self.readers) { number in
      while true {
        let portion = taken.withLock { taken in
          defer { taken += 1 }
          return taken
        }
        guard portion < count else { return }
        let start = targets.startIndex + portion * Self.portion
        let end = min(start + Self.portion, targets.endIndex)
        let part = targets[start..<end].map { target in
          target.flatMap { Self.snapshot(of: $0, readers[number]) }.map(result)
        }
        parts.withLock { $0[portion] = part }
      }
    }
    return parts.withLock { $0 }
  }

  private static func snapshot(
    of target: Target, _ reader: LocalFactorStoreReader
  ) -> FactorSnapshot? {
    do throws(FactorStoreError) {
      return try reader.quickSnapshot(of: target.account, in: target.file)
    } catch {
      return nil
    }
  }
}
