/// The metadata of a check.
public enum HostMetadata {
  /// The name of the metadata that tells the version of the relay.
  public static let version = "mfa-version"
}
