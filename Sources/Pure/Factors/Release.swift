import MFABytes
/// The release of all programs in this package.
public enum Release {
  /// The version number, as in packaging/CHANGELOG.md.
  public static var version: StaticString { "0.1.0" }
}
