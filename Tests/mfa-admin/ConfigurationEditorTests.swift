import MFATestSupport
import Testing

/// The installed `mfa-admin config edit`, at a terminal, with scripts as editors.
@Suite(.privateMachine, .serialized) struct ConfigurationEditorTests {
  static let file = "/etc/mfa/mfa.conf"
  static let good = "# kept\n[project]\nstate = enabled\n"
  static let arguments = ["/usr/sbin/mfa-admin", "config", "edit"]

  /// Provides a machine with a configuration, and an editor that runs these commands on the copy `$1`.
  private func withEditor(
    _ script: String,
    _ body: (Machine, _ start: ([String]) throws -> TerminalSession) throws -> Void
  ) throws {
    try Machine.use { machine in
      try machine.keepConfiguration()
      try machine.writeConfiguration(Self.good)
      let editor = machine.folder + "/editor"
      try machine.write("#!/bin/sh\n" + script, to: editor, mode: "0755")
      try body(machine) { more in
        try TerminalSession(
          Self.arguments + more, environment: ["VISUAL": editor, "EDITOR": "/bin/false"])
      }
      #expect(try Command.run(["/bin/ls", "/run/mfa-config-edit"]).status != .exited(0))
      #expect(try Command.succeed(["/usr/bin/find", "/etc/mfa", "-name", ".*"]) == "")
    }
  }

