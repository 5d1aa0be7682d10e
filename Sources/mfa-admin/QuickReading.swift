import Dispatch
import FactorStore
import Factors
import Synchronization
import System

/// Reads what is stored for many users, on as many processors as there are: half of the time goes to
/// the kernel, which opens two files for each.
///
/// MUST 1: what is not plainly good is left to whoever takes a closer look, one at a time.
/// (`AdministrationTests.damaged`)
/// MUST 2: no reader is used by two at a time: each has its own number. (`round`, which is why it may
/// be handed to several threads)
final class QuickReading: @unchecked Sendable {
  /// Whose record a file is said to be.
  struct Target: Sendable {
    /// The account.
    let account: Account
    /// The file's name.
    let file: FileName
  }

  /// How many read at a time.
  private static let readers = 4
  /// How many users' records one of them reads before it asks for more.
  private static let portion = 256
  /// How many are read before how far it has come is shown.
  private static let stride = 16_384

  /// One for each of those who read: none is used by two.
  private let readers: [LocalFactorStoreReader]

  /// Opens the store's directories, and reads its key.
  init(_ store: LocalFactorStore) throws(FactorStoreError) {
    var readers: [LocalFactorStoreReader] = []
    for _ in 0..<Self.readers { readers.append(try store.reader()) }
    self.readers = readers
  }

  /// What `result` makes of what is stored for each of these, in their order; nil for those of whom it
  /// cannot be told so quickly. It is called where the record is read, so that of many users no more
  /// is kept than it returns.
  func results<Result: Sendable>(
    for targets: [Target?], progress: inout Progress,
    _ result: @Sendable (FactorSnapshot) -> Result
  ) -> [Result?] {
    var results: [Result?] = []
    results.reserveCapacity(targets.count)
    while results.count < targets.count {
      let start = results.count
      let end = min(start + Self.stride, targets.count)
      for part in round(targets[start..<end], result) { results.append(contentsOf: part) }
      progress.step(results.count, of: targets.count)
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
