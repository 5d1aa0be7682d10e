import Foundation
import MFAGateway
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
    ]

    @Test("gammu-smsd: the phone sends the text, and no copy is left", arguments: texts)
    func gammu(text: String) throws {
      try Machine.use { machine in
        let phone = try GammuPhone(on: machine)
        let service = try GatewayService(on: machine)
        try service.select(GammuPhone.gateway)
        #expect(try Service.sendNow(text) == .accepted)
        let wasSent = Deadline.usual.waits { phone.log.contains("SMS sent on device") }
        let lines = phone.log
        #expect(wasSent, "\(lines)")
        #expect(
          lines.contains("sms to \"+15105551234\" with text \"\(text.prefix(60))"), "\(lines)")
        // A message that fits has the encoding that its characters need.
        if text.count < 70 {
          let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
          #expect(lines.contains(isASCII ? "7 bit SMS" : "Unicode SMS"), "\(lines)")
        }
        #expect(try Deadline.usual.waits { try GammuPhone.spooled().isEmpty })
      }
    }

    @Test("gammu-smsd does not run: the message is deleted when its code expires")
    func gammuNotRunning() throws {
      try Machine.use { machine in
        try GammuPhone(on: machine).stop()
        let service = try GatewayService(on: machine)
        try service.select(GammuPhone.gateway)
        #expect(try Service.sendNow("123456 is your code.", validFor: 3) == .accepted)
        #expect(try GammuPhone.spooled().count == 1)
        #expect(try Deadline.usual.waits { try GammuPhone.spooled().isEmpty })
      }
    }

    @Test(
      "gammu-smsd: a spool folder that cannot be used is a failure",
      arguments: ["chmod 0700 outbox", "mv outbox outbox.away"])
    func unusableSpool(script: String) throws {
      try Machine.use { machine in
        try GammuPhone(on: machine).stop()
        try machine.keep("/var/spool/gammu")
        try Command.succeed(["/bin/sh", "-ec", "cd /var/spool/gammu; \(script)"])
        let service = try GatewayService(on: machine)
        try service.select(GammuPhone.gateway)
        #expect(try Service.sendNow("123456") == .failed(1))
        #expect(try GammuPhone.spooled().isEmpty)
      }
    }

    @Test("smstools3: the file in the outgoing folder is what smsd reads")
    func smstools() throws {
      try Machine.use { machine in
        let outgoing = machine.folder + "/outgoing"
        let sent = machine.folder + "/sent"
        for folder in [outgoing, sent] {
          try Command.succeed(
            ["/usr/bin/install", "-d", "-o", "mfa-gateway", "-g", "mfa", "-m", "2770", folder])
        }
        try machine.write("outgoing = \(outgoing)\nsent = \(sent)\n", to: "/etc/smsd.conf")
        let service = try GatewayService(on: machine)
        try service.select(Self.gateway("smstools3"))
        #expect(try Service.sendNow("123456 \u{3042}") == .accepted)
        let name = "mfa-0123456789abcdef"
        let body: [UInt8] = "123456 \u{3042}".utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        #expect(
          machine.contents(of: "\(outgoing)/\(name)")
            == Array("To: 15105551234\nAlphabet: UCS2\nPriority: HIGH\n\n".utf8) + body)
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(outgoing)/\(name)")
        #expect(attributes[.posixPermissions] as? Int == 0o640)
        #expect(attributes[.groupOwnerAccountName] as? String == "mfa")
        try Command.succeed(["/bin/mv", "\(outgoing)/\(name)", sent])
        #expect(
          Deadline.usual.waits { !FileManager.default.fileExists(atPath: "\(sent)/\(name)") })
      }
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
                    file.write(str(self.headers).encode() + body)
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
        String(decoding: machine.contents(of: port) ?? [], as: UTF8.self), request, process
      )
    }

    @Test("json: the vendor gets the body with the message, and the credentials")
    func json() throws {
      try Machine.use { machine in
        let server = try startServer(on: machine, status: 202)
        try machine.write(
          """
          # comment
          url = http://127.0.0.1:\(server.port)/messages
          header = Authorization: Bearer top "secret" \\ end
          header = X-Other: 1
          body = {"to": "{to}", "digits": "{digits}", "text": "{text}", "id": "{id}"}

          """, to: "/etc/mfa/gateway.conf", owner: "mfa-gateway", mode: "0400")
        let service = try GatewayService(on: machine)
        try service.select(Self.gateway("json"))
        let text = "123456 \"quoted\" \\ {to}\n\u{3042}"
        #expect(try Service.sendNow(text) == .accepted)
        let request = String(decoding: machine.contents(of: server.request) ?? [], as: UTF8.self)
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
    }

    @Test("json: a refusal of the vendor is a failure, and no connection asks for a second run")
    func jsonFailures() throws {
      try Machine.use { machine in
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
    }

    @Test("modemmanager: the modem sends the text, and the message is deleted from it")
    func modemManager() throws {
      try Machine.use { machine in
        let service = try GatewayService(on: machine)
        let bus = try startBus(on: machine)
        let record = machine.folder + "/modem"
        let modem = try ChildProcess([
          "/usr/bin/python3", Checkout.folder + "/Tests/EndToEnd/modem.py", record,
        ])
        #expect(
          Deadline.usual.waits {
            String(decoding: machine.contents(of: record) ?? [], as: UTF8.self) == "ready\n"
          })
        try service.select(Self.gateway("modemmanager"))
        let text = "123456 \u{3042} \"'"
        #expect(try Service.sendNow(text) == .accepted)
        let lines = String(decoding: machine.contents(of: record) ?? [], as: UTF8.self)
        #expect(
          lines == "ready\ncreate +15105551234 \(text)\nsend\ndelete\n", "\(lines)")
        // A modem that does not send, and no modem.
        #expect(try Service.sendNow("fail") == .failed(1))
        modem.send(signal: SIGKILL)
        _ = try modem.wait()
        #expect(try Service.sendNow(text) == .failed(1))
        bus.send(signal: SIGKILL)
      }
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
  static func sendNow(_ text: String, validFor seconds: Int64 = 600) throws -> GatewayReply {
    let message = GatewayMessage(
      to: Array(number.utf8).span, id: id,
      expires: Int64(Date().timeIntervalSince1970) + seconds, text: Array(text.utf8).span)
    guard let message else { throw HarnessFailure("the message is invalid") }
    return GatewayConnection().send(message)
  }
}
