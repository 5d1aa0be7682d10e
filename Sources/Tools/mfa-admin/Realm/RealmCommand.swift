import ArgumentParser
import MFAAdmin
import MFAStore

/// `mfa-admin realm`
struct RealmCommand: ParsableCommand {
  static let configuration = command(
    "realm", "Manage the hosts of the realm that this host belongs to.",
    """
    The commands need a host whose group has "administering = on" in mfa-verifier.conf(5).
    """,
    subcommands: [
      RealmStatusCommand.self, RealmHostsCommand.self, RealmTicketCommand.self,
      RealmRevokeCommand.self, RealmImportCommand.self,
    ])
}

/// `mfa-admin realm hosts`
struct RealmHostsCommand: ParsableCommand {
  static let configuration = command(
    "hosts", "List the hosts of the realm.")

  @Flag(help: "Print JSON, for programs; times are in UTC, in ISO 8601 format.")
  var json = false

  func run() throws(AdminError) {
    let hosts = try ThisHost.requiredRealm().hosts()
    if json {
      try Console.write(
        JSON.object([("hosts", .array(hosts.map { RealmReport.json($0) }))]).text + "\n")
    } else {
      try Console.write(RealmReport.table(of: hosts))
    }
  }
}

/// `mfa-admin realm status`
struct RealmStatusCommand: ParsableCommand {
  static let configuration = command(
    "status", "Show the hosts, the verifiers and the database of the realm.",
    """
    Versions and times of hosts and verifiers are recorded once an hour.
    """)

  @Flag(help: "Print JSON, for programs; times are in UTC, in ISO 8601 format.")
  var json = false

  func run() throws(AdminError) {
    let realm = try ThisHost.requiredRealm()
    let report = RealmReport(try realm.hosts(), try realm.state())
    try Console.write(json ? report.json.text + "\n" : report.text)
  }
}

/// `mfa-admin realm ticket`
struct RealmTicketCommand: ParsableCommand {
  static let configuration = command(
    "ticket", "Create a ticket with which a host joins the realm.",
    """
    The ticket can be used once, within 10 minutes, with 'mfa-fleet join'.
    """)

  @Option(help: "A group of hosts in mfa-verifier.conf(5). Can be repeated.")
  var group: [String] = []

  @Argument(help: "The name of the host, which its certificate will have.")
  var host: String

  func run() throws(AdminError) {
    let code = try ThisHost.requiredRealm().newTicket(for: host, groups: group)
    try Console.write(secret: code)
    try Console.write("\n")
  }
}

/// `mfa-admin realm revoke`
struct RealmRevokeCommand: ParsableCommand {
  static let configuration = command(
    "revoke", "Revoke all certificates of a host.",
    """
    The verifiers refuse the host from its next request on. Its tickets admit it no more.
    """)

  @OptionGroup var confirmation: Confirmation

  @Argument(help: "The name of the host.")
  var host: String

  func run() throws(AdminError) {
    let realm = try ThisHost.requiredRealm()
    try confirmation.require("revoke the host \(VisibleText.escaping(host))?")
    let mark = try realm.revokeHost(host)
    let entry = mark.map { "; entry \(String(decoding: $0.text, as: UTF8.self)) of the audit log" }
    try Console.write("\(VisibleText.escaping(host)): revoked\(entry ?? "")\n")
  }
}
