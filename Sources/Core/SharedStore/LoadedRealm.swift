/// The state of a realm as it was loaded last, which the stores of one conversation share.
public final class LoadedRealm {
  var state: RealmState?

  /// Creates a value before anything was loaded.
  public init() {}
}
