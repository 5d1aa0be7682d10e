import MFABase
/// The release of all programs in this package.
package enum Release {
  /// The version number, as in packaging/CHANGELOG.md.
  package static var version: StaticString { "0.1.0" }
}
