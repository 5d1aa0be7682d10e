import Foundation
import MFAAttempt
import MFATestSupport
import Testing

extension EndToEnd {
  /// The gateways of packaging/gateways, with the programs that they are made for.
  @Suite("Shipped gateways") struct ShippedGateways {
    typealias Service = GatewayServiceTests

    private static func gateway(_ name: String) -> String { "/usr/lib/mfa/gateways/\(name)" }

    private static let texts = [
      "123456 is your code for host.", "123456 est votre code. \u{E9}\u{E8}\u{EA}",
      "\u{30B3}\u{30FC}\u{30C9}: 123456", "123456 " + String(repeating: "long text ", count: 30),
      // The messages of the catalogue, with a name of a host that makes them longer than 70 characters.
      "123456 \u{306F}\u{3001}\u{3053}\u{306E}\u{96FB}\u{8A71}\u{3092} host.example.com \u{306E}"
        + "\u{30A2}\u{30AB}\u{30A6}\u{30F3}\u{30C8}\u{306B}\u{8FFD}\u{52A0}\u{3059}\u{308B}"
        + "\u{305F}\u{3081}\u{306E}\u{30B3}\u{30FC}\u{30C9}\u{3067}\u{3059}\u{3002}\u{5FC3}"
        + "\u{5F53}\u{305F}\u{308A}\u{304C}\u{306A}\u{3044}\u{5834}\u{5408}\u{306F}\u{3001}"
        + "\u{3053}\u{306E}\u{30E1}\u{30C3}\u{30BB}\u{30FC}\u{30B8}\u{3092}\u{7121}\u{8996}"
        + "\u{3057}\u{3066}\u{304F}\u{3060}\u{3055}\u{3044}\u{3002}",
      "123456 est votre code \u{E0} usage unique pour host.example.com. "
        + "Ne le communiquez \u{E0} personne.",
      "123456 es tu c\u{F3}digo de un solo uso para host.example.com. No lo compartas con nadie.",
      // Characters of ASCII that take 14 bits, and one that does not exist in that alphabet.
      "123456 is your code for [a]{b}|c~d^e\\f.", "123456 is your code for `a`.",
      String(repeating: "1", count: 152) + "[" + String(repeating: "2", count: 10),
      // 134 units of UTF-16 are two parts, and a character of two units is at the end of the first.
      "123456 \u{3042}" + String(repeating: "x", count: 58) + "\u{1F511}"
        + String(repeating: "y", count: 60),
      // The longest texts of one message, and those that are one character longer.
      String(repeating: "1", count: 160), String(repeating: "1", count: 161),
      String(repeating: "\u{E9}", count: 70), String(repeating: "\u{E9}", count: 71),
    ]

    @Test("gammu-smsd: the phone sends the text, and no copy is left", arguments: texts)
    func gammu(text: String) throws {
      let phone = try GammuPhone(on: machine)
      let service = try GatewayService(on: machine)
      try service.select(GammuPhone.gateway)
      #expect(try Service.sendNow(text) == .accepted)
      let wasSent = Deadline.usual.waits { phone.log.contains("SMS sent on device") }
      let lines = phone.log
      #expect(wasSent, "\(lines)")
      #expect(lines.contains("sms to \"+15105551234\" with text \"\(text.prefix(60))"), "\(lines)")
      #expect(lines.contains(Self.isPlain(text) ? "7 bit SMS" : "Unicode SMS"), "\(lines)")
      #expect(try Deadline.usual.waits { try GammuPhone.spooled().isEmpty })
    }

    /// Whether 7 or 14 bits for each character are enough.
    private static func isPlain(_ text: String) -> Bool {
      text.unicodeScalars.allSatisfy { $0.isASCII && $0 != "`" }
    }

    /// What a phone receives of a text, in as few parts as possible.
    private static func received(_ text: String) -> SerialModem.Message {
      let isPlain = isPlain(text)
      let count = isPlain ? text.count + text.count { "[]{}|~^\\".contains($0) } : text.utf16.count
      let (whole, part) = isPlain ? (160, 153) : (70, 67)
      return SerialModem.Message(
        to: Service.number, text: text, parts: count <= whole ? 1 : (count + part - 1) / part,
        alphabet: isPlain ? "7 bits" : "UCS-2")
    }

