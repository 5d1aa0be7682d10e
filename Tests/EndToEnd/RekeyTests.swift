import Foundation
import MFATestSupport
import Synchronization
import Testing

extension EndToEnd {
  /// `mfa-admin rekey` on a machine on which users sign in.
  @Suite struct Rekeying {
    static let admin = "/usr/sbin/mfa-admin"
    static let key = "/etc/mfa/key"

    init() throws { try machine.emptyStore() }

    static func expectIntactStore(_ title: String = "") throws {
      let verified = try Command.run([admin, "audit-log", "verify"])
      #expect(verified.status == .exited(0), "\(title): \(verified.text) \(verified.errorText)")
    }

    /// The result of one sign-in.
    struct SignedIn: Sendable {
      let title: String
      let first: String?
      let second: String?
    }

    @Test("users sign in while the key changes 20 times; each code is accepted once")
    func signInsGoOn() throws {
      let service = try machine.makeService(OneCode.stack)
      var users: [(name: String, codes: [String])] = []
      for _ in 0..<8 {
        let (user, enrollment) = try machine.addEnrolledUser()
        let step = enrollment.phone.step()
        users.append((user.name, try enrollment.phone.codes(fromStep: step - 4, count: 8)))
      }
      let everyone = users
      let start = try machine.log.position()
      let results = Mutex<[SignedIn]>([])
      let changes = Mutex<[String]>([])
      let isDone = Mutex(false)
      DispatchQueue.concurrentPerform(iterations: 2) { half in
        if half == 0 {
          for index in 0..<8 {
            for (name, codes) in everyone {
              let tries = (0..<2).map { _ in
                do {
                  // A user who is asked when the key changes is asked again.
                  return try PAMClient.signIn(
                    service: service, user: name,
                    answers: [.text(codes[index]), .text(codes[index])]
                  ).code
                } catch { return "\(error)" }
              }
              results.withLock {
                $0.append(
                  SignedIn(title: "\(name) code \(index)", first: tries[0], second: tries[1]))
              }
            }
          }
          isDone.withLock { $0 = true }
        } else {
          var number = 0
          while number < 20 || !isDone.withLock({ $0 }) {
            number += 1
            do {
              let change = try Command.run([Self.admin, "rekey", "--yes"])
              let text =
                change.status == .exited(0) ? "done" : "\(change.status) \(change.errorText)"
              changes.withLock { $0.append(text) }
            } catch { changes.withLock { $0.append("\(error)") } }
          }
        }
      }
      let reasons = Set(try machine.log.entries(since: start).compactMap { $0.fields["reason"] })
      for result in results.withLock({ $0 }) {
        #expect(result.first == "PAM_SUCCESS", "\(result) \(reasons)")
        #expect(result.second == "PAM_AUTH_ERR", "\(result)")
      }
      let texts = changes.withLock { $0 }
      #expect(texts.count >= 20 && Set(texts) == ["done"], "\(texts)")
      try Self.expectIntactStore()
    }

    @Test("the new key is only the system user's, and the change is logged")
    func ownershipAndLog() throws {
      let (user, _) = try machine.addEnrolledUser()
      let start = try machine.log.position()
      let before = machine.contents(of: Self.key)
      let done = try machine.mustAdminister("rekey", "--yes").text
      #expect(done.contains("sealed the data of 1 user with a new key"), "\(done)")
      #expect(machine.contents(of: Self.key) != before)
      let status = try Command.succeed(["/usr/bin/stat", "-c", "%U %G %a %s", Self.key])
      #expect(status == "mfa mfa 400 32\n")
      let names = try Command.succeed(["/bin/sh", "-c", "ls -A /etc/mfa | grep key"])
      #expect(names == "key\n")
      let results = try machine.log.entries(since: start).compactMap { $0.fields["result"] }
      #expect(results.contains("rekey-begun") && results.contains("rekeyed"), "\(results)")
      let events = try machine.mustAdminister("audit-log", "show", "--json").text
      for event in ["rekey-begun", "resealed", "rekeyed"] {
        #expect(events.contains("\"\(event)\""), "\(events)")
      }
      let denied = try Command.run(["/bin/cat", Self.key], as: .user(user.name))
      #expect(!denied.status.isSuccess)
    }

    @Test("rekey is refused, without any change, over a record that does not match the audit log")
    func restoredRecord() throws {
      let (user, enrollment) = try machine.addEnrolledUser()
      let files = StoreFiles(of: user.name)
      let image = try files.image()
      _ = try machine.makeRecoveryCodes(user, enrollment, offset: -4)
      var earlier = image
      earlier.log = nil
      try files.restore(earlier)
      let before = machine.contents(of: Self.key)
      let refused = try Command.run([Self.admin, "rekey", "--yes"])
      #expect(refused.status == .exited(1))
      #expect(refused.errorText.contains("does not match the audit log"), "\(refused.errorText)")
      #expect(machine.contents(of: Self.key) == before)
      #expect(!FileManager.default.fileExists(atPath: Self.key + ".next"))
    }
  }
}
