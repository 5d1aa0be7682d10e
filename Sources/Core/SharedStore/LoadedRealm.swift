/// The state of a realm as it was loaded last, which the stores of one conversation share.
public final class LoadedRealm {
  var state: RealmState?

  /// The epoch of the realm as it was loaded last; nil before anything was loaded.
  public var epoch: UInt64? { state?.epoch }

  /// Creates a value before anything was loaded.
  public init() {}
}
