import Foundation

/// The source tree that the tests were built from.
package enum Checkout {
  /// The folder that holds Package.swift.
  package static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

  /// The folder with the files that packaging/build creates and packaging/install installs.
  package static let artefacts = folder + "/dist"

  /// The module as installed, but with the names of its functions. packaging/build creates it.
  package static let moduleWithSymbols = folder + "/.build-embedded/release/pam_mfa.symbols.so"
}
