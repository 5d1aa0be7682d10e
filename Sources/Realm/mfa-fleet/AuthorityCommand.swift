#if Fleet
import ArgumentParser
import MFARealm
import MFARealmTransport

/// Manages the authority of a realm.
struct AuthorityCommand: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "authority", abstract: "Create the authority of a realm and issue certificates.",
      subcommands: [AuthorityCreateCommand.self, AuthorityIssueCommand.self])
  }
}

/// Creates an authority.
struct AuthorityCreateCommand: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "create", abstract: "Create the key and the certificate of an authority.",
      discussion: """
        Writes authority.pem and authority.key to the folder, and prints the fingerprint with \
        which hosts join. Keep the key on a machine that is not connected to the network.
        """)
  }

  @Argument(help: "An existing folder, to which only root may write.")
  var folder: String

  @Option(help: "The name of the realm, such as example.org.")
  var realm: String

  func run() throws {
    guard HostIdentity.isName(realm) else {
      throw RealmError(
        "\(realm) is not a name in lower case", hint: "for example: --realm example.org")
    }
    let paths = AuthorityPaths(folder: folder)
    guard !paths.exist else {
      throw RealmError(
        "\(folder) has an authority already", hint: "use another folder: mkdir -m 0700 FOLDER")
    }
    let authority = try CertificateAuthority.make(realm: realm)
    try RealmFile(paths.key).write(try authority.keyPEM())
    try RealmFile(paths.certificate).write(try IssuedCredentials.pem(authority.chain))
    for certificate in authority.chain { print("fingerprint: \(try certificate.fingerprint)") }
  }
}

/// Issues the certificates of a verifier.
struct AuthorityIssueCommand: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "issue-verifier", abstract: "Issue the certificates of a verifier.",
      discussion: """
        Writes verifier.pem and authority.pem to the folder, and with --hosts also issuer.pem, with \
        which the verifier issues certificates to hosts.
        """)
  }

  @Argument(help: "The folder of the authority.")
  var authority: String

  @Option(help: "An existing folder for the files, to which only root may write.")
  var to: String

  @Option(help: "A host name or IP address by which relays reach the verifier. Can be repeated.")
  var name: [String]

  @Flag(help: "Let the verifier issue certificates to hosts.")
  var hosts = false

  func run() throws {
    let paths = AuthorityPaths(folder: authority)
    let authority = try CertificateAuthority(
      certificate: try RealmFile(paths.certificate).read(),
      key: try RealmFile(paths.key).read(isSecret: true))
    let verifier = try authority.issueVerifier(names: name)
    try RealmFile(to + "/verifier.pem").write(try verifier.pem())
    try RealmFile(to + "/authority.pem").write(try IssuedCredentials.pem([authority.certificate]))
    guard hosts else { return }
    try RealmFile(to + "/issuer.pem").write(try authority.issueHostIssuer().pem())
  }
}

/// The files of an authority.
struct AuthorityPaths {
  let certificate: String
  let key: String

  init(folder: String) {
    certificate = folder + "/authority.pem"
    key = folder + "/authority.key"
  }

  /// Whether one of the files can be read.
  var exist: Bool {
    [certificate, key].contains { path in
      do throws(RealmError) {
        return try !RealmFile(path).read().isEmpty
      } catch {
        return false
      }
    }
  }
}
#endif
