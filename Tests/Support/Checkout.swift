import Foundation

/// The folder that the tests were built from.
public enum Checkout {
  /// The folder that holds Package.swift.
  public static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

  /// The folder with what packaging/build made, and packaging/install installs.
  public static let artefacts = folder + "/dist"
}
