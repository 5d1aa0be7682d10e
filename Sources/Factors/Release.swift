/// The release that all programs here are of.
public enum Release {
  /// Its number, as packaging/CHANGELOG.md has it.
  public static var version: StaticString { "0.1.0" }
}
