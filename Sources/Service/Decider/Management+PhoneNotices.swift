import MFAAttempt
import MFAStore
import MFAModel
import MFAMessages
import MFAWire
import MFABase

// Messages to phones about changes. They have no code.
extension Management {
  /// For how long messages about a change are sent, in seconds. A message that does not fit is left
  /// out, because the resident service ends a process that is busy for 60 seconds.
  private static var noticeTime: Int64 { 20 }

  /// Messages that are sent after the response to the client.
  struct PhoneNotices {
    let message: PhoneMessage
    let phones: [PhoneNotice]
  }

  /// Prepares the message to a phone that is about to be removed.
  func noticesOfRemoval(
    of factor: Factor, in entry: Machine.Store.Entry, _ settings: Settings
  ) -> PhoneNotices {
    PhoneNotices(
      message: .phoneRemoved(issuer: issuer(settings)),
      phones: PhoneNotice.notices(for: [factor], in: entry, settings))
  }

  /// Sends the messages about the last change. The client has its response already, so that a slow
  /// gateway does not delay it.
  mutating func sendPhoneNotices() {
    guard let notices = phoneNotices else { return }
    phoneNotices = nil
    let text = notices.message.text(in: language).utf8
    let beginning = secondsSinceBoot()
    for phone in notices.phones {
      guard let beginning, let time = secondsSinceBoot(), time &- beginning < Self.noticeTime
      else { return }
      guard send(text, to: phone) else { return }
    }
  }

  private func secondsSinceBoot() -> Int64? {
    do throws(SystemError) { return try Clock.sinceBoot() } catch { return nil }
  }

  /// Sends a message, and returns whether another one may be sent.
  private func send(_ text: [UInt8], to phone: PhoneNotice) -> Bool {
    do throws(HelperFailure) {
      let limits = try settings().hostSendLimits
      let now = try now()
      let result: PhoneNotice.Result
      do throws(FactorStoreError) {
        result = try phone.send(text.span, by: host.codeSender, limits, now: now)
      } catch {
        throw failure(error)
      }
      var line = LogLine()
      switch result {
      case .sent(let id):
        line.add("result", "notice-sent")
        addCaller(to: &line)
        line.add("message", escaping: id.text)
        log(.information, line)
        return true
      case .refused(let refusal): line.add("reason", refusal.name)
      case .failed(let reply): line.add("reason", reply.name)
      }
      var failed = LogLine()
      failed.add("result", "notice-not-sent")
      addCaller(to: &failed)
      failed.append(line)
      log(.warning, failed)
      if case .refused(.numberHourly) = result { return true }
      return false
    } catch {
      return false
    }
  }
}
