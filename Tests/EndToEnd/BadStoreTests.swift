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
      let outcome = try PAMClient.signIn(
        service: service, user: user.name, answers: [.text(code)])
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
      let number: Int
      let title: String
      /// A shell command; `$r` is the record, `$a` the attempts file, `$k` the key, `$o` another
      /// user's record.
      let spoil: String
      let part: String
      let reason: String
      var testDescription: String { "\(number): \(title)" }
    }

    static let rows = [
      Row(number: 1, title: "an empty record", spoil: ": >$r", part: "record", reason: "empty"),
      Row(
        number: 2, title: "a record of 10 MB", spoil: "head -c 10000000 /dev/zero >$r",
        part: "record", reason: "too-large"),
      Row(
        number: 3, title: "a FIFO", spoil: "rm $r; mkfifo -m 600 $r; chown mfa:mfa $r",
        part: "record", reason: "not-a-regular-file"),
      Row(
        number: 4, title: "a folder", spoil: "rm $r; mkdir -m 600 $r; chown mfa:mfa $r",
        part: "record", reason: "not-a-regular-file"),
      Row(
        number: 5, title: "a symbolic link to the original file",
        spoil: "mv $r $r.away; ln -s $r.away $r; chown -h mfa:mfa $r", part: "record",
        reason: "symbolic-link"),
      Row(
        number: 6, title: "a dangling symbolic link", spoil: "rm $r; ln -s /nowhere $r",
        part: "record", reason: "symbolic-link"),
      Row(
        number: 7, title: "a second hard link", spoil: "ln $r $r.other", part: "record",
        reason: "several-names"),
      Row(
        number: 8, title: "a wrong owner", spoil: "chown daemon $r", part: "record",
        reason: "wrong-owner"),
      Row(
        number: 9, title: "owned by root", spoil: "chown root $r", part: "record",
        reason: "wrong-owner"),
      Row(
        number: 10, title: "readable by its group", spoil: "chmod 0640 $r", part: "record",
        reason: "wrong-permissions"),
      Row(
        number: 11, title: "writable by all users", spoil: "chmod 0666 $r", part: "record",
        reason: "wrong-permissions"),
      Row(
        number: 12, title: "a mode that is too strict", spoil: "chmod 0400 $r", part: "record",
        reason: "wrong-permissions"),
      Row(
        number: 13, title: "another user's record", spoil: "cat $o >$r", part: "record",
        reason: "belongs-to-another"),
      Row(
        number: 14, title: "both files of another user", spoil: "cat $o >$r; cat $oa >$a",
        part: "record", reason: "belongs-to-another"),
      Row(
        number: 15, title: "an older version",
        spoil: "printf '\\000\\000' | dd of=$r bs=1 seek=4 conv=notrunc status=none",
        part: "record",
        reason: "other-version"),
      Row(
        number: 16, title: "a newer version",
        spoil: "printf '\\000\\377' | dd of=$r bs=1 seek=4 conv=notrunc status=none",
        part: "record",
        reason: "other-version"),
      Row(
        number: 17, title: "a trailing byte", spoil: "printf x >>$r", part: "record",
        reason: "damaged"),
      Row(
        number: 18, title: "text", spoil: "echo hello >$r", part: "record", reason: "damaged"),
      Row(
        number: 19, title: "a device", spoil: "rm $r; mknod $r c 1 5; chown mfa $r; chmod 600 $r",
        part: "record", reason: "not-a-regular-file"),

      Row(number: 30, title: "no attempts", spoil: "rm $a", part: "attempts", reason: "system"),
      Row(
        number: 31, title: "empty attempts", spoil: ": >$a", part: "attempts", reason: "wrong-size"),
      Row(
        number: 32, title: "attempts of 10 MB", spoil: "head -c 10000000 /dev/zero >$a",
        part: "attempts", reason: "wrong-size"),
      Row(
        number: 33, title: "attempts of zeros", spoil: "head -c 2048 /dev/zero >$a",
        part: "attempts", reason: "damaged"),
      Row(
        number: 34, title: "attempts that are a FIFO",
        spoil: "rm $a; mkfifo -m 600 $a; chown mfa:mfa $a", part: "attempts",
        reason: "not-a-regular-file"),
      Row(
        number: 35, title: "attempts that are a folder",
        spoil: "rm $a; mkdir -m 600 $a; chown mfa:mfa $a", part: "attempts",
        reason: "not-a-regular-file"),
      Row(
        number: 36, title: "attempts behind a symbolic link",
        spoil: "mv $a $a.away; ln -s $a.away $a", part: "attempts", reason: "symbolic-link"),
      Row(
        number: 37, title: "attempts with a second hard link", spoil: "ln $a $a.other",
        part: "attempts",
        reason: "several-names"),
      Row(
        number: 38, title: "attempts with a wrong owner", spoil: "chown daemon $a",
        part: "attempts",
        reason: "wrong-owner"),
      Row(
        number: 39, title: "attempts that others may read", spoil: "chmod 0644 $a",
        part: "attempts", reason: "wrong-permissions"),
      Row(
        number: 40, title: "another user's attempts", spoil: "cat $oa >$a", part: "attempts",
        reason: "rolled-back"),
      Row(
        number: 41, title: "attempts of a newer version",
        spoil: "for s in 4 1028; do printf '\\000\\377' | dd of=$a bs=1 seek=$s conv=notrunc "
          + "status=none; done", part: "attempts", reason: "damaged"),

      Row(number: 50, title: "no key", spoil: "rm $k", part: "key", reason: "system"),
      Row(
        number: 51, title: "a key that all users may read", spoil: "chmod 0444 $k", part: "key",
        reason: "wrong-permissions"),
      Row(
        number: 52, title: "a key that its owner may write", spoil: "chmod 0600 $k", part: "key",
        reason: "wrong-permissions"),
      Row(
        number: 53, title: "a key with a wrong owner", spoil: "chown daemon $k", part: "key",
        reason: "wrong-owner"),
      Row(
        number: 54, title: "a key of 31 bytes", spoil: "truncate -s 31 $k", part: "key",
        reason: "wrong-size"),
      Row(
        number: 55, title: "a key of 33 bytes", spoil: "truncate -s 33 $k", part: "key",
        reason: "wrong-size"),
      Row(
        number: 56, title: "an empty key", spoil: "truncate -s 0 $k", part: "key",
        reason: "wrong-size"),
      Row(
        number: 57, title: "a different key", spoil: "head -c 32 /dev/urandom >$k", part: "store",
        reason: "store-foreign"),
      Row(
        number: 58, title: "a symbolic link to the key", spoil: "mv $k $k.away; ln -s $k.away $k",
        part: "key", reason: "symbolic-link"),
      Row(
        number: 59, title: "a second hard link to the key", spoil: "ln $k $k.other", part: "key",
        reason: "several-names"),
      Row(
        number: 60, title: "a FIFO as the key", spoil: "rm $k; mkfifo -m 400 $k; chown mfa $k",
        part: "key", reason: "not-a-regular-file"),
      Row(
        number: 61, title: "a host whose factors a realm keeps", spoil: "touch /etc/mfa/realm",
        part: "database", reason: "unreachable"),

      Row(
        number: 70, title: "a store that others may enter", spoil: "chmod 0755 /var/lib/mfa",
        part: "store", reason: "wrong-permissions"),
      Row(
        number: 71, title: "a store behind a symbolic link",
        spoil: "mv /var/lib/mfa /var/lib/mfa.away; ln -s mfa.away /var/lib/mfa", part: "store",
        reason: "not-a-directory"),
      Row(
        number: 72, title: "no store", spoil: "rm -rf /var/lib/mfa", part: "store",
        reason: "store-foreign"),
      Row(
        number: 73, title: "a store with a wrong owner", spoil: "chown daemon /var/lib/mfa",
        // The user mfa may not enter a store of another user.
        part: "store", reason: "system"),
      Row(
        number: 74, title: "factors that others may list", spoil: "chmod 0711 /var/lib/mfa/factors",
        part: "factors-directory", reason: "wrong-permissions"),
      Row(
        number: 75, title: "attempts that others may list",
        spoil: "chmod 0711 /var/lib/mfa/attempts", part: "attempts", reason: "wrong-permissions"),
      Row(
        number: 76, title: "no factors folder", spoil: "rm -rf /var/lib/mfa/factors",
        part: "store", reason: "store-foreign"),
      Row(
        number: 77, title: "a file in place of the factors folder",
        spoil: "rm -rf /var/lib/mfa/factors; touch /var/lib/mfa/factors", part: "factors-directory",
        reason: "not-a-directory"),
      Row(
        number: 78, title: "/var/lib writable by all users", spoil: "chmod 0777 /var/lib",
        part: "store", reason: "wrong-permissions"),
    ]

    @Test("any invalid file or folder of the store denies sign-ins and is left unchanged")
    func isRefused() throws {
      try Machine.use { machine in
        let (user, enrollment) = try machine.addEnrolledUser()
        let (other, _) = try machine.addEnrolledUser()
        let service = try machine.makeService(OneCode.stack)
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
        let outcome = try PAMClient.signIn(
          service: service, user: user.name, answers: [.text(try enrollment.phone.code())])
        #expect(outcome.code == "PAM_SUCCESS", "the store was not restored: \(outcome)")
      }
    }

    @Test("without its relay, a host of a realm lets nobody in without a code")
    func hostOfARealm() throws {
      try Machine.use { machine in
        let user = try machine.addUser()
        let service = try machine.makeService(["auth required pam_permit.so"] + OneCode.stack)
        func code() throws -> String {
          try PAMClient.signIn(service: service, user: user.name, answers: []).code
        }
        #expect(try code() == "PAM_SUCCESS", "a user without a factor under self-service")
        machine.atTheEnd("leave the realm") { try Command.succeed(["/bin/rm", "/etc/mfa/realm"]) }
        try Command.succeed(["/usr/bin/touch", "/etc/mfa/realm"])
        #expect(try code() == "PAM_AUTH_ERR")
      }
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
      try Machine.use { machine in
        try Self.withEachSpoilt(machine) { image in
          (0..<image.record.count).map {
            StoreFiles.Image(record: Array(image.record.prefix($0)), attempts: image.attempts)
          }
            + stride(from: 0, to: image.attempts.count, by: 7).map {
              StoreFiles.Image(record: image.record, attempts: Array(image.attempts.prefix($0)))
            }
        }
      }
    }

    @Test("a record with any byte changed is refused")
    func everyByteOfTheRecord() throws {
      try Machine.use { machine in
        try Self.withEachSpoilt(machine) { image in
          image.record.indices.map { index in
            var record = image.record
            record[index] ^= 0xff
            return StoreFiles.Image(record: record, attempts: image.attempts)
          }
        }
      }
    }

    @Test("an attempts file with the same byte changed in both slots is refused")
    func everyByteOfBothSlots() throws {
      try Machine.use { machine in
        try Self.withEachSpoilt(machine) { image in
          (0..<StoreFiles.slotLength).map { index in
            var attempts = image.attempts
            attempts[index] ^= 0x01
            attempts[StoreFiles.slotDistance + index] ^= 0x01
            return StoreFiles.Image(record: image.record, attempts: attempts)
          }
        }
      }
    }

    @Test("an attempts file with a byte changed in one slot uses the other slot")
    func everyByteOfOneSlot() throws {
      try Machine.use { machine in
        let (user, enrollment) = try machine.addEnrolledUser()
        let service = try machine.makeService(OneCode.stack)
        let files = StoreFiles(of: user.name)
        // Wrong codes, so that the later slot has one failure more than the older one.
        let guesses = try enrollment.phone.wrongCodes(count: 3)
        let wrong = guesses[2]
        for guess in guesses[..<2] {
          _ = try PAMClient.signIn(service: service, user: user.name, answers: [.text(guess)])
        }
        let image = try files.image()
        let latest = try StoreFiles.latestSlotNumber(of: image.attempts)
        let start = try machine.log.position()
        let written = image.attempts.indices.filter {
          $0 % StoreFiles.slotDistance < StoreFiles.slotLength
        }
        for index in written {
          var attempts = image.attempts
          attempts[index] ^= 0x80
          try StoreFiles.put(attempts, at: files.attempts)
          let outcome = try PAMClient.signIn(
            service: service, user: user.name, answers: [.text(wrong)])
          #expect(outcome.code == "PAM_AUTH_ERR", "byte \(index): \(outcome)")
          let flipsLatest = index / StoreFiles.slotDistance == latest
          #expect(try files.failures() == (flipsLatest ? 2 : 3), "byte \(index)")
        }
        let results = try OneCode.results(machine, since: start)
        #expect(results == Array(repeating: "wrong", count: written.count))
      }
    }

    /// Signs in with a correct code once for each of several damaged images of the same store.
    static func withEachSpoilt(
      _ machine: Machine, _ spoil: (StoreFiles.Image) -> [StoreFiles.Image]
    ) throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      let service = try machine.makeService(OneCode.stack)
      let files = StoreFiles(of: user.name)
      let image = try files.image()
      let spoilt = spoil(image)
      let code = try enrollment.phone.code()
      let start = try machine.log.position()
      for (index, bad) in spoilt.enumerated() {
        try files.restore(bad)
        let outcome = try PAMClient.signIn(
          service: service, user: user.name, answers: [.text(code)])
        #expect(outcome.code == "PAM_AUTH_ERR", "case \(index): \(outcome)")
        #expect(try files.image() == bad, "case \(index) was overwritten")
      }
      let results = try OneCode.results(machine, since: start)
      #expect(results == Array(repeating: "error", count: spoilt.count))
      try files.restore(image)
      let outcome = try PAMClient.signIn(
        service: service, user: user.name, answers: [.text(try enrollment.phone.code())])
      #expect(outcome.code == "PAM_SUCCESS", "the store was not restored: \(outcome)")
    }
  }
}
