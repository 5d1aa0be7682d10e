import MFABase
import MFATestSupport
import Testing

@testable import MFAAdmin

@Suite(.privateMachine) struct PlainFileTests {
  @Test("a FIFO, a socket, a device and a folder are refused at once")
  func otherKinds() throws {
    try Machine.use { machine in
      let fifo = machine.folder + "/fifo"
      try Command.succeed(["/usr/bin/mkfifo", fifo])
      try Command.succeed([
        "/usr/bin/python3", "-c",
        "import socket; socket.socket(socket.AF_UNIX).bind('\(machine.folder)/socket')",
      ])
      try Command.succeed(["/bin/ln", "-s", fifo, machine.folder + "/link"])
      for path in [fifo, machine.folder + "/link", "/dev/zero", machine.folder] {
        guard case .failure(.untrusted(.notARegularFile)) = PlainFile.read(path, longest: 10) else {
          Issue.record("\(path)")
          continue
        }
      }
      guard case .failure(.system) = PlainFile.read(machine.folder + "/socket", longest: 10) else {
        Issue.record("a socket")
        return
      }
    }
  }

  @Test("a file of another owner is refused if an owner is named, and a long file is cut")
  func ownerAndLength() throws {
    try Machine.use { machine in
      let path = machine.folder + "/file"
      try machine.write("abcdef", to: path, owner: "nobody")
      #expect(try PlainFile.read(path, longest: 10).get() == Array("abcdef".utf8))
      #expect(try PlainFile.read(path, longest: 2).get() == Array("abc".utf8))
      #expect(PlainFile.read(path, longest: 10, owner: 0) == .failure(.untrusted(.wrongOwner)))
      try machine.write("abcdef", to: path)
      #expect(try PlainFile.read(path, longest: 10, owner: 0).get().count == 6)
      #expect(try PlainFile.read("/dev/null", longest: 10, owner: 0).get().isEmpty)
      #expect(try PlainFile.read("/proc/self/status", longest: 1 << 16).get().count > 100)
    }
  }
}
