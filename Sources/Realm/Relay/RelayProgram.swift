#if Fleet
import Dispatch
import MFARealmTransport
import MFARealm
import MFAWire
import MFABase
import NIOPosix

/// The relay of a host, which listens in the place of mfad.
package struct RelayProgram: Sendable {
  private let request: RelayedRequest
  private let pool: VerifierPool
  private let credentials: RealmCredentials
  private let sockets: ServiceSockets
  private let metrics: RelayMetrics
  private let server: MetricsServer?
  private let upkeep: OfflineUpkeep?
  private let stateFile: RelayStateFile

  /// Creates the program.
  package init(
    _ configuration: RelayConfiguration, _ sockets: ServiceSockets
  ) throws {
    credentials = try RealmCredentials(configuration.credentials)
    metrics = RelayMetrics(configuration.verifiers)
    let pool = try VerifierPool(configuration.verifiers, credentials, metrics)
    self.pool = pool
    let lookups = NIOThreadPool(numberOfThreads: 16)
    lookups.start()
    let store = try Self.offlineStore(configuration)
    upkeep = store.map { [pool] in OfflineUpkeep(store: $0, verifiers: pool, threads: lookups) }
    stateFile = RelayStateFile(
      path: configuration.stateFile, health: pool.health, store: store)
    request = RelayedRequest(
      verifiers: pool, share: RelayShare(ownUser: ProcessIdentity.current.user), metrics: metrics,
      lookups: lookups, directory: configuration.directory,
      offline: store.map { [pool] in OfflineSignIn($0, pool.health, threads: lookups) },
      upkeep: upkeep)
    self.sockets = sockets
    let (metrics, file) = (metrics, configuration.credentials.own)
    server = configuration.metrics.map { address in
      MetricsServer(at: address) {
        for verifier in pool.verifiers {
          metrics.healthy.set(verifier.isHealthy, for: verifier.address.text)
        }
        metrics.isOnline.set(pool.verifiers.contains(where: \.isHealthy))
        metrics.set(pool.health.phase)
        metrics.set(store?.condition)
        metrics.certificateEnd.set(IssuedCredentials.end(ofFile: file))
        return metrics.all
      }
    }
  }

  private static func offlineStore(
    _ configuration: RelayConfiguration
  ) throws(RealmError) -> OfflineStore? {
    guard let folder = configuration.offlineFolder else { return nil }
    do throws(RealmError) {
      let store = try OfflineStore(Array(folder.utf8))
      if !store.condition.isQueueSound {
        Log.writeError(in: "relay", reason: "offline-queue-damaged")
      }
      return store
    } catch {
      throw RealmError(
        "cannot use \(folder): \(error.text)",
        hint:
          "the folder must belong to the user of the relay, with mode 0700, and each folder above it to root: install -d -o mfa -g mfa -m 0700 \(folder)"
      )
    }
  }

  /// Serves applications until the program is stopped.
  package func run() async throws {
    let (connections, arrivals) = AsyncStream.makeStream(of: PacketConnection.self)
    for listener in [sockets.root, sockets.users] {
      DispatchQueue(label: "listener").async { Self.accept(from: listener, arrivals) }
    }
    try await withThrowingDiscardingTaskGroup { group in
      if let server { group.addTask { try await server.run() } }
      group.addTask { await pool.connect() }
      group.addTask { await stateFile.run() }
      if let upkeep { group.addTask { await upkeep.run() } }
      group.addTask {
        await CertificateRenewal(verifiers: pool, credentials: credentials, metrics: metrics).run()
      }
      group.addTask {
        await StopSignal.wait()
        arrivals.finish()
      }
      for await connection in connections {
        group.addTask { await serve(connection) }
      }
      await finish()
      group.cancelAll()
    }
  }

  private func serve(_ connection: PacketConnection) async {
    do throws(SystemError) {
      let peer = try connection.peer()
      await request.run(PacketChannel(connection), peer)
    } catch {
      // The process has ended.
    }
  }

  /// Waits until the open requests were answered, 5 seconds at most.
  private func finish() async {
    for _ in 0..<50 where request.share.count > 0 {
      do {
        try await Task.sleep(for: .milliseconds(100))
      } catch {
        return
      }
    }
  }

  private static func accept(
    from listener: PacketListener, _ arrivals: AsyncStream<PacketConnection>.Continuation
  ) {
    while true {
      do throws(SystemError) {
        guard case .enqueued = arrivals.yield(try listener.accept()) else { return }
      } catch {
        var line = LogLine(errorIn: "relay", reason: "accept")
        line.add(error)
        Log.write(.error, line)
        // Too many descriptors are open, or there is too little memory.
        Clock.pause(milliseconds: 100)
      }
    }
  }
}
#endif
