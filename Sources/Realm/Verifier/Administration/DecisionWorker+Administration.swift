import MFABase
import MFARealm
import MFAWire
import MFADecider
import MFARealmStore
import MFAStore

// Requests of administrators on hosts.
extension DecisionWorker {
  /// Answers the request of an administrator that waits on the connection.
  func administer(_ conversation: FleetConversation, _ connection: PacketConnection) {
    let reply = reply(to: conversation, connection)
    guard let packet = reply.packet() else { return }
    do throws(SystemError) { try connection.send(packet.span) } catch {}
  }

  private func reply(
    to conversation: FleetConversation, _ connection: PacketConnection
  ) -> AdministrationReply {
    let request: AdministrationRequest
    do throws(SystemError) {
      guard
        case .packet(let packet) = try connection.receive(seconds: ConversationLimit.firstMessage)
      else { return .failed(.malformed, detail: []) }
      do throws(PacketError) { request = try AdministrationRequest(packet.span) } catch {
        guard case .unknownKind = error else { return .failed(.malformed, detail: []) }
        return .failed(.unknownCommand, detail: [])
      }
    } catch {
      return .failed(.malformed, detail: [])
    }
    guard Self.isOfRoot(conversation) else { return .failed(.notRoot, detail: []) }
    do throws(FactorStoreError) {
      guard
        let host = try realm.hosts().host(
          conversation.host, certificate: conversation.serial)
      else {
        report("host-refused", host: conversation.host)
        return .failed(.hostRefused, detail: [])
      }
      let administrator = HostAdministrator(
        realm: realm, host: host, request: request, now: try realm.storeWithoutHost().now())
      let reply = administrator.reply()
      log(reply.failure, request, host: conversation.host)
      return reply
    } catch {
      return HostAdministrator<Engine>.failed(error)
    }
  }

  /// Returns whether the relay says that the process acted as root.
  private static func isOfRoot(_ conversation: FleetConversation) -> Bool {
    do throws(PacketError) { return try HostFacts(conversation.facts.span).peerUser == 0 } catch {
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
