/// How many recovery codes are enough.
public enum RecoveryCodeSupply {
  /// So many are left that it is time for new ones.
  public static let few = 3
}
