import Glibc
import MFATestSupport

/// A PostgreSQL server of a test: a data folder, a Unix socket and no other address.
///
/// The server runs as the user `postgres` and accepts any role without a password. Destroying the
/// value stops the server and removes its folder.
package final class PostgreSQLCluster {
  /// The folder of the Unix socket, with the data folder in it.
  package let folder: String
  let programs: String
  private var server: ChildProcess?
  private var log = ""
  private var pausedReceiver: String?

  /// Creates a database cluster with settings such as `fsync = off`, and starts its server. The cluster is a copy of
  /// one that is created once, and shares its system identifier, unless `hasOwnIdentifier` is true.
  package init(
    settings: [String] = [], hasOwnIdentifier: Bool = false
  ) throws(HarnessFailure) {
    programs = try Self.programFolder()
    folder = try Self.createFolder()
    if hasOwnIdentifier {
      try Self.initialize(folder, with: programs)
    } else {
      let template = try Self.template.get()
      try Command.succeed(
        ["/bin/cp", "--archive", template + "/data", folder], as: .user("postgres"))
    }
    let text =
      (["listen_addresses = ''", "max_connections = 60", "shared_buffers = '16MB'"] + settings)
      .map { $0 + "\n" }.joined()
    try Command.succeed(
      ["/usr/bin/env", "tee", "-a", folder + "/data/postgresql.conf"], input: Array(text.utf8))
    try start()
  }

  /// Creates a standby of a primary, and starts it.
  private init(standbyOf primary: PostgreSQLCluster, name: String) throws(HarnessFailure) {
    programs = primary.programs
    folder = try Self.createFolder()
    try run(
      "pg_basebackup", "--no-sync", "--checkpoint=fast", "-R", "-D", folder + "/data", "-d",
      "host=\(primary.folder) user=postgres application_name=\(name)")
    try start()
  }

  /// Creates a server with a base backup of another one. With `isRecovering`, the server ends the backup
  /// with a recovery to a point in time, as an administrator restores one from an archive.
  package init(copyOf original: PostgreSQLCluster, isRecovering: Bool) throws(HarnessFailure) {
    programs = original.programs
    folder = try Self.createFolder()
    try run(
      "pg_basebackup", "--no-sync", "--checkpoint=fast", "-D", folder + "/data", "-d",
      "host=\(original.folder) user=postgres")
    if isRecovering {
      let text =
        "restore_command = 'false'\nrecovery_target = 'immediate'\n"
        + "recovery_target_action = 'promote'\n"
      try Command.succeed(
        ["/usr/bin/env", "tee", "-a", folder + "/data/postgresql.conf"], input: Array(text.utf8))
      try Command.succeed(
        ["/usr/bin/env", "touch", folder + "/data/recovery.signal"], as: .user("postgres"))
    }
  }

  deinit {
    // Ends the server's processes without writing to the folder, which is removed.
    server?.send(signal: SIGCONT)
    server?.send(signal: SIGQUIT)
    do {
      try continueReplication()
      _ = try server?.wait()
      try Command.succeed(["/usr/bin/env", "rm", "-rf", "--one-file-system", folder])
    } catch {}
  }

  /// The folder of the database cluster that is copied. It disappears with the private machine.
  private static let template: Result<String, HarnessFailure> = {
    do throws(HarnessFailure) {
      let folder = try createFolder()
      try initialize(folder, with: try programFolder())
      return .success(folder)
    } catch {
      return .failure(error)
    }
  }()

  /// Creates a database cluster in a folder.
  private static func initialize(
    _ folder: String, with programs: String
  ) throws(HarnessFailure) {
    try Command.succeed(
      [
        programs + "/initdb", "--no-sync", "--auth=trust", "--encoding=UTF8", "--locale=C", "-D",
        folder + "/data",
      ], as: .user("postgres"), directory: folder)
  }

  private static func programFolder() throws(HarnessFailure) -> String {
    let folders = try Command.succeed(
      ["/bin/sh", "-c", "ls -d /usr/lib/postgresql/*/bin | sort -V | tail -n 1"])
    guard let folder = folders.split(separator: "\n").first else {
      throw HarnessFailure("PostgreSQL is not installed")
    }
    return String(folder)
  }

  private static func createFolder() throws(HarnessFailure) -> String {
    let folder = "/tmp/mfa-postgresql-\(UInt32.random(in: 0...UInt32.max))"
    try Command.succeed(["/usr/bin/env", "mkdir", "-m", "0755", folder])
    try Command.succeed(["/usr/bin/env", "chown", "postgres:postgres", folder])
    return folder
  }

  @discardableResult
  func run(_ program: String, _ arguments: String...) throws(HarnessFailure) -> String {
    try Command.succeed(
      ["\(programs)/\(program)"] + arguments, as: .user("postgres"), directory: folder)
  }

  // MARK: - The server

  /// Starts the server, and waits until it answers.
  package func start(until deadline: Deadline = .usual) throws(HarnessFailure) {
    // After `kill`, the last processes of the old server may still use its memory, and the new
    // server refuses to start.
    repeat {
      let log = try Descriptor.memory()
      let server = try ChildProcess(
        [
          programs + "/postgres", "-D", folder + "/data", "-c", "unix_socket_directories=" + folder,
        ], as: .user("postgres"), descriptors: [1: log.number, 2: log.number], directory: folder)
      self.server = server
      while try server.wait(until: .after(seconds: 0)) == nil, !deadline.isOver {
        if try query("SELECT 1").status.isSuccess { return }
        try Command.succeed(["/usr/bin/env", "sleep", "0.02"])
      }
      self.log = String(decoding: try log.contents(), as: UTF8.self)
    } while !deadline.isOver
    throw HarnessFailure("the server does not start", evidence: [("log", log)])
  }

  /// Stops the server as an administrator does (fast shutdown).
  package func stop() throws(HarnessFailure) { try end(SIGINT) }

  /// Kills the server, as a crash would. Its other processes end because of that.
  package func kill() throws(HarnessFailure) { try end(SIGKILL) }

  private func end(_ signal: Int32) throws(HarnessFailure) {
    server?.send(signal: signal)
    guard try server?.wait() != nil else { throw HarnessFailure("the server does not end") }
    server = nil
  }

  /// Stops or continues the process that accepts connections: in between, a new connection is
  /// neither accepted nor refused.
  package func accepts(_ accepts: Bool) throws(HarnessFailure) {
    if accepts { server?.resume() } else { try server?.suspend() }
  }

  /// Makes a standby the primary.
  package func promote() throws(HarnessFailure) {
    try run("pg_ctl", "promote", "-w", "-t", "20", "-D", folder + "/data")
  }

  /// Stops the process of a standby that receives changes: it stays connected, and acknowledges
  /// none.
  package func pauseReplication() throws(HarnessFailure) {
    let receiver = try sql("SELECT pid FROM pg_stat_wal_receiver")
    try Command.succeed(["/bin/kill", "-STOP", receiver])
    pausedReceiver = receiver
  }

  /// Continues the process that `pauseReplication` has stopped.
  package func continueReplication() throws(HarnessFailure) {
    guard let receiver = pausedReceiver else { return }
    pausedReceiver = nil
    try Command.succeed(["/bin/kill", "-CONT", receiver])
  }

  /// Adds a standby of this server. If it is synchronous, this server's commits wait for it from
  /// now on.
  package func addStandby(
    _ name: String = "standby", isSynchronous: Bool = true
  ) throws(HarnessFailure) -> PostgreSQLCluster {
    let standby = try PostgreSQLCluster(standbyOf: self, name: name)
    if isSynchronous {
      try set("synchronous_standby_names", name)
      try wait(
        for: "1",
        "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync' AND state = 'streaming'"
      )
    }
    return standby
  }

  // MARK: - SQL

  /// The connection string of a role.
  package func connection(as role: String, to database: String = "mfa") -> String {
    "host=\(folder) user=\(role) dbname=\(database)"
  }

  /// Executes SQL with psql.
  package func query(
    _ text: String, as role: String = "postgres", in database: String = "postgres"
  ) throws(HarnessFailure) -> Command {
    try Command.run(
      [
        programs + "/psql", "-AtqX", "-v", "ON_ERROR_STOP=1", "-c", text,
        connection(as: role, to: database),
      ], environment: ["PGCONNECT_TIMEOUT": "10"])
  }

  /// Executes SQL that must succeed, and returns the text of the result.
  @discardableResult
  package func sql(
    _ text: String, as role: String = "postgres", in database: String = "postgres"
  ) throws(HarnessFailure) -> String {
    let command = try query(text, as: role, in: database)
    guard command.status.isSuccess else {
      throw HarnessFailure(text, evidence: [("psql", command.errorText)])
    }
    return String(command.text.prefix { $0 != "\n" })
  }

  /// Starts SQL in a session of its own, which ends when the value is destroyed.
  package func session(
    _ text: String, as role: String = "postgres", in database: String = "mfa"
  ) throws(HarnessFailure) -> ChildProcess {
    let output = try Descriptor.memory()
    return try ChildProcess(
      [programs + "/psql", "-AtqX", "-c", text, connection(as: role, to: database)],
      descriptors: [1: output.number, 2: output.number])
  }

  /// Changes a setting of the running server.
  package func set(_ name: String, _ value: String) throws(HarnessFailure) {
    try sql("ALTER SYSTEM SET \(name) = '\(value)'")
    try sql("SELECT pg_reload_conf()")
    try wait(for: value, "SELECT current_setting('\(name)')")
  }

  /// Waits until a query returns a text.
  package func wait(for result: String, _ text: String) throws(HarnessFailure) {
    var last = ""
    let deadline = Deadline.usual
    repeat {
      last = try sql(text)
      if last == result { return }
    } while !deadline.isOver
    throw HarnessFailure("\(text): \(last) instead of \(result)")
  }
}
