import Foundation
import MFATestSupport
import Testing

extension EndToEnd {
  /// Invalid records, attempt states and keys: sign-ins are denied, nothing hangs or crashes, no
  /// file is overwritten, and one log line states the reason.
  @Suite struct BadStore {
    /// Signs in with a correct code, and expects that the module denies and changes nothing.
    static func expectDenial(
      _ machine: Machine, _ user: MachineUser, _ service: String, _ code: String,
      part: String? = nil, reason: String? = nil, _ title: String
    ) throws {
      let start = try machine.log.position()
      let before = try state()
      let outcome = try user.signIn(to: service, typing: code)
      #expect(outcome.results.map(\.code) == ["PAM_AUTH_ERR"], "\(title): \(outcome)")
      #expect(try state() == before, "\(title): a file was changed")
      let entries = try OneCode.logged(machine, since: start)
      #expect(entries.count == 1, "\(title): \(entries)")
      #expect(entries.first?.fields["result"] == "error", "\(title): \(entries)")
      #expect(entries.first?.severity == 3, "\(title): \(entries)")
      if let part { #expect(entries.first?.fields["part"] == part, "\(title): \(entries)") }
      if let reason { #expect(entries.first?.fields["reason"] == reason, "\(title): \(entries)") }
    }

    /// Returns the names, types, owners, modes, sizes, times and contents of all files in the
    /// store, and of the key.
    static func state() throws -> String {
      try Command.succeed([
        "/bin/sh", "-c",
        """
        find /var/lib/mfa /etc/mfa -printf '%p %y %U %G %m %s %T@ %n %l\\n' | sort
        find /var/lib/mfa /etc/mfa -type f -size -100k -exec sha256sum {} + | sort
        """,
      ])
    }

    struct Row: Sendable, CustomTestStringConvertible {
      let title: String
      /// A shell command; `$r` is the record, `$a` the attempts file, `$k` the key, `$o` another
      /// user's record.
      let spoil: String
      let part: String
      let reason: String
      var testDescription: String { "\(title)" }
    }

    static let rows = [
      Row(title: "an empty record", spoil: ": >$r", part: "record", reason: "empty"),
      Row(
        title: "a record of 10 MB", spoil: "head -c 10000000 /dev/zero >$r",
        part: "record", reason: "too-large"),
      Row(
        title: "a FIFO", spoil: "rm $r; mkfifo -m 600 $r; chown mfa:mfa $r",
        part: "record", reason: "not-a-regular-file"),
      Row(
        title: "a symbolic link to the original file",
        spoil: "mv $r $r.away; ln -s $r.away $r; chown -h mfa:mfa $r", part: "record",
        reason: "symbolic-link"),
      Row(
        title: "a second hard link", spoil: "ln $r $r.other", part: "record",
        reason: "several-names"),
      Row(title: "a wrong owner", spoil: "chown daemon $r", part: "record", reason: "wrong-owner"),
      Row(
        title: "readable by its group", spoil: "chmod 0640 $r", part: "record",
        reason: "wrong-permissions"),
      Row(
        title: "both files of another user", spoil: "cat $o >$r; cat $oa >$a",
        part: "record", reason: "belongs-to-another"),
      Row(
        title: "a newer version",
        spoil: "printf '\\000\\377' | dd of=$r bs=1 seek=4 conv=notrunc status=none",
        part: "record",
        reason: "other-version"),
      Row(title: "a trailing byte", spoil: "printf x >>$r", part: "record", reason: "damaged"),
      Row(
        title: "a device", spoil: "rm $r; mknod $r c 1 5; chown mfa $r; chmod 600 $r",
        part: "record", reason: "not-a-regular-file"),

      Row(title: "no attempts", spoil: "rm $a", part: "attempts", reason: "system"),
      Row(title: "empty attempts", spoil: ": >$a", part: "attempts", reason: "wrong-size"),
      Row(
        title: "attempts of zeros", spoil: "head -c 2048 /dev/zero >$a",
        part: "attempts", reason: "damaged"),
      Row(
        title: "another user's attempts", spoil: "cat $oa >$a", part: "attempts",
        reason: "rolled-back"),

      Row(title: "no key", spoil: "rm $k", part: "key", reason: "system"),
      Row(
        title: "a key that all users may read", spoil: "chmod 0444 $k", part: "key",
        reason: "wrong-permissions"),
      Row(
        title: "a key of 31 bytes", spoil: "truncate -s 31 $k", part: "key",
        reason: "wrong-size"),
      Row(
        title: "a different key", spoil: "head -c 32 /dev/urandom >$k", part: "store",
        reason: "store-foreign"),
      Row(
        title: "a FIFO as the key", spoil: "rm $k; mkfifo -m 400 $k; chown mfa $k",
        part: "key", reason: "not-a-regular-file"),
      Row(
        title: "a host whose factors a realm keeps", spoil: "touch /etc/mfa/realm",
        part: "database", reason: "unreachable"),

      Row(
        title: "a store that others may enter", spoil: "chmod 0755 /var/lib/mfa",
        part: "store", reason: "wrong-permissions"),
      Row(
        title: "a store behind a symbolic link",
        spoil: "mv /var/lib/mfa /var/lib/mfa.away; ln -s mfa.away /var/lib/mfa", part: "store",
        reason: "not-a-directory"),
      Row(title: "no store", spoil: "rm -rf /var/lib/mfa", part: "store", reason: "store-foreign"),
      Row(
        title: "a store with a wrong owner", spoil: "chown daemon /var/lib/mfa",
        // The user mfa may not enter a store of another user.
        part: "store", reason: "system"),
      Row(
        title: "factors that others may list", spoil: "chmod 0711 /var/lib/mfa/factors",
        part: "factors-directory", reason: "wrong-permissions"),
      Row(
        title: "no factors folder", spoil: "rm -rf /var/lib/mfa/factors",
        part: "store", reason: "store-foreign"),
      Row(
        title: "a file in place of the factors folder",
        spoil: "rm -rf /var/lib/mfa/factors; touch /var/lib/mfa/factors", part: "factors-directory",
        reason: "not-a-directory"),
      Row(
        title: "/var/lib writable by all users", spoil: "chmod 0777 /var/lib",
        part: "store", reason: "wrong-permissions"),
    ]

    @Test("any invalid file or folder of the store denies sign-ins and is left unchanged")
    func isRefused() throws {
      let (user, enrollment, service) = try machine.addSignIn()
      let (other, _) = try machine.addEnrolledUser()
      let files = StoreFiles(of: user.name)
      let others = StoreFiles(of: other.name)
      let saved = machine.folder + "/saved"
      try Command.succeed([
        "/bin/sh", "-c",
        "mkdir \(saved); cp -a /var/lib/mfa \(saved)/store; cp -a /etc/mfa \(saved)/settings",
      ])
      machine.atTheEnd("restore the store") { try Self.restore(saved) }
      for row in Self.rows {
        try Command.succeed([
          "/bin/sh", "-c",
          "set -e; r=\(files.record); a=\(files.attempts); k=/etc/mfa/key; "
            + "o=\(others.record); oa=\(others.attempts)\n\(row.spoil)",
        ])
        try Self.expectDenial(
          machine, user, service, try enrollment.phone.code(), part: row.part,
          reason: row.reason, row.testDescription)
        try Self.restore(saved)
      }
      let outcome = try user.signIn(to: service, typing: try enrollment.phone.code())
      #expect(outcome.code == "PAM_SUCCESS", "the store was not restored: \(outcome)")
    }

    @Test("without its relay, a host of a realm lets nobody in without a code")
    func hostOfARealm() throws {
      let user = try machine.addUser()
      let service = try machine.makeService(["auth required pam_permit.so"] + OneCode.stack)
      func code() throws -> String {
        try user.signIn(to: service).code
      }
      #expect(try code() == "PAM_SUCCESS", "a user without a factor under self-service")
      machine.atTheEnd("leave the realm") { try Command.succeed(["/bin/rm", "/etc/mfa/realm"]) }
      try Command.succeed(["/usr/bin/touch", "/etc/mfa/realm"])
      #expect(try code() == "PAM_AUTH_ERR")
      #expect(
        try machine.mustAdminister("services").text.contains("\nsign-ins are denied, because "))
      let breakGlass = try Command.run(["/usr/sbin/mfa-admin", "break-glass", user.name])
      #expect(breakGlass.status == .exited(1), "\(breakGlass.errorText)")
      // A policy of the host's own decides then.
      func finding() throws -> Bool {
        try Doctor.found(try Doctor.examine(["--json"])).contains {
          $0.hasPrefix("warning open-without-relay ")
        }
      }
      #expect(try !finding())
      try machine.write("[project]\nstate = disabled\n", to: "/etc/mfa/mfa.conf")
      #expect(try code() == "PAM_SUCCESS")
      #expect(try finding())
    }

    static func restore(_ saved: String) throws {
      // The saved store replaces the damaged one, so that nothing of the damage remains.
      try Command.succeed([
        "/bin/sh", "-c",
        """
        set -e; chmod 0755 /var/lib
        rm -rf /var/lib/mfa /var/lib/mfa.away /etc/mfa
        cp -a \(saved)/store /var/lib/mfa
        cp -a \(saved)/settings /etc/mfa
        """,
      ])
    }

    @Test("a record truncated at any length is refused")
    func everyTruncation() throws {
      try Self.withEachSpoilt(machine) { image in
        (0..<image.record.count).map {
          StoreFiles.Image(record: Array(image.record.prefix($0)), attempts: image.attempts)
        }
          + stride(from: 0, to: image.attempts.count, by: 7).map {
            StoreFiles.Image(record: image.record, attempts: Array(image.attempts.prefix($0)))
          }
      }
    }

    /// Signs in with a correct code once for each of several damaged images of the same store.
    static func withEachSpoilt(
      _ machine: Machine, _ spoil: (StoreFiles.Image) -> [StoreFiles.Image]
    ) throws {
      let (user, enrollment, service) = try machine.addSignIn()
      let files = StoreFiles(of: user.name)
      let image = try files.image()
      let spoilt = spoil(image)
      let code = try enrollment.phone.code()
      let start = try machine.log.position()
      for (index, bad) in spoilt.enumerated() {
        try files.restore(bad)
        let outcome = try user.signIn(to: service, typing: code)
        #expect(outcome.code == "PAM_AUTH_ERR", "case \(index): \(outcome)")
        #expect(try files.image() == bad, "case \(index) was overwritten")
      }
      let results = try OneCode.results(machine, since: start)
      #expect(results == Array(repeating: "error", count: spoilt.count))
      try files.restore(image)
      let outcome = try user.signIn(to: service, typing: try enrollment.phone.code())
      #expect(outcome.code == "PAM_SUCCESS", "the store was not restored: \(outcome)")
    }
  }
}
