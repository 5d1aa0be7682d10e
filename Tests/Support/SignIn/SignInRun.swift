import MFABase
import MFAModule
import MFASignIn
import MFAWire

/// A host with a process of a PAM application.
package protocol ScriptedMachine: Host {
  /// Who runs the application.
  var identity: ProcessIdentity { get }
  /// Whether root started it.
  var isCalledByRoot: Bool { get }
  /// Whether its locale is one with UTF-8.
  var usesUTF8: Bool { get }
  /// The facts about its process.
  var facts: ApplicationFacts { get }
}

/// A sign-in from the first request to the verdict: the loop of the module with the function that decides.
package struct SignInRun<Machine: ScriptedMachine>: ReplySource {
  private let request: SignInRequest
  private let host: Machine
  private let application: ScriptedApplication
  /// What the sign-in led to last.
  package final class Outcome: @unchecked Sendable {
    /// The result.
    package fileprivate(set) var result: SignInResult?
    /// The number of requests.
    package fileprivate(set) var requests = 0
  }
  /// What the sign-in led to last.
  package let outcome = Outcome()

  /// Prepares a sign-in.
  package init(_ request: SignInRequest, host: Machine, application: ScriptedApplication) {
    var request = request
    if application.tryNumber == .max,
      !request.arguments.contains(where: { $0.starts(with: Array("tries=".utf8)) })
    {
      request.arguments.append(Array("tries=1".utf8))
    }
    self.request = request
    self.host = host
    self.application = application
  }

  /// Who runs the application.
  private var identity: ProcessIdentity {
    let given = host.identity
    let user = given.user == 0 && !host.isCalledByRoot ? 1001 : given.user
    return ProcessIdentity(
      user: user, actsAsRoot: given.actsAsRoot, isConfined: given.isConfined)
  }

  /// The facts about the application's process.
  package var facts: ApplicationFacts { host.facts }

  /// Returns the reply of one step.
  package func reply(to call: inout SignInCall) throws(DeciderFailure) -> SignInReply {
    guard let packet = call.packet() else { throw .malformed }
    do throws(PacketError) {
      var received = try SignInCall(packet: packet)
      received.usesUTF8 = host.usesUTF8
      let step = SignIn(received, host: host, identity: identity).step()
      if let result = step.results.last { outcome.result = result }
      outcome.requests += 1
      guard let answer = step.reply.packet() else { throw PacketError.malformed }
      return try SignInReply(packet: answer)
    } catch {
      throw .malformed
    }
  }

  private func run(_ line: ModuleLine, _ request: SignInRequest) -> Verdict {
    ModuleConversation(
      line, request, application: application, identity: identity, decider: self
    ).run()
  }

  /// Runs the `auth` line.
  package func authenticate() -> Verdict { run(.auth, request) }

  /// Runs the `account` line.
  package func checkAccount() -> Verdict { run(.account, request) }

  /// Runs the `session` line.
  package func beginSession() { _ = run(.session, request) }

  /// Returns the function that decides, with the facts about the application's process.
  package func prepared() -> SignIn<Machine> {
    var call = SignInCall()
    call.request = request
    call.caller = identity.user
    call.facts = host.facts
    return SignIn(call, host: host, identity: identity)
  }

  /// Predicts the result of the `auth` line.
  package func forecast() -> Forecast {
    var call = SignInCall()
    call.request = request
    call.caller = identity.user
    return SignIn(call, host: host, identity: identity).forecast()
  }
}
