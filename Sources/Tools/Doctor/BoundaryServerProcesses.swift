import MFAAdmin

extension LocalExaminedHost {
  /// Returns the processes of root that listen as sshd on this host, according to their titles.
  package func serverProcesses() -> [ServerProcess] {
    ProcFile.names(in: "/proc").compactMap { name in
      guard let number = Int32(name), let text = ProcFile.text("/proc/\(name)/cmdline"),
        text.contains("[listener]"), let status = ProcFile.text("/proc/\(name)/status")
      else { return nil }
      let words = text.split { $0 == "\0" || $0 == " " }.map { String($0) }
      return ServerProcess(
        number: number, title: words, users: ServerProcess.users(inStatus: status),
        mounts: ProcFile.target("/proc/\(name)/ns/mnt"), program: program(of: name))
    }
  }

  /// The mount namespaces of this process and of the first process. A service with a sandbox has a mount
  /// namespace of its own.
  package var hostMounts: [String] {
    ["self", "1"].compactMap { ProcFile.target("/proc/\($0)/ns/mnt") }
  }

  private func program(of process: String) -> ServerProcess.Program? {
    let link = "/proc/\(process)/exe"
    let status: PathStatus?
    do throws(AdminError) { status = try Self.statusOfTarget(link) } catch { return nil }
    guard let status, let path = ProcFile.target(link) else { return nil }
    let folder = ServerProcess.Program.path(path).split(separator: "/").dropLast()
    let trusted = ResolvedPath("/" + folder.joined(separator: "/"), on: self)
    return ServerProcess.Program(
      status: status, path: path,
      isInRootsFolder: trusted.end != nil && trusted.distrust == nil)
  }
}
