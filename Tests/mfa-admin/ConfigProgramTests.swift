import MFATestSupport
import Testing

/// The installed `mfa-admin config`.
@Suite(.privateMachine, .serialized) struct ConfigProgramTests {
  static let program = "/usr/sbin/mfa-admin"
  static let folder = "/etc/mfa/mfa.conf.d"
  static let own = folder + "/50-identity-platform.conf"
  static let json =
    #"{"mfa":{"providerConfigs":[{"state":"ENABLED","totpProviderConfig":{"adjacentIntervals":2}}]}}"#

  func run(_ arguments: String..., as identity: Identity = .current) throws -> Command {
    try Command.run([Self.program, "config"] + arguments, as: identity)
  }

  /// Provides a machine with this text in /etc/mfa/mfa.conf.
  func withMachine(_ text: String, _ body: (Machine) throws -> Void) throws {
    try Machine.use { machine in
      try machine.keep(Self.folder)
      try machine.writeConfiguration(text)
      try body(machine)
    }
  }

  @Test("check reports the first mistake of each file, also for files that are not installed yet")
  func check() throws {
    try withMachine("[project]\n") { machine in
      let content = try run("check")
      #expect(content.status == .exited(0) && content.errorText.isEmpty, "\(content.errorText)")
      #expect(content.text == "/etc/mfa/mfa.conf: no mistake\n")

      try machine.writeConfiguration("[project]\nadjacent_intervals = 11\nstate = on\n")
      try machine.write("[project]\n\nstate = on\n", to: Self.folder + "/a.conf")
      try machine.write("[project]\n", to: Self.folder + "/b.conf", mode: "0666")
      let broken = try run("check")
      #expect(broken.status == .exited(1) && broken.output.isEmpty)
      let lines = broken.errorText.split(separator: "\n")
      #expect(lines.count == 6, "\(lines)")
      #expect(
        lines[0] == "mfa-admin: error: /etc/mfa/mfa.conf:2: adjacent_intervals: must be a whole "
          + "number from 0 to 10, not \"11\"")
      #expect(
        lines[1] == "mfa-admin: error: \(Self.folder)/a.conf:3: state: must be enabled, disabled "
          + "or observe, not \"on\"")
      #expect(lines[2].contains("\(Self.folder)/b.conf is not trusted: wrong-permissions"))
      #expect(lines[3] == "mfa-admin: hint: mfa-admin repair")
      #expect(lines[4] == "mfa-admin: error: 3 mistakes were found")
      #expect(try run("show").status == .exited(1))

