import MFABase
import MFAStore

/// The open store with its key, which are opened again when one of them has changed.
///
/// MUST 1: a store or a key that was replaced is in use at the next `open`. (`StoreCacheTests`)
/// MUST 2: a store's folder or a key whose owner or mode changed is checked again, and refused if it
/// is not trusted. (`StoreCacheTests.distrusted`)
final class StoreCache {
  /// The location of the store; nil for that of this host.
  private let location: StoreLocation?
  /// Returns the time in nanoseconds since the epoch.
  private let now: () -> Int64
  private var opened: Opened?

  private struct Opened {
    let identities: [FileIdentity?]
    let store: LocalFactorStore
  }

  init(_ location: StoreLocation? = nil, now: @escaping () -> Int64 = Clock.nanoseconds) {
    self.location = location
    self.now = now
  }

  /// Whether the next `open` returns the same store if nothing has changed.
  var isFilled: Bool { opened != nil }

  /// Returns the store.
  func open() throws(FactorStoreError) -> LocalFactorStore {
    let location = if let location { location } else { try StoreLocation.ofThisHost() }
    let present = identities(location)
    if let opened, opened.identities == present { return opened.store }
    opened = nil
    let time = now()
    guard let present, present.allSatisfy({ $0?.isOld(at: time) ?? false }) else {
      return try LocalFactorStore(location)
    }
    let store = try LocalFactorStore(location, keepsKey: true)
    opened = Opened(identities: present, store: store)
    return store
  }

  /// Returns the identities of the store's folder, whose entries are the folders of the records, and
  /// of the key; or nil if one cannot be determined.
  private func identities(_ location: StoreLocation) -> [FileIdentity?]? {
    do throws(SystemError) {
      return [try .of(location.directory.bytes), try .of(location.key.bytes)]
    } catch {
      return nil
    }
  }
}
