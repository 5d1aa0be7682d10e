/// Settings of sshd, as `sshd -T` prints them: for everybody, or for a certain connection.
struct SSHDSettings: Equatable {
  private let values: [String: String]

  /// Reads a line each: the key in lower case, a blank, the value.
  init(_ output: [UInt8]) {
    var values: [String: String] = [:]
    for line in output.split(separator: UInt8(ascii: "\n")) {
      let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 1)
      guard let key = parts.first else { continue }
      let value = parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : ""
      // The first line of a key counts.
      let name = String(decoding: key, as: UTF8.self).lowercased()
      if values[name] == nil { values[name] = value }
    }
    self.values = values
  }

  /// The value of a key; nil where sshd has none.
  func value(of key: String) -> String? { values[key] }

  /// Whether a key is `yes`.
  func isOn(_ key: String) -> Bool { values[key]?.lowercased() == "yes" }

  /// Whether PAM may ask questions.
  var asksByKeyboard: Bool {
    // The second is the name of old versions.
    isOn("kbdinteractiveauthentication") || isOn("challengeresponseauthentication")
  }

  /// Lists of methods, of which a sign-in has to go through all of one; nil where any one method does.
  var methodLists: [[String]]? {
    guard let text = values["authenticationmethods"], text.lowercased() != "any" else { return nil }
    return text.split(separator: " ").map { list in
      list.split(separator: ",").map { method in
        // `keyboard-interactive:pam`
        String(method.split(separator: ":").first ?? "").lowercased()
      }
    }
  }

  /// Whether a password alone, sent by the client, may be part of a sign-in.
  var takesPasswords: Bool {
    isOn("passwordauthentication")
      && (methodLists?.contains { $0.contains("password") } ?? true)
  }

  /// The keys that the doctor looks at.
  static let keys = [
    "usepam", "kbdinteractiveauthentication", "challengeresponseauthentication",
    "passwordauthentication", "pubkeyauthentication", "hostbasedauthentication",
    "gssapiauthentication", "authenticationmethods", "permitrootlogin",
  ]

  /// Whether two say the same of all that the doctor looks at.
  func isLike(_ other: SSHDSettings) -> Bool {
    Self.keys.allSatisfy { values[$0] == other.values[$0] }
  }
}
