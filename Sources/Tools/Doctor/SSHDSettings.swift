/// The effective settings of sshd that `sshd -T` prints, in general or for one connection.
package struct SSHDSettings: Equatable {
  private let values: [String: String]

  /// Parses the output of `sshd -T`. Each line is a key in lower case, a blank and the value.
  package init(_ output: [UInt8]) {
    var values: [String: String] = [:]
    for line in output.split(separator: UInt8(ascii: "\n")) {
      let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 1)
      guard let key = parts.first else { continue }
      let value = parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : ""
      // The first line for a key counts.
      let name = String(decoding: key, as: UTF8.self).lowercased()
      if values[name] == nil { values[name] = value }
    }
    self.values = values
  }

  /// Returns the value of a key, or nil if sshd does not print the key.
  package func value(of key: String) -> String? { values[key] }

  /// Returns whether the value of a key is `yes`.
  func isOn(_ key: String) -> Bool { values[key]?.lowercased() == "yes" }

  /// Whether keyboard-interactive authentication is enabled, so that PAM can prompt the user.
  var asksByKeyboard: Bool {
    // Old versions of sshd use the second name.
    isOn("kbdinteractiveauthentication") || isOn("challengeresponseauthentication")
  }

  /// The lists of AuthenticationMethods, or nil if any single method is enough. A sign-in must
  /// complete all methods of one list.
  package var methodLists: [[String]]? {
    guard let text = values["authenticationmethods"], text.lowercased() != "any" else { return nil }
    return text.split(separator: " ").map { list in
      list.split(separator: ",").map { method in
        // `keyboard-interactive:pam`
        String(method.split(separator: ":").first ?? "").lowercased()
      }
    }
  }

  /// Returns whether sshd calls PAM for the user to complete a list of methods.
  package static func asksPAM(_ methods: [String]) -> Bool {
    methods.contains { $0.hasPrefix("keyboard-interactive") || $0 == "password" }
  }

  /// Whether a sign-in can use the `password` method.
  var takesPasswords: Bool {
    isOn("passwordauthentication")
      && (methodLists?.contains { $0.contains("password") } ?? true)
  }

  /// Returns whether sshd can ask a user for the code of a service's line.
  func canAsk(_ service: ServiceWithModule) -> Bool {
    asksByKeyboard || (service.takesPassword && takesPasswords)
  }

  /// The methods that do not use PAM: the name, the setting that enables the method, and the words
  /// for messages. The setting decides only if AuthenticationMethods is not set.
  private static let silentMethods = [
    ("publickey", "pubkeyauthentication", "a key"),
    ("hostbased", "hostbasedauthentication", "a trusted host"),
    ("gssapi-with-mic", "gssapiauthentication", "a Kerberos ticket"),
  ]

  /// The ways to sign in without the `auth` lines of PAM, in words.
  var waysWithoutPAM: [String] {
    guard let lists = methodLists else {
      return Self.silentMethods.filter { isOn($0.1) }.map(\.2)
    }
    return lists.filter { !Self.asksPAM($0) }.map { $0.joined(separator: ",") }
  }

  /// Whether AuthenticationMethods has a list with a method that uses the `auth` lines of PAM.
  var hasWayWithPAM: Bool { methodLists?.contains { Self.asksPAM($0) } ?? true }

  private static func asksPAM(_ methods: [String]) -> Bool {
    methods.contains("keyboard-interactive") || methods.contains("password")
  }

  /// The keys that the examinations use.
  package static let keys = [
    "usepam", "kbdinteractiveauthentication", "challengeresponseauthentication",
    "passwordauthentication", "pubkeyauthentication", "hostbasedauthentication",
    "gssapiauthentication", "authenticationmethods", "permitrootlogin",
  ]

  /// Returns whether all `keys` have the same values in both settings.
  func hasSameExaminedSettings(as other: SSHDSettings) -> Bool {
    Self.keys.allSatisfy { values[$0] == other.values[$0] }
  }
}
