/// The threshold for a low number of recovery codes.
public enum RecoveryCodeSupply {
  /// The user is advised to create new codes when this number or fewer are left.
  public static let few = 3
}
