import MFABase
import MFAModel
import Testing

/// A configuration in several files, of which later ones override earlier ones.
@Suite struct LayerTests {
  struct Row: Sendable {
    let texts: [String]
    /// The equivalent single text.
    let result: String

    init(_ texts: [String], _ result: String) {
      self.texts = texts
      self.result = result
    }
  }

  @Test(
    "a setting in a later file replaces that of an earlier one",
    arguments: [
      Row([""], ""),
      Row(["", "[project]\n", "[project]\nstate = observe\n"], "[project]\nstate = observe\n"),
      Row(
        ["[project]\nstate = observe\nissuer = A\n", "[project]\nissuer = B\n"],
        "[project]\nstate = observe\nissuer = B\n"),
      Row(
        ["[project]\nstate = observe\n", "# nothing\n", "[project]\nstate = enabled\n"],
        "[project]\n"),
      Row(
        ["[tenant a]\nusers = x\nstate = observe\n", "[tenant a]\nstate = disabled\n"],
        "[tenant a]\nusers = x\nstate = disabled\n"),
      // A list is replaced, not extended.
      Row(["[tenant a]\nusers = x, y\n", "[tenant a]\nusers = z\n"], "[tenant a]\nusers = z\n"),
      Row(
        ["[tenant a]\nnetworks = ::/0\ngroups = g\n", "[tenant a]\nnetworks = 10.0.0.0/8\n"],
        "[tenant a]\nnetworks = 10.0.0.0/8\ngroups = g\n"),
      // A tenant keeps the position of its first section.
      Row(
        [
          "[tenant b]\nusers = x\n", "[tenant a]\nusers = x\n[tenant b]\nstate = observe\n",
          "[tenant c]\nusers = x\n[tenant a]\nstate = disabled\n",
        ],
        "[tenant b]\nusers = x\nstate = observe\n[tenant a]\nusers = x\nstate = disabled\n"
          + "[tenant c]\nusers = x\n"),
      // A tenant's selectors may be in a different file, before or after.
      Row(
        ["[tenant a]\nstate = observe\n", "[tenant a]\nusers = x\n"],
        "[tenant a]\nusers = x\nstate = observe\n"),
      // The line feed at the end of a file is optional.
      Row(
        ["[project]\nstate = observe", "[tenant a]\nusers = x", "[project]\nissuer = A"],
        "[project]\nstate = observe\nissuer = A\n[tenant a]\nusers = x\n"),
      // A contradiction between two files is accepted if a third file resolves it.
      Row(
        [
          "[project]\nthrottle_first_wait = 10m\n", "[project]\nthrottle_longest_wait = 5m\n",
          "[project]\nthrottle_first_wait = 5m\n",
        ], "[project]\nthrottle_first_wait = 5m\nthrottle_longest_wait = 5m\n"),
      Row(
        ["[project]\nenrollment = offered\n", "[project]\noffer_sign_ins = 3\n"],
        "[project]\nenrollment = offered\noffer_sign_ins = 3\n"),
    ])
  func laterFilesWin(_ row: Row) throws {
    #expect(try layered(row.texts) == parse(row.result), "\(row)")
  }

  struct Refused: Sendable {
    let texts: [String]
    let file: UInt16
    let line: Int
    let reason: ConfigurationError.Reason

    init(
      _ texts: [String], file: UInt16, line: Int,
      _ reason: ConfigurationError.Reason
    ) {
      self.texts = texts
      self.file = file
      self.line = line
      self.reason = reason
    }
  }

