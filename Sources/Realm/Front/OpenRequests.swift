#if Fleet
import GRPCCore
import MFARealmTransport
import Synchronization

/// Counts the requests that are being served. When the program is stopped, it refuses new requests, which the hosts then
/// send to another verifier, and waits for the end of the others.
///
/// gRPC's transport has a graceful shutdown, but it must not begin while requests are open: if a host begins a request at
/// the same moment, the transport answers with a protocol error, which ends all requests of that host.
///
/// MUST 1: a request that was received is answered. (Tests/Fleet: `stopped`)
/// MUST 2: the program ends although the decision service is silent. (Tests/Fleet: `stopped while the service is
/// silent`)
final class OpenRequests: ServerInterceptor {
  private struct State {
    var open = 0
    var isStopping = false
  }

  private let state = Mutex(State())
  /// Whenever the last open request ends while the program is being stopped.
  private let ends: AsyncStream<Void>
  private let noteEnd: AsyncStream<Void>.Continuation

  init() { (ends, noteEnd) = AsyncStream.makeStream(of: Void.self) }

  /// Serves a request, or refuses it.
  func intercept<Input: Sendable, Output: Sendable>(
    request: StreamingServerRequest<Input>, context: ServerContext,
    next:
      @Sendable (StreamingServerRequest<Input>, ServerContext) async throws ->
      StreamingServerResponse<Output>
  ) async throws -> StreamingServerResponse<Output> {
    guard begin() else {
      throw RPCError(code: .unavailable, message: "this verifier is being stopped")
    }
    var response: StreamingServerResponse<Output>
    do {
      response = try await next(request, context)
    } catch {
      end()
      throw error
    }
    guard case .success(var contents) = response.accepted else {
      end()
      return response
    }
    // The response is written after this function has returned.
    let producer = contents.producer
    contents.producer = { [self] writer in
      defer { end() }
      return try await producer(writer)
    }
    response.accepted = .success(contents)
    return response
  }

  private func begin() -> Bool {
    state.withLock { state in
      guard !state.isStopping else { return false }
      state.open += 1
      return true
    }
  }

  private func end() {
    let isLast = state.withLock { state in
      state.open -= 1
      return state.isStopping && state.open == 0
    }
    if isLast { noteEnd.yield() }
  }

  /// Refuses new requests from now on, and waits until all others have ended, but not longer than `patience`. Returns
  /// whether they have ended.
  func stop(within patience: Duration) async throws -> Bool {
    let isIdle = state.withLock { state in
      state.isStopping = true
      return state.open == 0
    }
    guard !isIdle else { return true }
    let ended = try await Deadline.limit(patience) { [ends] in
      for await _ in ends { return true }
      return false
    }
    return ended ?? false
  }
}
#endif
