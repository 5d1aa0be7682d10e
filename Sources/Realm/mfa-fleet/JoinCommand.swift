#if Fleet
import ArgumentParser
import MFARealm
import MFARealmTransport
import MFARelay
import MFABase

/// Joins a host to a realm.
struct JoinCommand: AsyncParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "join", abstract: "Join this host to a realm with a ticket.",
      discussion: """
        Creates a key, has a verifier issue its certificate, and writes host.pem and \
        authority.pem to the folder. Run it as the user of the relay, to whom the files will \
        belong. The relay renews the certificate.
        """)
  }

  @Option(
    help: ArgumentHelp("A verifier's address for joining (join_listen).", valueName: "host:port"))
  var verifier: String

  @Option(
    help: ArgumentHelp(
      "The fingerprint that \"mfa-fleet authority create\" printed.", valueName: "sha256"))
  var caFingerprint: String

  @Option(
    help: ArgumentHelp("A file with the ticket, or - for the standard input.", valueName: "file"))
  var ticketFile: String

  @Option(help: ArgumentHelp("An existing folder for the files.", valueName: "folder"))
  var to = "/var/lib/mfa-fleet"

  func run() async throws {
    guard let address = RealmAddress(verifier) else {
      throw RealmError(
        "\(verifier) is not HOST:PORT", hint: "for example: --verifier a.example.org:7444")
    }
    let admission = try HostAdmission(address, fingerprint: caFingerprint)
    let (own, authority) = (try RealmFile(to + "/host.pem"), try RealmFile(to + "/authority.pem"))
    let result = try await admission.join(ticket: try ticket())
    try authority.write(try IssuedCredentials.pem([result.authority]))
    try own.write(try result.credentials.pem())
    guard let host = result.credentials.chain.first.flatMap({ HostIdentity($0) }) else { return }
    print("joined as \(host.name)")
  }

  /// Reads the ticket, without the end of its line.
  private func ticket() throws(RealmError) -> SecretBytes {
    guard ticketFile == "-" else {
      let text = try RealmFile(ticketFile).read(isSecret: true)
      return Self.withoutLineEnd(SecretBytes(copying: text.span))
    }
    StandardError.write("Ticket: ")
    return Self.withoutLineEnd(try TicketInput.read())
  }

  private static func withoutLineEnd(_ text: consuming SecretBytes) -> SecretBytes {
    let span = text.span
    var count = 0
    while count < span.count, span[count] > 0x20 { count += 1 }
    return text.prefix(count)
  }
}
#endif
