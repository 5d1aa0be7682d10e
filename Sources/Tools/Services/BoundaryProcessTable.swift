import MFAAdmin
import MFACPOSIX
import MFADoctor
import MFABase

/// The processes that /proc lists.
enum ProcessTable {
  /// Returns the ancestors of this process, parent first.
  static func ancestors() -> [SignInProgram.Ancestor] {
    var ancestors: [SignInProgram.Ancestor] = []
    var number = Int64(getppid())
    // The limit ends the walk if a reused process number results in a cycle.
    while number > 0, ancestors.count < 1000, let entry = entry(number) {
      ancestors.append(entry.ancestor)
      number = entry.parent
    }
    return ancestors
  }

  /// Returns the processes that run one of a service's sign-in programs.
  static func processes(of service: [UInt8]) -> [ServiceChange.Process] {
    let processes = ProcFile.names(in: "/proc").compactMap { name -> ServiceChange.Process? in
      guard let number = Int64(name), let program = program(of: number),
        SignInProgram.runs(program, for: service)
      else { return nil }
      return entry(number)?.ancestor.process
    }
    return processes.sorted { $0.number < $1.number }
  }

  /// Returns the path of a process's program, even if the file has been replaced since.
  static func program(of number: Int64) -> String? {
    guard let path = ProcFile.target("/proc/\(number)/exe") else {
      guard let status = ProcFile.text("/proc/\(number)/status") else { return nil }
      let name = status.prefix { $0 != "\n" }.split(separator: "\t", maxSplits: 1).last ?? ""
      return SignInProgram.program(
        named: String(name), users: ServerProcess.users(inStatus: status))
    }
    return ServerProcess.Program.path(path)
  }

  private static func entry(_ number: Int64) -> (ancestor: SignInProgram.Ancestor, parent: Int64)? {
    guard let process = Int32(exactly: number).flatMap({ RunningProcess($0) }),
      let start = Int64(exactly: process.start),
      let status = ProcFile.text("/proc/\(number)/status")
    else { return nil }
    let users = ServerProcess.users(inStatus: status)
    guard users.count > 1 else { return nil }
    return (
      SignInProgram.Ancestor(
        process: ServiceChange.Process(number: number, start: start),
        program: program(of: number) ?? "", user: users[0], actingUser: users[1]),
      Int64(process.parent)
    )
  }

  /// Returns the kernel's boot ID, which changes at every boot.
  static func boot() throws(AdminError) -> String {
    let path = "/proc/sys/kernel/random/boot_id"
    switch PlainFile.read(path, longest: 256) {
    case .success(let bytes):
      return String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
    case .failure(let refusal): throw .file(path, refusal)
    }
  }
}
