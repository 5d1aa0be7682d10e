import MFAAttempt
import MFAModel
import MFABase
import Testing

@testable import MFAAdmin

@Suite struct ConfigurationEditTests {
  static let host = "/etc/mfa/mfa.conf"
  static let dropIn = "/etc/mfa/mfa.conf.d/20-a.conf"

  static func layer(_ path: String, _ text: String) -> ConfigurationEdit.Layer {
    .success(ConfigurationFile.Layer(path: Array(path.utf8), text: Array(text.utf8)))
  }

  struct LineRow: CustomTestStringConvertible {
    let number: Int
    let text: String
    var key = "state"
    var tenant: String?
    let expected: String
    var testDescription: String { "\(number)" }
  }

  static let lineRows = [
    LineRow(number: 1, text: "", expected: "[project]\nstate = x\n"),
    LineRow(
      number: 2, text: "# a\n[project]\n  state=on  \n# b\n[tenant t]\nstate = y\n",
      expected: "# a\n[project]\nstate = x\n# b\n[tenant t]\nstate = y\n"),
    LineRow(
      number: 3, text: "[project]\n# state = on\nissuer = a\n\n\n[tenant t]\nusers = a",
      expected: "[project]\n# state = on\nissuer = a\nstate = x\n\n\n[tenant t]\nusers = a\n"),
    LineRow(
      number: 4, text: "[project]\nstate = on\n[tenant t]\nusers = a\n", tenant: "t",
      expected: "[project]\nstate = on\n[tenant t]\nusers = a\nstate = x\n"),
    LineRow(
      number: 5, text: "[project]\nstate = on\n", tenant: "t",
      expected: "[project]\nstate = on\n\n[tenant t]\nstate = x\n"),
    LineRow(
      number: 6, text: "[project]\nenrolment = a\n", key: "enrollment",
      expected: "[project]\nenrollment = x\n"),
    LineRow(
      number: 7, text: "[project]\nstate_of = a\n", expected: "[project]\nstate_of = a\nstate = x\n"
    ),
  ]

  @Test("one line is changed or added, and everything else stays", arguments: lineRows)
  func line(row: LineRow) {
    var lines = ConfigurationLines(Array(row.text.utf8))
    lines.set(
      ConfigurationLines.spellings(of: row.key), to: Array("x".utf8),
      tenant: row.tenant.map { Array($0.utf8) })
    #expect(String(decoding: lines.text, as: UTF8.self) == row.expected)
  }

  struct Row: CustomTestStringConvertible {
    let number: Int
    let layers: [ConfigurationEdit.Layer]
    let text: String
    var path = dropIn
    /// Whether the edit is refused.
    let isRefused: Bool
    /// The paths of the files whose mistakes remain.
    var others: [String] = []
    var testDescription: String { "\(number)" }
  }

  static let good = layer(host, "[project]\nthrottle_after = 9\n")
  static let broken = layer(host, "[project]\nstate = on\n")
  static let emergency = "[project]\nstate = disabled\n"

  static let rows = [
    Row(number: 1, layers: [good], text: emergency, isRefused: false),
    Row(number: 2, layers: [], text: emergency, isRefused: false),
    Row(number: 3, layers: [good], text: "[project]\nstate = off\n", isRefused: true),
    // A contradiction with another file.
    Row(number: 4, layers: [good], text: "[project]\ndisable_after = 8\n", isRefused: true),
    // A mistake of another file is reported, and keeps nothing from being written.
    Row(number: 5, layers: [broken], text: emergency, isRefused: false, others: [host]),
    Row(number: 6, layers: [broken], text: "[project]\nstate = off\n", isRefused: true),
    // The mistake is corrected.
    Row(number: 7, layers: [broken], text: emergency, path: host, isRefused: false),
    Row(
      number: 8,
      layers: [
        good,
        .failure(ConfigurationFile.Failure(Array(dropIn.utf8), .untrusted(.wrongPermissions))),
      ], text: emergency, isRefused: false),
    Row(
      number: 9,
      layers: [
        good,
        .failure(
          ConfigurationFile.Failure(Array((dropIn + "x").utf8), .untrusted(.wrongPermissions))),
      ], text: emergency, isRefused: false, others: [dropIn + "x"]),
  ]

  @Test(
    "a version with a mistake is refused, and mistakes of other files are reported", arguments: rows
  )
  func edit(row: Row) throws {
    do throws(AdminError) {
      let edit = try ConfigurationEdit(
        Array(row.text.utf8), at: Array(row.path.utf8), over: row.layers)
      #expect(!row.isRefused)
      #expect(edit.otherMistakes.map { String(decoding: $0.path, as: UTF8.self) } == row.others)
    } catch {
      #expect(row.isRefused, "\(error)")
    }
  }

  @Test("a new file is read at its place among the others")
  func order() throws {
    let layers = [
      Self.layer("/usr/lib/mfa/mfa.conf", ""), Self.layer(Self.host, ""),
      Self.layer(Self.dropIn, ""),
    ]
    for (path, expected) in [
      ("/etc/mfa/mfa.conf.d/10.conf", 2), ("/etc/mfa/mfa.conf.d/30.conf", 3), (Self.host, 1),
      (Self.dropIn, 2),
    ] {
      let new = ConfigurationFile.Layer(path: Array(path.utf8), text: [1])
      let all = ConfigurationEdit.replacing(new.path, by: new, in: layers)
      #expect(try all.firstIndex { try $0.get().text == [1] } == expected, "\(path)")
    }
  }

  @Test("a file is named by its name or its path, and nothing else is a file of the configuration")
  func names() {
    let rows: [(String?, String?)] = [
      (nil, Self.host), ("mfa.conf", Self.host), (Self.host, Self.host), ("20-a.conf", Self.dropIn),
      (Self.dropIn, Self.dropIn), ("a", nil), ("", nil), ("/etc/passwd", nil), ("../x.conf", nil),
      (".a.conf", nil), ("/etc/mfa/mfa.conf.d/../x.conf", nil), ("/usr/lib/mfa/mfa.conf", nil),
      ("a b.conf", nil),
    ]
    for (name, path) in rows {
      #expect(
        ConfigurationEdit.path(named: name).map { String(decoding: $0, as: UTF8.self) } == path,
        "\(name ?? "")")
    }
  }

  @Test("the file that decides a key now is changed, and a file that overrides it is named")
  func place() throws {
    let layers = [
      Self.layer("/usr/lib/mfa/mfa.conf", "[project]\nstate = observe\n"),
      Self.layer(Self.host, "[project]\nissuer = a\n"),
      Self.layer(Self.dropIn, "[project]\nissuer = b\n[tenant t]\nusers = x\n"),
    ]
    func place(_ key: String, _ tenant: String? = nil) -> String {
      String(
        decoding: ConfigurationEdit.place(
          of: [key], tenant: tenant.map { Array($0.utf8) }, in: layers), as: UTF8.self)
    }
    #expect(place("state") == Self.host && place("issuer") == Self.dropIn)
    #expect(place("users", "t") == Self.dropIn && place("users") == Self.host)
    let edit = try ConfigurationEdit(
      Array("[project]\nissuer = c\n".utf8), at: Array(Self.host.utf8), over: layers)
    #expect(
      edit.overriding(["issuer"], tenant: nil, in: layers) == [Array(Self.dropIn.utf8)])
  }
}
