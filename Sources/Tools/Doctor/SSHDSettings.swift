import MFAAdmin

/// The effective settings of sshd that `sshd -T` prints, in general or for one connection.
package struct SSHDSettings: Equatable {
  private var values: [String: String]

  /// The ports at which sshd listens.
  let ports: [String]

  /// Parses the output of `sshd -T`. Each line is a key in lower case, a blank and the value.
  package init(_ output: [UInt8]) {
    var values: [String: String] = [:]
    var ports: [String] = []
    for line in output.split(separator: UInt8(ascii: "\n")) {
      let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 1)
      guard let key = parts.first else { continue }
      let value = parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : ""
      // The first line for a key counts.
      let name = String(decoding: key, as: UTF8.self).lowercased()
      if values[name] == nil { values[name] = value }
      if name == "listenaddress" || name == "port",
        let port = value.split(separator: ":").last.map({ String($0) }), UInt16(port) != nil,
        !ports.contains(port)
      {
        ports.append(port)
      }
    }
    self.values = values
    self.ports = ports
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

  /// Returns whether sshd calls PAM for the user to complete a list of methods. `none` is the method
  /// for accounts with an empty password.
  package static func asksPAM(_ methods: [String]) -> Bool {
    methods.contains {
      $0.hasPrefix("keyboard-interactive") || $0 == "password" || $0 == "none"
    }
  }

  /// Returns the settings with other values of some keys.
  package func with(_ changes: [(key: String, value: String)]) -> SSHDSettings {
    var settings = self
    for change in changes { settings.values[change.key.lowercased()] = change.value }
    return settings
  }

  /// Returns whether a method is enabled.
  private func isEnabled(_ method: String) -> Bool {
    switch method {
    case "publickey": isOn("pubkeyauthentication")
    case "hostbased": isOn("hostbasedauthentication")
    case "gssapi-with-mic": isOn("gssapiauthentication")
    case "gssapi-keyex": isOn("gssapikeyexchange")
    case "password": isOn("passwordauthentication")
    case "none": isOn("permitemptypasswords")
    case _: method.hasPrefix("keyboard-interactive") && asksByKeyboard && isOn("usepam")
    }
  }

  /// The methods, each of which can be enough. `none` is left out: `password` includes it.
  private static let singleMethods = [
    "publickey", "hostbased", "gssapi-with-mic", "gssapi-keyex", "password", "keyboard-interactive",
  ]

  /// Returns the lists of methods, one of which a sign-in must complete. sshd leaves out a list with a
  /// method that is disabled.
  package func openLists(isRoot: Bool = false) -> [[String]] {
    let lists = (methodLists ?? Self.singleMethods.map { [$0] })
      .filter { !$0.isEmpty && $0.allSatisfy { isEnabled($0) } }
    guard isRoot else { return lists }
    switch value(of: "permitrootlogin") ?? "yes" {
    case "no": return []
    case "yes": return lists
    case _: return lists.filter { !Self.asksPAM($0) }
    }
  }

  /// Whether sshd itself verifies passwords with Kerberos before it calls PAM.
  var verifiesKerberosPassword: Bool { isOn("kerberosauthentication") }

  /// The authentication methods that do not use PAM: the method, the setting that enables it, and the
  /// words for messages.
  private static let silentMethods = [
    (name: "publickey", key: "pubkeyauthentication", words: "a key"),
    (name: "hostbased", key: "hostbasedauthentication", words: "a trusted host"),
    (name: "gssapi-with-mic", key: "gssapiauthentication", words: "a Kerberos ticket"),
    (
      name: "gssapi-keyex", key: "gssapikeyexchange", words: "a Kerberos ticket of the key exchange"
    ),
  ]

  /// The methods, in words, that are enough without PAM because AuthenticationMethods is not set.
  var sufficientMethods: [String] {
    guard methodLists == nil else { return [] }
    let hasPassword = verifiesKerberosPassword && isOn("passwordauthentication")
    return Self.silentMethods.filter { isOn($0.key) }.map(\.words)
      + (hasPassword ? ["a Kerberos password"] : [])
  }

  /// The lists of AuthenticationMethods that can be completed without PAM.
  var listsWithoutPAM: [[String]] {
    guard methodLists != nil else { return [] }
    return openLists().filter { list in
      !Self.asksPAM(verifiesKerberosPassword ? list.filter { $0 != "password" } : list)
    }
  }

  /// The reason why sign-ins with these settings do not all use PAM, or nil if they do.
  var wayWithoutPAM: String? {
    guard isOn("usepam") else { return "UsePAM is no" }
    let lists = listsWithoutPAM.map { $0.joined(separator: ",") }
    if !lists.isEmpty {
      return "AuthenticationMethods is \(VisibleText.escaping(lists.joined(separator: " ")))"
    }
    let methods = sufficientMethods
    return methods.isEmpty
      ? nil
      : "AuthenticationMethods is not set, so \(methods.joined(separator: " or ")) alone is enough"
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

  /// The ways to sign in without the `auth` lines of PAM, in words.
  var waysWithoutPAM: [String] {
    methodLists == nil ? sufficientMethods : listsWithoutPAM.map { $0.joined(separator: ",") }
  }

  /// Whether AuthenticationMethods has a list with a method that uses the `auth` lines of PAM.
  var hasWayWithPAM: Bool { methodLists?.contains { Self.asksPAM($0) } ?? true }

  /// The keys that the examinations use.
  package static let keys = [
    "usepam", "kbdinteractiveauthentication", "challengeresponseauthentication",
    "passwordauthentication", "pubkeyauthentication", "hostbasedauthentication",
    "gssapiauthentication", "gssapikeyexchange", "kerberosauthentication", "permitemptypasswords",
    "authenticationmethods", "permitrootlogin", "authorizedkeysfile", "authorizedkeyscommand",
    "trustedusercakeys",
  ]

  /// Returns whether all `keys` have the same values in both settings.
  func hasSameExaminedSettings(as other: SSHDSettings) -> Bool {
    Self.keys.allSatisfy { values[$0] == other.values[$0] }
  }
}