  /// MUST 1.
  @Test(
    "an error names the file and line that were read last",
    arguments: [
      Refused(
        ["[project]\nstate = off\n", "[project]\nissuer = :\n"], file: 0, line: 2,
        .invalidValue(.state, excerpt("off"))),
      Refused(
        ["[project]\nstate = observe\n", "\n[project]\nstate = off\n"], file: 1, line: 3,
        .invalidValue(.state, excerpt("off"))),
      // Repetition within one file is an error, whatever other files contain.
      Refused(
        ["[project]\n", "[project]\n\n[project]\n"], file: 1, line: 3,
        .repeatedSection(firstLine: 1)),
      Refused(
        ["[tenant a]\nusers=x\n", "\n[tenant a]\n[tenant a]\n"], file: 1, line: 3,
        .repeatedName(excerpt("a"), of: .tenant, firstLine: 2)),
      Refused(
        ["[project]\nstate = observe\n", "[project]\nstate = observe\nstate = observe\n"],
        file: 1, line: 3, .repeatedKey(.state, firstLine: 2)),
      // A section ends with its file.
      Refused(
        ["[project]\n", "state = observe\n"], file: 1, line: 1,
        .outsideSection(excerpt("state"))),
      Refused(
        [
          "", "[project]\nthrottle_first_wait = 10m\n", "\n[project]\nthrottle_longest_wait = 5m\n",
        ],
        file: 2, line: 3,
        .belowLimit(.throttleLongestWait, limit: .throttleFirstWait, excerpt("10m"))
      ),
      // The line number is higher in the file that was read first.
      Refused(
        ["\n\n\n[project]\ndisable_after = 8\n", "[project]\nthrottle_after = 9\n"], file: 1,
        line: 2, .aboveLimit(.throttleAfter, limit: .disableAfter, excerpt("8"))),
      Refused(
        ["[tenant a]\nusers = x\nthrottle_after = 9\n", "[project]\ndisable_after = 8\n"],
        file: 0, line: 3, .aboveLimit(.throttleAfter, limit: .disableAfter, excerpt("8"))),
      Refused(
        ["[project]\nenrollment = offered\noffer_sign_ins = 1\n", "[project]\noffer_sign_ins=0"],
        file: 1, line: 2, .offerNeverEnds),
      Refused(
        ["[tenant a]\nstate = observe\n", "[tenant a]\nstate = enabled\n"], file: 1, line: 1,
        .noSelector(excerpt("a"))),
      Refused([manyTenants(64), "[tenant x]\n"], file: 1, line: 1, .tooMany(.tenant)),
      Refused(
        ["[project]\n", String(repeating: "\n", count: 65_537)], file: 1, line: 0, .fileTooLong),
    ])
  func refuses(_ row: Refused) {
    do throws(ConfigurationError) {
      _ = try layered(row.texts)
      Issue.record("\(row)")
    } catch {
      #expect(
        error
          == ConfigurationError(in: Array("file\(row.file)".utf8), line: row.line, row.reason),
        "\(row): \(error)")
    }
  }

  @Test("a tenant with sections in several files counts once towards the limit of sixty-four")
  func tenantsAreCountedOnce() throws {
    #expect(try layered([manyTenants(64), manyTenants(64)]).tenants.count == 64)
  }

  @Test("each value has the file and line of its source")
  func origins() throws {
    let configuration = try layered([
      "[project]\nstate = observe\nadjacent_intervals = 3\n",
      "# comment\n[tenant a]\nusers = x\nstate = observe\n\n[project]\nadjacent_intervals = 4\n",
      "[tenant a]\nusers = y\n",
    ])
    let tenant = try #require(configuration.tenants.first)
    let rows: [(Configuration.Key, Tenant?, String?, String?)] = [
      (.state, nil, "observe", "file0:2"),
      (.adjacentIntervals, nil, "4", "file1:7"),
      (.throttleAfter, nil, "5", nil),
      (.issuer, nil, nil, nil),
      (.users, tenant, "y", "file2:2"),
      (.state, tenant, "observe", "file1:4"),
      (.adjacentIntervals, tenant, nil, nil),
    ]
    for (number, (key, tenant, value, place)) in rows.enumerated() {
      #expect(configuration.value(of: key, in: tenant).map(readable) == value, "row \(number)")
      let origin = configuration.origin(of: key, in: tenant)
      #expect(origin.map { readable(configuration.place(of: $0)) } == place, "row \(number)")
    }
  }

  @Test("a file one byte shorter than the limit has correct line numbers")
  func theLastLine() throws {
    let count = Configuration.maximumLength - 1 - "[project]\nissuer=a".utf8.count
    let text = "[project]\n" + String(repeating: "\n", count: count) + "issuer=a\n"
    let configuration = try layered([text])
    let origin = try #require(configuration.origin(of: .issuer))
    #expect(Int(origin.line) == count + 2)
    #expect(readable(configuration.place(of: origin)) == "file0:\(count + 2)")
  }

  @Test(
    "different configurations have different fingerprints, and the newest file is known"
  )
  func configurationFingerprint() throws {
    let texts = [
      ["[project]\n"], ["[project]\n\n"], ["[project]\n", ""], ["", "[project]\n"],
      ["[project]\nstate = enabled\n"], ["[project]\n", "[project]\n"],
    ]
    let fingerprints = try texts.map { try layered($0).fingerprint.value }
    #expect(Set(fingerprints).count == texts.count && !fingerprints.contains(0))
    for text in texts {
      #expect(try layered(text).fingerprint == layered(text).fingerprint, "\(text)")
    }
    #expect(Configuration.defaults.fingerprint.value == 0)
    // The expected values use the FNV-1a test vectors for `a` and NUL, and for an empty text and
    // NUL, one after the other.
    var draft = ConfigurationDraft()
    try draft.add([UInt8]().span, from: Array("a".utf8))
    #expect(try draft.finish().fingerprint.value == FNV.hash(Array("a\0\0".utf8)))

    for (row, times, newest) in [(1, [5, 9, 7], 1), (2, [9, 9, 7], 1), (3, [0, 0, 0], 2)] {
      var draft = ConfigurationDraft()
      for (number, time) in times.enumerated() {
        try draft.add([UInt8]().span, from: Array("file\(number)".utf8), writtenAt: Int64(time))
      }
      let fingerprint = try draft.finish().fingerprint
      #expect(readable(fingerprint.newestFile) == "file\(newest)", "row \(row)")
      #expect(fingerprint.newestChange == Int64(times[newest]), "row \(row)")
    }
  }
}

/// The hash according to its definition, for comparison; the hash of `a` is AF63DC4C8601EC8C.
private enum FNV {
  static func hash(_ bytes: [UInt8]) -> UInt64 {
    var low: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes {
      low ^= UInt64(byte)
      // The prime 2^40 + 2^8 + 0xB3, with shifts.
      low = (low << 40) &+ (low << 8) &+ low &* 0xB3
    }
    return low
  }
}

/// Returns the configuration of texts, from files named `file0`, `file1` and so on.
private func layered(_ texts: [String]) throws(ConfigurationError) -> Configuration {
  var draft = ConfigurationDraft()
  for (number, text) in texts.enumerated() {
    try draft.add(Array(text.utf8).span, from: Array("file\(number)".utf8))
  }
  return try draft.finish()
}
