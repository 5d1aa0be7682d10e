import MFAAdmin
import MFABase

/// The sources of databases that nsswitch.conf names.
struct NameServiceSwitch {
  static let path = "/etc/nsswitch.conf"

  /// The line of a database: its number, counted from 1, and its sources.
  private var databases: [String: (line: Int, sources: [String])] = [:]

  /// Reads the file of a host; without a file, no database has a line.
  init(of host: any ExaminedHost) throws(TrustedPath.Refusal) {
    let text = String(decoding: try host.text(of: Self.path) ?? [], as: UTF8.self)
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let line = line.prefix { $0 != "#" }.replacing("\t", with: " ")
      guard let colon = line.firstIndex(of: ":") else { continue }
      let name = line[..<colon].filter { $0 != " " }.lowercased()
      // The actions in brackets name no source.
      let sources = line[line.index(after: colon)...].replacing(/\[[^\]]*\]/, with: " ")
        .split(separator: " ").map { $0.lowercased() }
      databases[name] = (index + 1, sources)
    }
  }

  /// Returns the sources of a database, or nil if the file has no line for it.
  func sources(of database: String) -> [String]? { databases[database]?.sources }

  /// Returns the file and line of a database.
  func place(of database: String) -> String {
    databases[database].map { "\(Self.path):\($0.line)" } ?? Self.path
  }

  /// Whether the accounts and groups are in local files only, so that the list of all accounts is
  /// complete.
  var hasOnlyLocalAccounts: Bool {
    ["passwd", "group"].allSatisfy { database in
      (sources(of: database) ?? ["files"])
        .allSatisfy { ["files", "compat", "db", "systemd", "altfiles"].contains($0) }
    }
  }
}