      let first = machine.folder + "/first"
      let second = machine.folder + "/second"
      try machine.write("[project]\nthrottle_after = 9\n", to: first, mode: "0666")
      try machine.write("[project]\ndisable_after = 8\n", to: second)
      let named = try run("check", first, second)
      #expect(named.status == .exited(1))
      #expect(named.errorText.contains("\(second):2: disable_after: must not be smaller than"))
      let turned = try run("check", second, first)
      #expect(turned.errorText.contains("\(first):2: throttle_after: must not be larger than"))
      #expect(try run("check", first).text == "\(first): no mistake\n")
      let fifo = machine.folder + "/fifo"
      try Command.succeed(["/usr/bin/mkfifo", fifo])
      let hanging = try run("check", fifo)
      #expect(
        hanging.status == .exited(1)
          && hanging.errorText.contains("/fifo is not trusted: not-a-regular-file"),
        "\(hanging.errorText)")
      let missing = try run("check", machine.folder + "/third")
      #expect(missing.status == .exited(1) && missing.errorText.contains("/third cannot be read: "))
    }
  }

  @Test("show prints each effective setting and its source, and every user may run it")
  func show() throws {
    try withMachine("[project]\nadjacent_intervals = 3\n[tenant a]\nusers = x\n") { machine in
      try machine.write(
        "[tenant a]\nadjacent_intervals = 4\nstate = disabled\n", to: Self.folder + "/a.conf")
      let user = try machine.addUser()
      let text = try run("show", as: user.identity)
      #expect(text.status == .exited(0), "\(text.errorText)")
      #expect(text.text.contains("\nadjacent_intervals = 3  # /etc/mfa/mfa.conf:2\n"))
      #expect(text.text.contains("\nstate = disabled  # \(Self.folder)/a.conf:3\n"))
      let project = try run("show", "--json").text.filter { !$0.isWhitespace }
      #expect(project == Self.json.replacing("2", with: "3"))
      let tenant = try run("show", "--json", "--tenant", "a").text.filter { !$0.isWhitespace }
      #expect(
        tenant
          == Self.json.replacing("2", with: "4").replacing("mfa", with: "mfaConfig")
          .replacing("ENABLED", with: "DISABLED"))
      let nobody = try run("show", "--tenant", "b")
      #expect(nobody.status == .exited(2) && nobody.errorText.contains("no tenant \"b\""))
    }
  }

  @Test("apply writes its drop-in atomically, logs the change, and keeps settings of other tenants")
  func apply() throws {
    try withMachine("[project]\n[tenant a]\nusers = x\n") { machine in
      let file = machine.folder + "/project.json"
      try machine.write(Self.json, to: file)
      let dry = try run("apply", "--dry-run", file)
      #expect(dry.status == .exited(0), "\(dry.errorText)")
      #expect(
        dry.text.hasSuffix(
          "[project]\nstate = enabled\nadjacent_intervals = 2\nfactors = totp\n"))
      #expect(machine.contents(of: Self.own) == nil)

      let start = try machine.log.position()
      let applied = try run("apply", file)
      #expect(applied.status == .exited(0) && applied.errorText.isEmpty, "\(applied.errorText)")
      #expect(
        applied.text
          == "\(Self.own): written\nno service calls pam_mfa.so, so no sign-in changes\n")
      #expect(machine.contents(of: Self.own) == dry.output)
      let mode = try Command.succeed(["/usr/bin/stat", "-c", "%U %G %a %h", Self.own])
      #expect(mode == "root root 644 1\n")
      #expect(try Command.succeed(["/bin/ls", "-A", Self.folder]) == "50-identity-platform.conf\n")
      let entries = try machine.log.entries(since: start).filter { $0.line.contains("mfa-admin") }
      let changed = "result=policy-changed configuration="
      let lines = entries.compactMap(\.messageBeforeMark)
      #expect(lines.count == 3 && lines[0].hasPrefix(changed) && lines[2].hasPrefix(changed))
      #expect(lines[1] == "result=configured file=\(Self.own) by=root")
      #expect(entries.last?.fields["newest"]?.hasPrefix(Self.own + "@20") == true)
      #expect(try run("show").text.contains("adjacent_intervals = 2  # \(Self.own):6\n"))

      let tenantFile = machine.folder + "/tenant.json"
      try machine.write(
        Self.json.replacing("mfa", with: "mfaConfig").replacing("2", with: "1"), to: tenantFile)
      #expect(try run("apply", tenantFile).status == .exited(1))
      #expect(try run("apply", tenantFile, "--tenant", "a").status == .exited(0))
      let both = try run("show").text
      #expect(both.contains("adjacent_intervals = 2  # \(Self.own):"), "\(both)")
      #expect(both.contains("adjacent_intervals = 1  # \(Self.own):"), "\(both)")

      let before = machine.contents(of: Self.own)
      for tenant in ["b", "a\nstate", ""] {
        let refused = try run("apply", tenantFile, "--tenant", tenant)
        #expect([.exited(1), .exited(2)].contains(refused.status), "\(refused.errorText)")
      }
      try machine.write(Self.json.replacing("2", with: "11"), to: file)
      let range = try run("apply", file)
      #expect(range.status == .exited(1))
      #expect(range.errorText.contains("adjacentIntervals: must be a whole number from 0 to 10"))
      try machine.write(Self.json.replacing("\"state\"", with: "\"state\" \""), to: file)
      let syntax = try run("apply", file)
      #expect(
        syntax.status == .exited(1)
          && syntax.errorText.contains("\(file): is not JSON: there must be a colon (line 1, "))
      let user = try machine.addUser()
      #expect(try run("apply", file, as: user.identity).status == .exited(77))
      #expect(machine.contents(of: Self.own) == before)
    }
  }

  /// What an administrator copies from the documents of Identity Platform, and what `show --json`
  /// prints, without white space.
  static let forms: [(tenant: String?, text: String, shown: String)] = [
    (
      nil,
      #"""
      {"mfa":{"providerConfigs":[{"state":"ENABLED","totpProviderConfig":{"adjacentIntervals":"5"}}]}}
      """#,
      #"""
      {"mfa":{"providerConfigs":[{"state":"ENABLED","totpProviderConfig":{"adjacentIntervals":"5"}}]}}
      """#
    ),
    (
      "a",
      #"{"mfaConfig": {"state": "ENABLED", "providerConfigs": [{"totpProviderConfig": {}}]}}"#,
      #"""
      {"mfaConfig":{"state":"ENABLED","providerConfigs":[{"totpProviderConfig":{}}]}}
      """#
    ),
    (
      nil,
      """
      {
            multiFactorConfig: {
                providerConfigs: [{
                    state: "ENABLED",
                    totpProviderConfig: {
                        adjacentIntervals: 1
                    }
                }]
            }
      }
      """,
      #"""
      {"multiFactorConfig":{"providerConfigs":[{"state":"ENABLED","totpProviderConfig":{"adjacentIntervals":1}}]}}
      """#
    ),
    (
      "a",
      """
      {
        multiFactorConfig: {
          state: 'DISABLED',
          providerConfigs: [{
            totpProviderConfig: { adjacentIntervals: 2 },
          }],
        }
      }
      """,
      #"""
      {"multiFactorConfig":{"state":"DISABLED","providerConfigs":[{"totpProviderConfig":{"adjacentIntervals":2}}]}}
      """#
    ),
  ]

  @Test("apply takes each form of Identity Platform, and show --json prints the same form")
  func formsOfIdentityPlatform() throws {
    try withMachine("[project]\nadjacent_intervals = 9\n[tenant a]\nusers = x\n") { machine in
      let file = machine.folder + "/settings"
      for form in Self.forms {
        let section = form.tenant.map { ["--tenant", $0] } ?? []
        func apply(_ text: String) throws -> String {
          try machine.write(text, to: file)
          try Command.succeed([Self.program, "config", "apply", file] + section)
          return try Command.succeed([Self.program, "config", "show", "--json"] + section)
        }
        let shown = try apply(form.text)
        #expect(shown.filter { !$0.isWhitespace } == form.shown)
        let written = machine.contents(of: Self.own)
        #expect(try apply(shown) == shown)
        #expect(machine.contents(of: Self.own) == written)
      }
      // The other section keeps its form, and later files change only the values.
      try machine.write("[project]\nadjacent_intervals = 7\n", to: Self.folder + "/z.conf")
      let project = try run("show", "--json").text.filter { !$0.isWhitespace }
      #expect(project == Self.forms[2].shown.replacing(":1}", with: ":7}"))
    }
  }

  @Test("a refusal names the member and what is allowed, and changes nothing")
  func refusedForms() throws {
    try withMachine("[project]\n") { machine in
      let file = machine.folder + "/settings"
      for (text, reason) in [
        (Self.json.replacing(":2", with: ":\"02\""), "adjacentIntervals: must be a whole number"),
        (
          Self.json.replacing(":2", with: ": NUM_ADJ_INTERVALS"),
          "has NUM_ADJ_INTERVALS as the value of adjacentIntervals; replace it with a whole "
            + "number from 0 to 10"
        ),
        (Self.json.replacing("mfa", with: "mfaConfig"), "mfaConfig: is the member of a tenant"),
        (
          "{multiFactorConfig: {state: 'ENABLED', factorIds: ['email']}}",
          "multiFactorConfig.factorIds[0]: must be \"phone\", not \"email\""
        ),
        ("updateProjectConfig({})", "copy the object only, from its { to its }"),
      ] {
        try machine.write(text, to: file)
        let refused = try run("apply", file)
        #expect(refused.status == .exited(1), "\(text)")
        #expect(refused.errorText.contains("\(file): "), "\(refused.errorText)")
        #expect(refused.errorText.contains(reason), "\(refused.errorText)")
        #expect(refused.errorText.contains("hint: IDENTITY PLATFORM in mfa-admin(8)"))
      }
      #expect(machine.contents(of: Self.own) == nil)
    }
  }

  @Test("concurrent apply commands lose no change")
  func applyAtTheSameTime() throws {
    let names = (1...8).map { "t\($0)" }
    let tenants = names.map { "[tenant \($0)]\nusers = x\n" }.joined()
    try withMachine(tenants) { machine in
      let file = machine.folder + "/tenant.json"
      try machine.write(Self.json.replacing("mfa", with: "mfaConfig"), to: file)
      // Each write is delayed, as on a busy disk.
      let slowly =
        "/usr/bin/strace -f -qq -o /dev/null -e trace=pwrite64 -e "
        + "inject=pwrite64:delay_exit=100000 "
      let commands = names.map {
        "\(slowly)\(Self.program) config apply \(file) --tenant \($0) & "
      }
      try Command.succeed(["/bin/sh", "-c", commands.joined() + "wait"])
      let text = machine.text(of: Self.own)
      for name in names {
        #expect(
          text.contains("[tenant \(name)]\nstate = enabled\nadjacent_intervals = 2\n"), "\(text)")
      }
    }
  }

  @Test("template prints the mfa.conf of this version, also if the configuration has a mistake")
  func template() throws {
    try withMachine("[project]\nstate = on\n") { machine in
      let template = try run("template")
      #expect(template.status == .exited(0) && template.errorText.isEmpty, "\(template.errorText)")
      let file = machine.folder + "/template"
      try machine.write(template.text, to: file)
      #expect(try run("check", file).text == "\(file): no mistake\n")
      try Command.succeed(["/usr/bin/cmp", file, Checkout.folder + "/packaging/mfa.conf"])
    }
  }

  @Test("check warns about a setting without effect, which does not deny sign-ins")
  func settingWithoutEffect() throws {
    try withMachine("[project]\nremember = 8h\noffer_until = 2030-12-31\n") { _ in
      let check = try run("check")
      #expect(check.status == .exited(0))
      #expect(check.text == "/etc/mfa/mfa.conf: no mistake\n")
      #expect(
        check.errorText == """
          mfa-admin: warning: /etc/mfa/mfa.conf:3: offer_until has no effect unless enrollment = \
          offered is set
          mfa-admin: warning: /etc/mfa/mfa.conf:2: remember has no effect unless remember_services \
          is set

          """)
      #expect(try run("show").status == .exited(0))
    }
  }

  @Test("check, show and apply note that no code is sent to phones that a line allows")
  func phonesWithoutGateway() throws {
    try withMachine("[project]\n") { machine in
      let file = machine.folder + "/file"
      let start = "factors allows "
      for (lines, note) in [
        (
          "factors = totp, phone",
          "phones, but no code is sent to them until gateway and regions are set"
        ),
        (
          "factors = phone\ngateway = /g",
          "only phones, but no code is sent to them until regions is set"
        ),
        (
          "factors = phone\nenrollment = required",
          "only phones, but no code is sent to them until gateway and regions are set: users who have to "
            + "enrol are denied"
        ),
        (
          "factors = phone\nenrollment = offered\noffer_until = 2030-12-31",
          "only phones, but no code is sent to them until gateway and regions are set: users who are to "
            + "enrol can add nothing"
        ),
        ("factors = totp", nil), ("factors = phone\ngateway = /g\nregions = +33", nil), ("", nil),
      ] {
        try machine.write("[project]\n\(lines)\n", to: file)
        let check = try run("check", file)
        #expect(check.status == .exited(0))
        let expected = note.map { "mfa-admin: note: \(file):2: \(start)\($0)\n" } ?? ""
        #expect(check.errorText.hasSuffix(expected), "\(check.errorText)")
        #expect(check.errorText.contains(start) == (note != nil), "\(check.errorText)")
      }
      try machine.write("{multiFactorConfig: {state: 'ENABLED', factorIds: ['phone']}}", to: file)
      for command in [["apply", file, "--dry-run"], ["apply", file], ["show"], ["check"]] {
        let told = try Command.run([Self.program, "config"] + command)
        #expect(told.status == .exited(0))
        #expect(
          told.errorText.contains("mfa-admin: note: \(Self.own):7: \(start)phones, but no code"),
          "\(command) \(told.errorText)")
      }
    }
  }

  @Test("only root can block changes to the configuration")
  func onlyRootCanBlockChanges() throws {
    try withMachine("[project]\n") { machine in
      let file = machine.folder + "/project.json"
      try machine.write(Self.json, to: file)
      try Command.succeed([Self.program, "config", "apply", file])
      // Another user opens and locks every reachable path to the configuration, and the lock file.
      let script = """
        for path in /etc/mfa /etc/mfa/mfa.conf /etc/mfa/mfa.conf.d /etc/mfa/mfa.conf.d/* \
          /run /run/mfa-config.lock; do
          setpriv --reuid=nobody --clear-groups flock --nonblock --no-fork "$path" sleep 60 2>/dev/null &
        done
        until [ "$(pgrep --count --exact sleep --uid nobody)" -ge 4 ]; do sleep 0.01; done
        timeout 5 "$0" config apply "$1"
        echo "status $?"
        kill $(jobs -p)
        """
      let output = try Command.succeed(["/bin/bash", "-c", script, Self.program, file])
      #expect(output.contains("status 0"), "\(output)")
      // A file that another user put in place of the lock file is not used.
      try machine.remove("/run/mfa-config.lock")
      for spoil in [
        "ln -s /etc/mfa/mfa.conf /run/mfa-config.lock",
        "install -m 0644 /dev/null /run/mfa-config.lock",
        "install -m 0600 -o nobody /dev/null /run/mfa-config.lock",
        "mkfifo -m 0600 /run/mfa-config.lock; ln /run/mfa-config.lock /run/mfa-config.other",
      ] {
        try Command.succeed(["/bin/sh", "-ec", "rm -f /run/mfa-config.*; \(spoil)"])
        let refused = try Command.run([Self.program, "config", "apply", file])
        #expect(refused.status == .exited(1), "\(spoil)")
        #expect(refused.errorText.contains("/run/mfa-config.lock"), "\(refused.errorText)")
      }
      try Command.succeed(["/bin/sh", "-ec", "rm -f /run/mfa-config.*"])
    }
  }

  @Test("apply changes nothing if any of its system calls fails")
  func applyFails() throws {
    try withMachine("[project]\n") { machine in
      let file = machine.folder + "/project.json"
      try machine.write(Self.json, to: file)
      let old = "[project]\nstate = disabled\n"
      try machine.write(old, to: Self.own)
      for call in ["pwrite64", "fchmod", "fsync", "rename,renameat,renameat2"] {
        // This records the current configuration in the audit log, so that the failing call is one
        // of `apply` itself.
        try Command.succeed([Self.program, "list"])
        let failed = try Command.run([
          "/usr/bin/strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=\(call)", "-e",
          "inject=\(call):error=ENOSPC:when=1", Self.program, "config", "apply", file,
        ])
        #expect(failed.status == .exited(1), "\(call): \(failed.errorText)")
        #expect(failed.errorText.contains("No space left on device"), "\(call)")
        #expect(machine.contents(of: Self.own) == Array(old.utf8), "\(call)")
        #expect(
          try Command.succeed(["/bin/ls", "-A", Self.folder]) == "50-identity-platform.conf\n")
        // Files left behind by a killed process do no harm.
        _ = try Command.run([
          "/usr/bin/strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=\(call)", "-e",
          "inject=\(call):signal=KILL:when=1", Self.program, "config", "apply", file,
        ])
        #expect(try run("check").status == .exited(0), "\(call)")
        #expect(try run("apply", file).status == .exited(0), "\(call)")
        #expect(
          try Command.succeed(["/bin/ls", "-A", Self.folder]) == "50-identity-platform.conf\n")
        try machine.write(old, to: Self.own)
      }
      try Command.succeed(["/bin/rm", "-r", Self.folder])
      let noFolder = try run("apply", file)
      #expect(noFolder.status == .exited(1))
      #expect(
        noFolder.errorText.contains("hint: install -d -o root -g root -m 0755 \(Self.folder)"))
    }
  }
}