    @Test("gammu-smsd with a modem: the phone receives exactly the text", arguments: texts)
    func gammuWithModem(text: String) throws {
      let modem = try SerialModem(on: machine, for: "gammu")
      _ = try GammuPhone(on: machine, modem: modem)
      let service = try GatewayService(on: machine)
      try service.select(GammuPhone.gateway)
      #expect(try Service.sendNow(text) == .accepted)
      #expect(try modem.messages(count: 1) == [Self.received(text)])
      #expect(try Deadline.usual.waits { try GammuPhone.spooled().isEmpty })
    }

    @Test(
      "gammu-smsd with Debian's settings: its log has no text, and the number in one kind of line")
    func gammuLog() throws {
      let phone = try GammuPhone(on: machine, debugLevel: 0)
      let service = try GatewayService(on: machine)
      try service.select(GammuPhone.gateway)
      #expect(try Service.sendNow("987654 is your code. " + Self.texts[4]) == .accepted)
      #expect(try Deadline.usual.waits { try GammuPhone.spooled().isEmpty })
      let lines = phone.log.split(separator: "\n")
      #expect(lines.contains { $0.contains("Transmitted OUTA-mfa-") }, "\(lines)")
      for line in lines {
        #expect(!line.contains("987654"), "\(line)")
        #expect(
          !line.contains("5551234")
            || line.contains(/Transmitted OUTA-mfa-[^+]* to \+15105551234,/),
          "\(line)")
      }
    }

    private static let watcherPattern = ["-u", "mfa-gateway", "-f", "/usr/lib/mfa/gateways/"]

    /// The processes of mfa-gateway that wait until they can delete messages.
    private static func watchers() throws -> [String] {
      try Command.run(["/usr/bin/pgrep"] + watcherPattern).text.split(separator: "\n")
        .map(String.init)
    }

    /// Kills the watchers. Their child processes come and go, so that a list of them is soon outdated.
    private static func killWatchers() throws {
      try Command.succeed(["/usr/bin/pkill", "-KILL"] + watcherPattern)
      #expect(try Deadline.usual.waits { try watchers().isEmpty })
    }

    @Test("one process waits until the messages can be deleted, however many there are")
    func oneWatcher() throws {
      let phone = try GammuPhone(on: machine)
      try phone.stop()
      let service = try GatewayService(on: machine)
      try service.select(GammuPhone.gateway)
      for number in 1...5 {
        #expect(try Service.sendNow("12345\(number)", id: UInt64(number)) == .accepted)
      }
      #expect(try GammuPhone.spooled().count == 5)
      #expect(try Deadline.usual.waits { try Self.watchers().count == 1 })
      try phone.start()
      #expect(try Deadline.usual.waits { try GammuPhone.spooled().isEmpty })
      #expect(try Deadline.usual.waits { try Self.watchers().isEmpty })
    }

    @Test(
      "a user who locks the folder, or takes the name of the watcher, keeps no code from deletion")
    func foreignLock() throws {
      let user = try machine.addUser()
      let phone = try GammuPhone(on: machine)
      try phone.stop()
      try Command.succeed(["/bin/chmod", "o+rx", GammuPhone.spool, GammuPhone.spool + "/outbox"])
      let script = """
        import fcntl, os, socket, time
        folder = os.open("\(GammuPhone.spool)/outbox", os.O_RDONLY)
        fcntl.flock(folder, fcntl.LOCK_EX)
        status = os.fstat(folder)
        claim = socket.socket(socket.AF_UNIX)
        claim.bind(f"\\0mfa-gateway-{status.st_dev}-{status.st_ino}")
        claim.listen()
        open("\(user.home)/locked", "w").close()
        time.sleep(600)
        """
      let attacker = try ChildProcess(["/usr/bin/python3", "-c", script], as: user.identity)
      defer { attacker.send(signal: SIGKILL) }
      #expect(Deadline.usual.waits { machine.contents(of: user.home + "/locked") != nil })
      let service = try GatewayService(on: machine)
      try service.select(GammuPhone.gateway)
      #expect(try Service.sendNow("123456 is your code.") == .accepted)
      try phone.start()
      #expect(try Deadline.usual.waits { try GammuPhone.spooled().isEmpty })
    }

