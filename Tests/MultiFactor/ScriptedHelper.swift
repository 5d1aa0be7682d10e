import Dispatch
import Foundation
import Glibc
import MFABase
import MFAModel
import MFAWire
import Synchronization
import Testing

@testable import MultiFactor

/// A helper that follows a script line by line, on its own queue.
final class ScriptedHelper: Sendable {
  enum Line: Sendable {
    /// The expected text of the next request.
    case expect(String)
    /// A response to send.
    case send(@Sendable () throws -> HelperResponse)
    /// Raw bytes to send.
    case sendBytes([UInt8])
    /// Expects that the client has closed its end.
    case expectEnd
    /// Closes this end.
    case hangUp
  }

  private let script: [Line]
  private let queue = DispatchQueue(label: "ScriptedHelper")
  private let problems = Mutex<[String]>([])
  private let linesUsed = Mutex(0)
  private let opened = Mutex(0)
  private let watched = Mutex<HelperPipes?>(nil)

  init(_ script: [Line]) { self.script = script }

  /// Starts the script, which can be used once: a second conversation ends immediately.
  @Sendable func open() throws(MultiFactorError) -> HelperPipes {
    let requests = Pipe()
    let responses = Pipe()
    let first = opened.withLock { opened in
      opened += 1
      return opened == 1
    }
    let pipes = HelperPipes(
      responses: dup(responses.fileHandleForReading.fileDescriptor),
      requests: dup(requests.fileHandleForWriting.fileDescriptor))
    let watch = dup(responses.fileHandleForReading.fileDescriptor)
    watched.withLock { $0 = HelperPipes(responses: watch, requests: dup(watch)) }
    do {
      try responses.fileHandleForReading.close()
      try requests.fileHandleForWriting.close()
    } catch {
      note("\(error)")
    }
    guard first else { return pipes }
    queue.async {
      self.follow(
        reading: requests.fileHandleForReading, writing: responses.fileHandleForWriting)
    }
    return pipes
  }

  /// Whether the client can see that the helper has ended, once it has read every response. A process that another test
  /// is starting may keep the pipe open after the helper has closed it.
  var isSeenToHaveEnded: Bool { watched.withLock { $0?.hasSomethingToRead == true } }

  /// Waits for the end of the script, and returns the problems.
  func finished() async -> [String] {
    await withCheckedContinuation { continuation in
      queue.async {
        var problems = self.problems.withLock { $0 }
        let used = self.linesUsed.withLock { $0 }
        if used < self.script.count { problems.append("line \(used) of the script was not used") }
        continuation.resume(returning: problems)
      }
    }
  }

  private func follow(reading: FileHandle, writing: FileHandle) {
    for line in script {
      do {
        switch line {
        case .expect(let text):
          let request = try Self.request(from: reading)
          guard request == text else { return note("expected '\(text)', got '\(request)'") }
        case .send(let response):
          try writing.write(contentsOf: Data(Self.bytes(try response().encoded())))
        case .sendBytes(let bytes):
          try writing.write(contentsOf: Data(bytes))
        case .expectEnd:
          let rest = try reading.read(upToCount: 1) ?? Data()
          guard rest.isEmpty else { return note("expected the end") }
        case .hangUp:
          try writing.close()
          try reading.close()
        }
        linesUsed.withLock { $0 += 1 }
      } catch {
        return note("\(error)")
      }
    }
  }

  private func note(_ problem: String) { problems.withLock { $0.append(problem) } }

  private static func request(from handle: FileHandle) throws -> String {
    guard let header = try handle.read(upToCount: 4), header.count == 4 else { return "end" }
    let length = try Frame.bodyLength(header: [UInt8](header).span)
    guard let body = try handle.read(upToCount: length) else { return "end" }
    return describe(try HelperRequest(body: [UInt8](body).span))
  }

  static func bytes(_ secret: borrowing SecretBytes) -> [UInt8] {
    let span = secret.span
    return span.indices.map { span[$0] }
  }

  static func string(_ secret: borrowing SecretBytes) -> String {
    String(decoding: bytes(secret), as: UTF8.self)
  }