  @Test("a change is checked and written, the former file kept, and the effect told")
  func change() throws {
    try withEditor(
      "sed -i s/enabled/disabled/ \"$1\"; stat -c 'copy %a %U' \"$1\"; touch \"$1~\"\n"
    ) { machine, start in
      let session = try start([])
      #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
      for line in [
        "copy 600 root", "\(Self.file): written", "\(Self.file).old: the version before",
      ] {
        #expect(session.text.contains(line), "\(session.transcript)")
      }
      #expect(machine.text(of: Self.file) == Self.good.replacing("enabled", with: "disabled"))
      #expect(machine.text(of: Self.file + ".old") == Self.good)
      #expect(
        try Command.succeed(["/usr/bin/stat", "-c", "%U %G %a", Self.file]) == "root root 644\n")
      #expect(
        session.text.contains("decided as before") || session.text.contains("no service calls"),
        "\(session.transcript)")
      try machine.keep("/etc/mfa/mfa.conf.d")
      let json = machine.folder + "/settings.json"
      try machine.write(
        #"{"mfa":{"providerConfigs":[{"state":"ENABLED","totpProviderConfig":{}}]}}"#, to: json)
      let applied = try machine.mustAdminister("config", "apply", json).text
      #expect(
        applied.contains("decided as before") || applied.contains("no service calls"), "\(applied)")
    }
  }

  @Test("without a change, and if the editor fails, nothing is written")
  func unchanged() throws {
    try withEditor("exit $(cat \(Self.file).status 2>/dev/null || echo 0)\n") { machine, start in
      let same = try start([])
      try same.expect("\(Self.file): nothing was changed")
      #expect(try same.waitForExit() == .exited(0))
      try machine.write("3", to: Self.file + ".status")
      let failed = try start([])
      try failed.expect("ended with the status 3; nothing was changed")
      #expect(try failed.waitForExit() == .exited(1))
      #expect(machine.text(of: Self.file) == Self.good)
    }
  }

  /// Writes a mistake first, and corrects it the second time.
  static let twice =
    "if grep -q disbled \"$1\"; then sed -i s/disbled/disabled/ \"$1\"; else sed -i s/enabled/disbled/ \"$1\"; fi\n"

  @Test("after a mistake, it can be corrected or discarded, and never written")
  func mistake() throws {
    try withEditor(Self.twice) { machine, start in
      for answer in ["d", "discard", "\u{4}"] {
        let session = try start([])
        try session.expect(
          "\(Self.file):3: state: must be enabled, disabled or observe, not \"disbled\"")
        try session.expect("[edit/discard] ")
        if answer == "\u{4}" { try session.sendKeys([4]) } else { try session.send(answer) }
        try session.expect("your changes were discarded; nothing was changed")
        #expect(try session.waitForExit() == .exited(1), "\(session.transcript)")
        #expect(machine.text(of: Self.file) == Self.good)
      }
      // Ctrl-C at the question leaves no file.
      let interrupted = try start([])
      try interrupted.expect("[edit/discard] ")
      try interrupted.sendKeys([3])
      #expect(try interrupted.waitForExit() != .exited(0))
      #expect(machine.text(of: Self.file) == Self.good)

      let session = try start([])
      try session.answer("[edit/discard] ", with: "install")
      try session.answer("[edit/discard] ", with: "")
      try session.answer("[edit/discard] ", with: "edit")
      try session.expect("\(Self.file): written")
      #expect(try session.waitForExit() == .exited(0), "\(session.transcript)")
      #expect(machine.text(of: Self.file).contains("\nstate = disabled\n"))
    }
  }

  @Test("Ctrl-C in the editor changes nothing, and leaves no file")
  func interrupted() throws {
    try withEditor("echo x >>\"$1\"; echo editing; exec sleep 1000\n") { machine, start in
      let session = try start([])
      try session.expect("editing")
      try session.sendKeys([3])
      try session.expect("was ended by a signal; nothing was changed")
      #expect(try session.waitForExit() == .exited(1), "\(session.transcript)")
      #expect(machine.text(of: Self.file) == Self.good)
    }
  }

  @Test("other commands change the configuration while an editor runs, and lose nothing")
  func otherCommands() throws {
    try withEditor("sed -i s/enabled/observe/ \"$1\"; echo editing; read line\n") {
      machine, start in
      let first = try start([])
      try first.expect("editing")
      let second = try start([])
      try second.expect("the configuration is being edited already")
      #expect(try second.waitForExit() == .exited(1))
      try machine.mustAdminister("config", "set", "issuer", "Example")
      try first.send("")
      try first.expect("\(Self.file) was changed while you edited it; nothing was written")
      try first.expect("+issuer = Example")
      #expect(machine.text(of: Self.file) == Self.good + "issuer = Example\n")
      try first.answer("[edit/discard] ", with: "e")
      try first.expect("editing")
      try first.send("")
      try first.expect("\(Self.file): written")
      #expect(try first.waitForExit() == .exited(0), "\(first.transcript)")
      #expect(machine.text(of: Self.file) == Self.good.replacing("enabled", with: "observe"))
      #expect(machine.text(of: Self.file + ".old") == Self.good + "issuer = Example\n")
    }
  }

  @Test("the file of a tenant, a new file, no terminal, and no editor")
  func places() throws {
    try withEditor("printf '[tenant a]\\nusers = x\\n' >\"$1\"; echo \"$1\"\n") { machine, start in
      let new = try start(["--file", "20-a.conf"])
      #expect(try new.waitForExit() == .exited(0), "\(new.transcript)")
      let path = "/etc/mfa/mfa.conf.d/20-a.conf"
      #expect(machine.text(of: path) == "[tenant a]\nusers = x\n")
      let tenant = try start(["--tenant", "a"])
      try tenant.expect("/run/mfa-config-edit/20-a.conf")
      try tenant.expect("\(path): nothing was changed")
      #expect(try tenant.waitForExit() == .exited(0), "\(tenant.transcript)")
      let unknown = try start(["--tenant", "b"])
      try unknown.expect("no tenant \"b\"")
      #expect(try unknown.waitForExit() == .exited(2))

      let noTerminal = try Command.run(Self.arguments)
      #expect(noTerminal.status == .exited(64), "\(noTerminal.errorText)")
      #expect(noTerminal.errorText.contains("an editor needs a terminal"))
      #expect(noTerminal.errorText.contains("mfa-admin config set"))
      let noEditor = try TerminalSession(
        Self.arguments, environment: ["EDITOR": "there-is-none -x"])
      try noEditor.expect("there is no editor there-is-none")
      #expect(try noEditor.waitForExit() == .exited(1))
    }
  }

  @Test("config set names a similar key, and --unset returns to the default")
  func set() throws {
    try withEditor("") { machine, _ in
      func set(_ arguments: String...) throws -> Command {
        try Command.run(["/usr/sbin/mfa-admin", "config", "set"] + arguments)
      }
      let unknown = try set("throttle_aftr", "3")
      #expect(unknown.status == .exited(1))
      #expect(
        unknown.errorText.contains(
          "unknown key \"throttle_aftr\"; the keys of [project] are state,"))
      #expect(
        unknown.errorText.contains("hint: did you mean throttle_after?"), "\(unknown.errorText)")
      #expect(try set("state", "on").errorText.contains("must be enabled, disabled or observe"))
      #expect(try set("state").status == .exited(64))
      #expect(try set("--unset", "state", "enabled").status == .exited(64))
      #expect(try set("--unset", "stat").errorText.contains("unknown key \"stat\""))
      #expect(machine.text(of: Self.file) == Self.good)
      let same = try set("state", "enabled")
      #expect(same.status == .exited(0) && same.text == "\(Self.file): nothing was changed\n")
      #expect(machine.contents(of: Self.file + ".old") == nil)
      let unset = try set("--unset", "state")
      #expect(unset.status == .exited(0), "\(unset.errorText)")
      #expect(unset.text.contains("no setting changed"), "\(unset.text)")
      #expect(machine.text(of: Self.file) == "# kept\n[project]\n")
      let again = try set("--unset", "state")
      #expect(again.status == .exited(0))
      #expect(again.text == "\(Self.file): does not set state; nothing was changed\n")
    }
  }
}
