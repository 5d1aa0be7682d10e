import Foundation
import MFATestSupport
import Testing

extension EndToEnd {
  /// What explain says about sshd's settings, compared with real sign-ins with a key and nothing else.
  @Suite struct SecureShellRules {
    /// Settings of sshd, and what they mean for a user.
    struct Row: Sendable, CustomTestStringConvertible {
      let number: Int
      /// Lines for sshd, in which USER and GROUP stand for a user and the user's group.
      let lines: [String]
      /// Whether the user is root.
      var isRoot = false
      /// The decision of explain.
      let decision: String
      var testDescription: String { "row \(number)" }
    }

    private static let key = "AuthenticationMethods publickey"

    static let rows = [
      Row(number: 1, lines: [], decision: "asked"),
      Row(number: 2, lines: ["Match User USER", key], decision: "allowed"),
      Row(number: 3, lines: ["Match User nobody-has-this-name", key], decision: "asked"),
      // An exempt group, as a service account is in one.
      Row(number: 4, lines: ["Match Group GROUP", key], decision: "allowed"),
      Row(number: 5, lines: ["Match Group x,!GROUP", key], decision: "asked"),
      Row(number: 6, lines: ["Match Address 127.0.0.0/8", key], decision: "allowed"),
      Row(number: 7, lines: ["Match Address 192.168.0.0/16", key], decision: "asked"),
      Row(number: 8, lines: ["Match User USER Address !127.0.0.1,*", key], decision: "asked"),
      Row(
        number: 9,
        lines: ["Match User USER", "AuthenticationMethods publickey,keyboard-interactive"],
        decision: "asked"),
      Row(
        number: 10, lines: ["Match User USER", "AuthenticationMethods any"], decision: "asked"),
      // The first value counts.
      Row(
        number: 11,
        lines: [
          "Match User *", "AuthenticationMethods keyboard-interactive", "Match User USER", key,
        ],
        decision: "asked"),
      Row(
        number: 12, lines: ["Match User USER", "KbdInteractiveAuthentication no"],
        decision: "denied"),
      Row(
        number: 13, lines: ["Match User USER", "KbdInteractiveAuthentication no", key],
        decision: "allowed"),
      Row(
        number: 14, lines: ["PermitRootLogin prohibit-password"], isRoot: true, decision: "denied"),
      Row(number: 15, lines: ["PermitRootLogin yes"], isRoot: true, decision: "asked"),
      Row(
        number: 16, lines: ["PermitRootLogin no", "Match User root", key], isRoot: true,
        decision: "denied"),
      Row(
        number: 17, lines: ["PermitRootLogin prohibit-password", "Match User root", key],
        isRoot: true, decision: "allowed"),
    ]

    @Test("explain says of sshd's settings what a sign-in with a key does", arguments: rows)
    func agrees(row: Row) throws {
      try Machine.use { machine in
        try Doctor.setUp(machine)
        let user =
          row.isRoot
          ? MachineUser(name: "root", password: "Pass of root!")
          : try machine.addUser()
        if row.isRoot {
          try machine.keep("/etc/shadow")
          try machine.keep("/root/.ssh")
          try machine.setPassword(user.password, of: user.name)
        }
        _ = try machine.enroll(user)
        machine.atTheEnd("forget \(user.name)") { try machine.forget(user) }
        let key = try machine.addLoginKey(for: user)
        let lines = row.lines.map {
          $0.replacing("USER", with: user.name).replacing("GROUP", with: user.name)
        }
        // Before 00-mfa.conf: sshd accepts "any" only if no method was listed yet.
        try machine.write(
          lines.map { $0 + "\n" }.joined(), to: "/etc/ssh/sshd_config.d/00-exemptions.conf")
        let command = try machine.administer(
          "explain", "--user", user.name, "--service", "sshd", "--rhost", "127.0.0.1", "--json")
        let explanation = try #require(
          try JSONSerialization.jsonObject(with: Data(command.output)) as? [String: Any],
          "\(command)")
        #expect(explanation["decision"] as? String == row.decision, "\(command.text)")

        let server = try PrivateServer(
          on: machine, settings: ["Include /etc/ssh/sshd_config.d/*.conf"])
        let session = try server.signIn(
          user.name, command: "echo uid=$(id -un)", key: key, options: ["BatchMode=yes"])
        let isOpen = try session.waitForExit() == .exited(0)
        // A key is enough with "AuthenticationMethods any" too, but others are asked for a code.
        let isException =
          (explanation["exceptions"] as? [[String: Any]] ?? []).contains {
            $0["finding"] as? String == "methods-without-code"
          }
        #expect(
          isOpen == (isException || row.decision == "allowed"),
          "\(session.transcript) \(command.text) \(server.log)")
      }
    }
  }
}
