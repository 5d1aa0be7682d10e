import Foundation
import MFATestSupport
import Testing

extension EndToEnd {
  /// The fail2ban filter, evaluated as the journal evaluates `journalmatch`: all fields of a group
  /// must match, and one group must match.
  @Suite struct FailToBan {
    private func groups() throws -> [[String: String]] {
      let path = Checkout.folder + "/packaging/fail2ban/mfa.conf"
      let bytes = try #require(FileManager.default.contents(atPath: path))
      let text = String(decoding: bytes, as: UTF8.self)
      let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("journalmatch = ") })
      return line.dropFirst("journalmatch = ".count).split(separator: "+").map { group in
        Dictionary(
          uniqueKeysWithValues: group.split(separator: " ").map { field in
            let parts = field.split(separator: "=")
            return (String(parts[0]), String(parts[1]))
          })
      }
    }

    /// Returns whether the filter matches a journal entry with these trusted fields, which the
    /// writer of the entry cannot set.
    private func fits(_ fields: [String: String]) throws -> Bool {
      try groups().contains { group in group.allSatisfy { fields[$0.key] == $0.value } }
    }

    @Test(
      "only log lines of root's sshd are counted, whatever a user writes",
      arguments: [
        (1, ["SYSLOG_FACILITY": "10", "_UID": "0", "_COMM": "sshd"], true),
        (2, ["SYSLOG_FACILITY": "10", "_UID": "0", "_COMM": "sshd-session"], true),
        // logger -p authpriv.info -t sshd 'pam_mfa(sshd:auth): result=wrong user=x service=sshd ...'
        (3, ["SYSLOG_FACILITY": "10", "_UID": "1000", "_COMM": "logger"], false),
        // The same text, written by the user's own program with the name sshd.
        (4, ["SYSLOG_FACILITY": "10", "_UID": "1000", "_COMM": "sshd"], false),
        (5, ["SYSLOG_FACILITY": "10", "_UID": "0", "_COMM": "logger"], false),
        (6, ["SYSLOG_FACILITY": "4", "_UID": "0", "_COMM": "sshd"], false),
      ])
    func trustedFields(row: Int, fields: [String: String], fits: Bool) throws {
      #expect(try self.fits(fields) == fits, "row \(row)")
    }

    @Test("every group requires root's uid and a command name")
    func everyGroup() throws {
      for group in try groups() {
        #expect(group["_UID"] == "0" && group["_COMM"] != nil, "\(group)")
      }
    }
  }
}