    @Test(
      "after a stop or a restart of the service, and after a reboot, messages are deleted",
      arguments: ["the next message", "mfa-gateway-sweep.timer"])
    func interrupted(deletion: String) throws {
      let phone = try GammuPhone(on: machine)
      try phone.stop()
      let service = try GatewayService(on: machine)
      try service.select(GammuPhone.gateway)
      #expect(try Service.sendNow("123456") == .accepted)
      #expect(try Deadline.usual.waits { try Self.watchers().count == 1 })
      // systemd kills what is left of a service, and a reboot kills everything.
      try Self.killWatchers()
      try phone.start()
      #expect(
        try Deadline.usual.waits {
          try GammuPhone.spooled().contains { $0.hasPrefix(GammuPhone.spool + "/sent/") }
        })
      if deletion == "the next message" {
        #expect(try Service.sendNow("654321", id: 2) == .accepted)
      } else {
        try Command.succeed([Self.gateway("sweep")], as: .user("mfa-gateway"))
      }
      #expect(try Deadline.usual.waits { try GammuPhone.spooled().isEmpty })
    }

    @Test(
      "a sweep deletes the files of gateways that must go, and no others",
      arguments: [
        (1, "outbox/OUTA-mfa-1000000000-0123456789abcdef.smsbackup", "now", true),
        (2, "outbox/OUTA-mfa-9999999999-0123456789abcdef.smsbackup", "now", false),
        (3, "outbox/OUTA-mfa-9999999999-0123456789abcdef.smsbackup", "61 minutes ago", true),
        (4, "outbox/OUTA-mfa-9999999999-0123456789abcdef.smsbackup", "61 minutes", true),
        // A draft that another gateway is writing, and one of a gateway that was killed.
        (5, "outbox/.OUTA-mfa-9999999999-0123456789abcdef.smsbackup", "now", false),
        (6, "outbox/.OUTA-mfa-9999999999-0123456789abcdef.smsbackup", "1 minute ago", true),
        (7, "sent/OUTA-mfa-9999999999-0123456789abcdef.smsbackup", "now", true),
        (8, "error/OUTA-mfa-9999999999-0123456789abcdef.smsbackup", "now", true),
        (9, "outbox/OUTA20270131_090559_00_+15105551234_note.txt", "1 year ago", false),
        (10, "sent/OUTA20270131_090559_00_+15105551234_note.txt", "1 year ago", false),
        (11, "inbox/IN20270131_090559_00_+15105551234_00.txt", "1 year ago", false),
      ])
    func sweep(number: Int, path: String, time: String, isDeleted: Bool) throws {
      let phone = try GammuPhone(on: machine)
      try phone.stop()
      try machine.write("123456\n", to: "\(GammuPhone.spool)/\(path)", owner: "mfa-gateway")
      try Command.succeed(["/usr/bin/touch", "-d", time, "\(GammuPhone.spool)/\(path)"])
      let sweep = try ChildProcess([Self.gateway("sweep")], as: .user("mfa-gateway"))
      if isDeleted {
        #expect(try Deadline.usual.waits { try GammuPhone.spooled().isEmpty }, "row \(number)")
      } else if number == 2 || number == 5 {
        // The sweep waits for these files.
        #expect(try Deadline.usual.waits { try Self.watchers().count > 1 }, "row \(number)")
        try Self.killWatchers()
        #expect(try GammuPhone.spooled().count == 1, "row \(number)")
      } else {
        #expect(try sweep.wait() == .exited(0), "row \(number)")
        #expect(try GammuPhone.spooled().count == 1, "row \(number)")
      }
    }

    @Test("gammu-smsd: a file that cannot be completed is not left")
    func unfinishedFile() throws {
      let phone = try GammuPhone(on: machine)
      try phone.stop()
      let outbox = GammuPhone.spool + "/outbox"
      try machine.keep(GammuPhone.spool)
      // A file there cannot be given to the group of the folder.
      try Command.succeed(["/bin/chown", "root:root", outbox])
      try Command.succeed(["/bin/chmod", "0777", outbox])
      let service = try GatewayService(on: machine)
      try service.select(GammuPhone.gateway)
      #expect(try Service.sendNow("123456") == .failed(1))
      #expect(try GammuPhone.spooled().isEmpty)
    }

    @Test("gammu-smsd does not run: the message is deleted when its code expires")
    func gammuNotRunning() throws {
      try GammuPhone(on: machine).stop()
      let service = try GatewayService(on: machine)
      try service.select(GammuPhone.gateway)
      #expect(try Service.sendNow("123456 is your code.", validFor: 3) == .accepted)
      #expect(try GammuPhone.spooled().count == 1)
      #expect(try Deadline.usual.waits { try GammuPhone.spooled().isEmpty })
    }

    @Test(
      "gammu-smsd: a spool folder that cannot be used is a failure",
      arguments: ["chmod 0700 outbox", "mv outbox outbox.away"])
    func unusableSpool(script: String) throws {
      try GammuPhone(on: machine).stop()
      try machine.keep("/var/spool/gammu")
      try Command.succeed(["/bin/sh", "-ec", "cd /var/spool/gammu; \(script)"])
      let service = try GatewayService(on: machine)
      try service.select(GammuPhone.gateway)
      #expect(try Service.sendNow("123456") == .failed(1))
      #expect(try GammuPhone.spooled().isEmpty)
    }

    @Test("smstools3: the file in the outgoing folder is what smsd reads")
    func smstools() throws {
      let outgoing = machine.folder + "/outgoing"
      let sent = machine.folder + "/sent"
      for folder in [outgoing, sent] {
        try Command.succeed(
          ["/usr/bin/install", "-d", "-o", "mfa-gateway", "-g", "mfa", "-m", "2770", folder])
      }
      try machine.write(
        "outgoing = \(outgoing)\nchecked = \(machine.folder)/none\nsent = \(sent)\n",
        to: "/etc/smsd.conf")
      let service = try GatewayService(on: machine)
      try service.select(Self.gateway("smstools3"))
      #expect(try Service.sendNow("123456 \u{3042}") == .accepted)
      let files = try FileManager.default.contentsOfDirectory(atPath: outgoing)
      let name = try #require(files.first)
      #expect(name.wholeMatch(of: /mfa-[0-9]{10}-0123456789abcdef/) != nil, "\(files)")
      let body: [UInt8] = "123456 \u{3042}".utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
      #expect(
        machine.contents(of: "\(outgoing)/\(name)")
          == Array("To: 15105551234\nAlphabet: UCS2\nPriority: HIGH\n\n".utf8) + body)
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(outgoing)/\(name)")
      #expect(attributes[.posixPermissions] as? Int == 0o640)
      #expect(attributes[.groupOwnerAccountName] as? String == "mfa")
      try Command.succeed(["/bin/mv", "\(outgoing)/\(name)", sent])
      #expect(Deadline.usual.waits { !FileManager.default.fileExists(atPath: "\(sent)/\(name)") })
    }

    @Test("smstools3: the phone receives exactly the text, and no copy is left", arguments: texts)
    func smstoolsWithModem(text: String) throws {
      let modem = try SerialModem(on: machine, for: "smsd")
      _ = try SMSTools(on: machine, modem: modem)
      let service = try GatewayService(on: machine)
      try service.select(Self.gateway("smstools3"))
      #expect(try Service.sendNow(text) == .accepted)
      let message = try #require(try modem.messages(count: 1).first)
      #expect(message.to == Service.number)
      // smsd removes spaces at the end of a text that becomes several messages.
      #expect(message.text == text || message.text + " " == text)
      #expect(message.alphabet == (Self.isPlain(text) ? "7 bits" : "UCS-2"))
      #expect(try Deadline.usual.waits { try SMSTools.spooled().isEmpty })
    }

    @Test("smstools3: a message that waits for the modem is not deleted, and expires")
    func smstoolsWaiting() throws {
      _ = try SMSTools(on: machine, modem: nil)
      let service = try GatewayService(on: machine)
      try service.select(Self.gateway("smstools3"))
      let start = Int(Date().timeIntervalSince1970)
      #expect(try Service.sendNow("123456", validFor: 6) == .accepted)
      // smsd takes the message before it sends it.
      #expect(
        try Deadline.usual.waits {
          try SMSTools.spooled().contains { $0.contains("/checked/mfa-") }
        })
      #expect(try Deadline.usual.waits { try SMSTools.spooled().isEmpty })
      #expect(Int(Date().timeIntervalSince1970) >= start + 6)
    }

    @Test(
      "smstools3: where files stay that all users can read and only smsd can delete, nothing is sent",
      arguments: [SMSTools.Folders.withoutCopies, .withCopies])
    func smstoolsKeepsFiles(folders: SMSTools.Folders) throws {
      _ = try SMSTools(on: machine, modem: nil, folders)
      let service = try GatewayService(on: machine)
      try service.select(Self.gateway("smstools3"))
      #expect(try Service.sendNow("123456") == .failed(78))
      #expect(try SMSTools.spooled().isEmpty)
    }

    /// Runs a server for one request on loopback, which writes the request to a file and answers
    /// with a status.
    private func startServer(
      on machine: Machine, status: Int
    ) throws -> (port: String, request: String, process: ChildProcess) {
      let port = machine.folder + "/port"
      let request = machine.folder + "/request"
      let process = try ChildProcess([
        "/usr/bin/python3", "-c",
        """
        import http.server, os, sys
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                with open(sys.argv[2] + ".new", "wb") as file:
                    file.write((self.requestline + "\\n" + str(self.headers)).encode() + body)
                os.rename(sys.argv[2] + ".new", sys.argv[2])
                self.send_response(int(sys.argv[3]))
                self.end_headers()
            def log_message(self, *_): pass
        server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        with open(sys.argv[1] + ".new", "w") as file:
            file.write(str(server.server_port))
        os.rename(sys.argv[1] + ".new", sys.argv[1])
        server.serve_forever()
        """, port, request, "\(status)",
      ])
      #expect(Deadline.usual.waits { FileManager.default.fileExists(atPath: port) })
      return (
        machine.text(of: port), request, process
      )
    }

    @Test("json: the vendor gets the body with the message, and the credentials")
    func json() throws {
      let server = try startServer(on: machine, status: 202)
      try machine.write(
        """
        # comment
        url = http://127.0.0.1:\(server.port)/{a,b}/[1-2]
        header = Authorization: Bearer top "secret" \\ end
        header = X-Other: 1
        body = {"to": "{to}", "digits": "{digits}", "text": "{text}", "id": "{id}"}

        """, to: "/etc/mfa/gateway.conf", owner: "mfa-gateway", mode: "0400")
      let service = try GatewayService(on: machine)
      try service.select(Self.gateway("json"))
      let text = "123456 \"quoted\" \\ {to}\n\u{3042}"
      #expect(try Service.sendNow(text) == .accepted)
      let request = machine.text(of: server.request)
      // The address is one address, not a pattern of several.
      #expect(request.hasPrefix("POST /{a,b}/[1-2] HTTP/1.1\n"), "\(request)")
      #expect(request.contains("Authorization: Bearer top \"secret\" \\ end\n"), "\(request)")
      #expect(request.contains("X-Other: 1\n"), "\(request)")
      #expect(request.contains("Content-Type: application/json\n"), "\(request)")
      let body = try #require(request.split(separator: "\n\n", maxSplits: 1).last)
      let object = try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: String]
      #expect(
        object == [
          "to": "+15105551234", "digits": "15105551234", "text": text,
          "id": "0123456789abcdef",
        ])
      server.process.send(signal: SIGKILL)
    }

    @Test("json: a refusal of the vendor is a failure, and no connection asks for a second run")
    func jsonFailures() throws {
      let server = try startServer(on: machine, status: 403)
      let service = try GatewayService(on: machine)
      try service.select(Self.gateway("json"))
      func configure(_ port: String, mode: String = "0400") throws {
        try machine.write(
          "url = http://127.0.0.1:\(port)/\nbody = {\"text\": \"{text}\"}\n",
          to: "/etc/mfa/gateway.conf", owner: "mfa-gateway", mode: mode)
      }
      try configure(server.port)
      #expect(try Service.sendNow("123456") == .failed(1))
      server.process.send(signal: SIGKILL)
      _ = try server.process.wait()
      #expect(try Service.sendNow("123456") == .failed(75))
      // Credentials that another user can read are not used.
      try configure(server.port, mode: "0444")
      #expect(try Service.sendNow("123456") == .failed(1))
      try machine.remove("/etc/mfa/gateway.conf")
      #expect(try Service.sendNow("123456") == .failed(1))
    }

    @Test(
      "json: credentials and codes are sent only over https, or to this host",
      arguments: [
        ("http://192.0.2.1/", 78), ("http://localhost.example.com/", 78),
        ("http://127.0.0.1.example.com/", 78), ("http://user@192.0.2.1:8080/", 78),
        ("http://[2001:db8::1]/", 78), ("http://0.0.0.0/", 78), ("ftp://127.0.0.1/", 78),
        ("127.0.0.1", 78), ("http:", 78),
        // Nothing listens there.
        ("http://127.0.0.1:1/", 75), ("http://127.9.8.7:1/", 75), ("http://localhost:1/", 75),
        ("http://[::1]:1/", 75), ("HTTP://LOCALHOST:1/", 75), ("https://127.0.0.1:1/", 75),
      ] as [(String, UInt8)])
    func jsonAddress(url: String, status: UInt8) throws {
      let service = try GatewayService(on: machine)
      try service.select(Self.gateway("json"))
      try machine.write(
        "url = \(url)\nbody = {\"text\": \"{text}\"}\n", to: "/etc/mfa/gateway.conf",
        owner: "mfa-gateway", mode: "0400")
      #expect(try Service.sendNow("123456") == .failed(status))
    }

    /// Starts the stand-in for ModemManager. Returns the process and the path of its record.
    private func startModem(
      on machine: Machine, delay: String = "0"
    ) throws -> (process: ChildProcess, record: String) {
      let record = machine.folder + "/modem"
      let modem = try ChildProcess([
        "/usr/bin/python3", Checkout.folder + "/Tests/EndToEnd/modem.py", record, delay,
      ])
      #expect(
        Deadline.usual.waits {
          machine.text(of: record) == "ready\n"
        })
      return (modem, record)
    }

    @Test(
      "modemmanager: a message is deleted, whatever becomes of it, and only the sending counts",
      arguments: [
        ("123456", .accepted, "create\nsend\ndelete\n"),
        ("stays", .accepted, "create\nsend\nno delete\n"),
        ("fails", .failed(1), "create\nno send\ndelete\n"),
        ("fails and stays", .failed(1), "create\nno send\nno delete\n"),
        // The modem may still send it: the service learns that from the signal.
        ("slow", .killed, "create\ndelete\n"),
        ("not created", .failed(1), "no create\n"),
      ] as [(String, GatewayReply, String)])
    func modemManagerFailures(text: String, reply: GatewayReply, lines: String) throws {
      let service = try GatewayService(on: machine)
      let bus = try startBus(on: machine)
      let (modem, record) = try startModem(on: machine, delay: text == "slow" ? "1.5" : "0")
      try service.select(Self.gateway("modemmanager"))
      #expect(try Service.sendNow(text) == reply)
      let found = machine.text(of: record)
      #expect(found.replacing(" +15105551234 \(text)", with: "") == "ready\n" + lines, "\(found)")
      modem.send(signal: SIGKILL)
      bus.send(signal: SIGKILL)
    }

    @Test("modemmanager: the modem sends the text, and the message is deleted from it")
    func modemManager() throws {
      let service = try GatewayService(on: machine)
      let bus = try startBus(on: machine)
      let (modem, record) = try startModem(on: machine)
      try service.select(Self.gateway("modemmanager"))
      let text = "123456 \u{3042} \"'"
      #expect(try Service.sendNow(text) == .accepted)
      let lines = machine.text(of: record)
      #expect(lines == "ready\ncreate +15105551234 \(text)\nsend\ndelete\n", "\(lines)")
      // A modem that does not send, and no modem.
      #expect(try Service.sendNow("fails") == .failed(1))
      modem.send(signal: SIGKILL)
      _ = try modem.wait()
      #expect(try Service.sendNow(text) == .failed(1))
      bus.send(signal: SIGKILL)
    }

    /// Starts a system bus that allows everything: polkit is not part of this test.
    private func startBus(on machine: Machine) throws -> ChildProcess {
      let socket = "/run/dbus/system_bus_socket"
      try machine.remove(socket)
      try Command.succeed(["/bin/mkdir", "-p", "-m", "0755", "/run/dbus"])
      let configuration = machine.folder + "/bus.conf"
      try machine.write(
        """
        <busconfig>
          <type>system</type>
          <listen>unix:path=\(socket)</listen>
          <policy context="default">
            <allow user="*"/><allow own="*"/><allow send_type="*"/><allow receive_type="*"/>
            <allow send_destination="*" eavesdrop="true"/>
          </policy>
        </busconfig>
        """, to: configuration)
      let bus = try ChildProcess([
        "/usr/bin/dbus-daemon", "--nofork", "--nopidfile", "--config-file=" + configuration,
      ])
      #expect(Deadline.usual.waits { FileManager.default.fileExists(atPath: socket) })
      return bus
    }
  }
}

extension EndToEnd.GatewayServiceTests {
  /// Hands over a message that expires soon.
  static func sendNow(
    _ text: String, validFor seconds: Int64 = 600, id number: UInt64 = id.number
  ) throws -> GatewayReply {
    let message = GatewayMessage(
      to: Array(Self.number.utf8).span, id: SendID(number: number),
      expires: Int64(Date().timeIntervalSince1970) + seconds, text: Array(text.utf8).span)
    guard let message else { throw HarnessFailure("the message is invalid") }
    return GatewayConnection().send(message)
  }
}
