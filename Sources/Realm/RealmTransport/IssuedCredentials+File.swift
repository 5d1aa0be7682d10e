#if Fleet
import FoundationEssentials

extension IssuedCredentials {
  /// Reads a file with certificates and a key.
  package init(file path: String) throws(FleetError) {
    try self.init(pem: try FleetFile(path).read(isSecret: true), path: path)
  }

  /// Returns when the certificate in a file ends, in seconds since the epoch, or 0 if the file cannot be read.
  package static func end(ofFile path: String) -> Double {
    do throws(FleetError) {
      return try IssuedCredentials(file: path).chain.first?.notValidAfter.timeIntervalSince1970 ?? 0
    } catch {
      return 0
    }
  }
}
#endif