  private static func describe(_ request: borrowing HelperRequest) -> String {
    switch request {
    case .hello: return "hello"
    case .session: return "session"
    case .answer(let answer): return "answer \(string(answer))"
    case .cancel: return "cancel"
    case .generateSecret(let parameters):
      return "generateSecret \(parameters.algorithm) \(parameters.codeLength) \(parameters.period)"
    case .enroll(let request):
      return
        "enroll \(string(request.code)) \(String(decoding: request.displayName.utf8, as: UTF8.self))"
    case .list: return "list"
    case .rename(let factor, let name):
      return "rename \(factor.bytes[0]) \(String(decoding: name.utf8, as: UTF8.self))"
    case .unenroll(let factor): return "unenroll \(factor.bytes[0])"
    case .test(let code): return "test \(string(code))"
    case .checkEnrollment(let name, let isPhone):
      return "checkEnrollment \(String(decoding: name.utf8, as: UTF8.self)) \(isPhone)"
    case .bye: return "bye"
    case .forget: return "forget"
    case .readNotices: return "readNotices"
    case .deliver(let user): return "deliver \(String(decoding: user.bytes, as: UTF8.self))"
    case .ticketSession: return "ticketSession"
    case .status: return "status"
    case .generateRecoveryCodes: return "generateRecoveryCodes"
    case .generateOfflineCodes: return "generateOfflineCodes"
    case .makeProgramPassword(let request):
      return [
        "makeProgramPassword", String(decoding: request.name.utf8, as: UTF8.self),
        String(decoding: request.services, as: UTF8.self),
        String(decoding: request.networks, as: UTF8.self), "\(request.seconds)",
      ].joined(separator: "|")
    case .listProgramPasswords: return "listProgramPasswords"
    case .removeProgramPassword(let id): return "removeProgramPassword \(id.bytes[0])"
    case .resync(let request):
      return "resync \(request.factor.bytes[0]) \(string(request.code))"
    case .completeResync(let code): return "completeResync \(string(code))"
    case .importFactor(let request):
      return
        "import \(String(decoding: request.displayName.utf8, as: UTF8.self))"
        + " \(request.parameters.algorithm) \(string(request.key)) \(request.timeOffset)"
        + " \(request.watermark) \(string(request.recoveryCodes))"
    case .beginPhone(let number): return "beginPhone \(string(number))"
    case .confirmPhone(let request):
      return
        "confirmPhone \(string(request.code)) \(String(decoding: request.displayName.utf8, as: UTF8.self))"
    case .sendCode(let factor): return "sendCode \(factor.bytes[0])"
    case .signIn(let request):
      return "signIn \(request.factor.map { "\($0.bytes[0])" } ?? "-") \(string(request.code))"
    }
  }
}

enum Samples {
  struct Unusable: Error {}

  static func secret(_ text: String) -> SecretBytes { SecretBytes(copying: Array(text.utf8).span) }

  static func text(_ text: String) -> DisplayText { DisplayText(cleaning: Array(text.utf8)) }

  static func factor(_ byte: UInt8) throws -> FactorID {
    guard let id = FactorID(bytes: [UInt8](repeating: byte, count: 16)) else { throw Unusable() }
    return id
  }

  static func summary(_ byte: UInt8, _ name: String) throws -> FactorSummary {
    FactorSummary(
      id: try factor(byte), displayName: try #require(DisplayName(Array(name.utf8))),
      enrolledAt: 1_760_000_000, kind: .totp(.standard))
  }

  static func info(_ byte: UInt8, _ name: String) throws -> MultiFactorInfo {
    MultiFactorInfo.make(try summary(byte, name))
  }

  static let welcome: [ScriptedHelper.Line] = [
    .expect("hello"),
    .send {
      guard let user = UserName(Array("alice".utf8)) else { throw Unusable() }
      return .welcome(user: user, issuer: text("Example Host"))
    },
  ]

  static let session: [ScriptedHelper.Line] = [
    .expect("session"),
    .send { .prompt(text: text("Password: "), .hiddenAnswer) },
    .expect("answer hunter2"),
    .send { .sessionStarted(secondsLeft: 600) },
  ]

  static let key = Array("12345678901234567890".utf8)

  static let generation: [ScriptedHelper.Line] = [
    .expect("generateSecret sha1 six 30"),
    .send {
      .secret(
        GeneratedSecret(
          key: SecretBytes(copying: key.span), parameters: .standard, secondsLeft: 300))
    },
  ]

  @Sendable static func password(_: ReauthenticationPrompt) async -> SecretBytes? {
    secret("hunter2")
  }
}
