import MFACTestSupport
import Glibc

/// Many sign-ins that wait at the code prompt and then answer at the same moment.
package final class HeldSignIns {
  private struct Client: ~Copyable {
    let process: ChildProcess
    let output: Descriptor
    let errors: Descriptor
    let ready: Descriptor
  }

  /// The number of sign-ins.
  package let count: Int

  private var clients: [Int: ClientBox] = [:]
  private var gate: Pipe?

  private final class ClientBox {
    let client: Client
    init(_ client: consuming Client) { self.client = client }
  }

  /// Starts a process for each list of answers. The command line of the process `index` is appended
  /// to `wrapper(index)`.
  package init(
    service: String, user: String, answers: [[PAMClient.Answer]],
    options: PAMClient.Options = PAMClient.Options(), as identity: Identity = .current,
    through wrapper: (Int) -> [String] = { _ in [] }
  ) throws(HarnessFailure) {
    let path = try PAMClient.path()
    let gate = try Pipe()
    count = answers.count
    for (index, script) in answers.enumerated() {
      let input = try Descriptor.memory(script.flatMap(\.frame))
      let output = try Descriptor.memory()
      let errors = try Descriptor.memory()
      let ready = try Pipe()
      let process = try ChildProcess(
        wrapper(index) + [path, service, user] + options.arguments + [
          "--hold", "--ready-fd", "3", "--go-fd", "4",
        ],
        as: identity,
        descriptors: [
          0: input.number, 1: output.number, 2: errors.number, 3: ready.writing.number,
          4: gate.reading.number,
        ])
      let end = ready.takeReading()
      clients[index] = ClientBox(
        Client(process: process, output: output, errors: errors, ready: end))
    }
    self.gate = consume gate
  }

  /// Waits until each process has been prompted or has ended; returns how many were prompted.
  package func waitUntilAsked(until deadline: Deadline = .long) throws(HarnessFailure)
    -> Int
  {
    var asked = 0
    for index in 0..<count {
      guard let box = clients[index] else { continue }
      guard ctest_readable(box.client.ready.number, -1, deadline.millisecondsLeft) > 0 else {
        throw HarnessFailure("sign-in \(index) was neither prompted nor ended by the deadline")
      }
      asked += try box.client.ready.readSome().isEmpty ? 0 : 1
    }
    return asked
  }

  /// Makes all of them answer.
  package func release() {
    // All of them wait for the end of this pipe, which reaches all of them at once.
    gate = nil
  }

  /// Sends a signal to one of the processes.
  package func send(signal: Int32, to index: Int) {
    clients[index]?.client.process.send(signal: signal)
  }

  /// Waits until all have ended, and returns their outcomes.
  package func outcomes(
    until deadline: Deadline = .long
  ) throws(HarnessFailure) -> [PAMOutcome] {
    var outcomes: [PAMOutcome] = []
    for index in 0..<count {
      guard let box = clients[index] else { continue }
      guard let status = try box.client.process.wait(until: deadline) else {
        throw HarnessFailure(
          "sign-in \(index) has not ended by the deadline",
          evidence: [("output", String(decoding: try box.client.output.contents(), as: UTF8.self))])
      }
      outcomes.append(
        try PAMOutcome(
          status: status, output: try box.client.output.contents(),
          errors: String(decoding: try box.client.errors.contents(), as: UTF8.self)))
    }
    return outcomes
  }
}
