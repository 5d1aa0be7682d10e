#if Fleet
import MFARealm
import NIOCertificateReloading
import NIOSSL
import Synchronization

/// The certificate and the key of this machine, and the certificate of the realm's authority.
///
/// A connection uses the certificate that is present when it begins, so that a renewed certificate needs
/// no restart.
package final class RealmCredentials: CertificateReloader {
  private let current: Mutex<NIOSSLContextConfigurationOverride>
  /// The files.
  package let files: Files
  /// The certificates of the authority.
  package let authority: [NIOSSLCertificate]

  /// Where the credentials are.
  package struct Files: Sendable {
    /// The certificate, the certificates of its issuers, and the key (PEM). All are in one file,
    /// so that they are replaced as a whole.
    package let own: String
    /// The certificate of the authority (PEM).
    package let authority: String

    /// Reads the paths from a section that has the keys `credentials` and `authority`.
    package init(_ configuration: RealmConfiguration) throws(RealmError) {
      own = try configuration.required("credentials")
      authority = try configuration.required("authority")
    }

    /// The keys of the section.
    package static var keys: Set<String> { ["credentials", "authority"] }
  }

  /// Reads the files.
  package init(_ files: Files) throws(RealmError) {
    self.files = files
    authority = try Self.certificates(try RealmFile(files.authority).read(), files.authority)
    current = Mutex(try Self.read(files))
  }

  /// The certificate and the key for the next connection.
  package var sslContextConfigurationOverride: NIOSSLContextConfigurationOverride {
    current.withLock { $0 }
  }

  /// Reads the certificate and the key again.
  package func reload() throws(RealmError) {
    let override = try Self.read(files)
    current.withLock { $0 = override }
  }

  private static func read(
    _ files: Files
  ) throws(RealmError) -> NIOSSLContextConfigurationOverride {
    var override = NIOSSLContextConfigurationOverride()
    let bytes = try RealmFile(files.own).read(isSecret: true)
    override.certificateChain = try certificates(bytes, files.own).map { .certificate($0) }
    do {
      override.privateKey = .privateKey(try NIOSSLPrivateKey(bytes: bytes, format: .pem))
    } catch {
      throw RealmError("\(files.own) has no private key", hint: "a key in PEM format is required")
    }
    return override
  }

  private static func certificates(
    _ bytes: [UInt8], _ path: String
  ) throws(RealmError) -> [NIOSSLCertificate] {
    do {
      let certificates = try NIOSSLCertificate.fromPEMBytes(bytes)
      guard !certificates.isEmpty else { throw RealmError("") }
      return certificates
    } catch {
      throw RealmError(
        "\(path) has no certificate", hint: "a certificate in PEM format is required")
    }
  }
}
#endif
