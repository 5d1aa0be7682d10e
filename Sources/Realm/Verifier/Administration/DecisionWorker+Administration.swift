import MFABase
import MFADecider
import MFAModel
import MFARealm
import MFARealmStore
import MFAStore
import MFAWire

// Requests of administrators on hosts.
extension DecisionWorker {
  /// Answers the request of an administrator.
  func administer(
    _ request: DecisionRequest, _ packet: borrowing SecretBytes, _ connection: PacketConnection
  ) {
    let reply = reply(to: request, packet)
    guard let packet = reply.packet() else { return }
    do throws(SystemError) { try connection.send(packet.span) } catch {}
  }

  private func reply(
    to asked: DecisionRequest, _ packet: borrowing SecretBytes
  ) -> AdministrationReply {
    let request: AdministrationRequest
    do throws(PacketError) { request = try AdministrationRequest(packet.span) } catch {
      guard case .unknownKind = error else { return .failed(.malformed, detail: []) }
      return .failed(.unknownCommand, detail: [])
    }
    guard Self.isOfRoot(asked) else { return .failed(.notRoot, detail: []) }
    do throws(FactorStoreError) {
      guard
        let host = try realm.hosts().host(
          asked.host, certificate: asked.serial)
      else {
        report("host-refused", host: asked.host)
        return .failed(.hostRefused, detail: [])
      }
      let administrator = HostAdministrator(
        realm: realm, host: host, request: request, now: try realm.storeWithoutHost().now())
      let reply = administrator.reply()
      log(reply.failure, request, host: asked.host)
      return reply
    } catch {
      return HostAdministrator<Engine>.failed(error)
    }
  }

  /// Returns whether the relay says that the process acted as root.
  private static func isOfRoot(_ asked: DecisionRequest) -> Bool {
    do throws(PacketError) { return try HostFacts(asked.facts.span).peerUser == 0 } catch {
      return false
    }
  }

  /// Writes a change or a refusal to the system log.
  private func log(
    _ failure: AdministrationFailure?, _ request: AdministrationRequest, host: [UInt8]
  ) {
    let isRefused = failure == .notPermitted
    guard isRefused || (failure == nil && request.command.isChange) else { return }
    var line = LogLine()
    line.add("result", isRefused ? "error" : "administered")
    if isRefused { line.add("reason", "not-permitted") }
    line.add("command", request.command.name)
    line.add("by", escaping: request.administrator)
    line.add("host", escaping: host)
    Log.write(isRefused ? .error : .notice, line)
  }
}

extension DecisionWorker {
  /// Records that a host, and the verifier of this service, were seen.
  ///
  /// MUST: a host that is refused is not recorded. (`HostAdministrationTests.lastSeen`)
  func note(_ seen: SeenHost) -> VerifierReply {
    do throws(FactorStoreError) {
      let registry = realm.hosts()
      guard try registry.host(seen.host, certificate: seen.serial) != nil else { return .refused }
      try registry.note(
        .host(seen.host), version: seen.version, certificateEnd: seen.certificateEnd)
      try registry.note(.verifier(seen.verifier), version: Release.version.bytes)
      return .alive
    } catch {
      report("seen", host: seen.host, error)
      return .refused
    }
  }
}
