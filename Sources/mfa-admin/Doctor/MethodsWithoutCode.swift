/// Ways of signing in by ssh that never come to PAM's questions.
enum MethodsWithoutCode: Examination {
  /// Methods that PAM answers, and by which setting each is switched on where nothing says which are
  /// needed.
  private static let asking = ["keyboard-interactive", "password"]
  private static let silent = [
    ("publickey", "pubkeyauthentication", "a key"),
    ("hostbased", "hostbasedauthentication", "a trusted host"),
    ("gssapi-with-mic", "gssapiauthentication", "a Kerberos ticket"),
  ]

  static func findings(on chart: Chart) -> [Finding] {
    guard let service = chart.sshdService else { return [] }
    return chart.sshd.findings { settings, whom, place in
      // Without PAM nobody is asked anyway, which is another finding.
      guard settings.isOn("usepam") else { return [] }
      guard let lists = settings.methodLists else {
        let methods = silent.filter { settings.isOn($0.1) }.map(\.2)
        guard !methods.isEmpty else { return [] }
        return [
          finding(
            service, place(["authenticationmethods"]),
            "who signs in by ssh with \(methods.joined(separator: " or "))\(whom) is never asked for "
              + "a code: AuthenticationMethods asks for no more")
        ]
      }
      let open = lists.filter { list in !asking.contains { list.contains($0) } }
      guard !open.isEmpty else { return [] }
      let shown = open.map { $0.joined(separator: ",") }.joined(separator: " ")
      return [
        finding(
          service, place(["authenticationmethods"]),
          "who signs in by ssh with \(VisibleText.escaping(shown))\(whom) is never asked for a code: "
            + "nothing there comes to PAM")
      ]
    }
  }

  private static func finding(
    _ service: AskedService, _ place: String, _ message: String
  ) -> Finding {
    Finding(
      severity: .error, code: "methods-without-code", services: [service.name], place: place,
      message: message,
      hint: "write \"AuthenticationMethods keyboard-interactive\", or, for a key and then a code, "
        + "\"AuthenticationMethods publickey,keyboard-interactive\", then reload sshd")
  }
}
