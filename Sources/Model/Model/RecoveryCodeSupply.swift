/// The threshold for a low number of recovery codes.
package enum RecoveryCodeSupply {
  /// The user is advised to create new codes when this number or fewer are left.
  package static let few = 3
}
