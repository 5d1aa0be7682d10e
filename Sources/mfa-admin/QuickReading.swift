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
  /// How many read at a time.
  private static let readers = 4
  /// How many users' records one of them reads before how far it has come is shown.
  private static let stride = 1024

  /// One for each of those who read: none is used by two.
  private let readers: [LocalFactorStoreReader]

  /// Opens the store's directories, and reads its key.
  init(_ store: LocalFactorStore) throws(FactorStoreError) {
    var readers: [LocalFactorStoreReader] = []
    for _ in 0..<Self.readers { readers.append(try store.reader()) }
    self.readers = readers
  }

  /// What is stored for each of these accounts, in their order; nil for those of whom it cannot be
  /// told so quickly.
  func snapshots(
    of accounts: [Account?], progress: inout Progress
  ) -> [FactorSnapshot?] {
    var snapshots: [FactorSnapshot?] = []
    snapshots.reserveCapacity(accounts.count)
    while snapshots.count < accounts.count {
      let start = snapshots.count
      let end = min(start + Self.readers * Self.stride, accounts.count)
      snapshots += round(accounts[start..<end])
      progress.step(snapshots.count, of: accounts.count)
    }
    return snapshots
  }

  private func round(_ accounts: ArraySlice<Account?>) -> [FactorSnapshot?] {
    let parts = Mutex([[FactorSnapshot?]](repeating: [], count: Self.readers))
    let length = (accounts.count + Self.readers - 1) / Self.readers
    DispatchQueue.concurrentPerform(iterations: Self.readers) { number in
      let start = min(accounts.startIndex + number * length, accounts.endIndex)
      let end = min(start + length, accounts.endIndex)
      let part = accounts[start..<end].map { account in
        account.flatMap { Self.snapshot(of: $0, readers[number]) }
      }
      parts.withLock { $0[number] = part }
    }
    return parts.withLock { $0.flatMap { $0 } }
  }

  private static func snapshot(
    of account: Account, _ reader: LocalFactorStoreReader
  ) -> FactorSnapshot? {
    do throws(FactorStoreError) {
      return try reader.quickSnapshot(of: account)
    } catch {
      return nil
    }
  }
}
