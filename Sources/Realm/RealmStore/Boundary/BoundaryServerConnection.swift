import MFACPOSIX
import MFACPQ
import MFAStore

/// A connection to one server, without blocking calls of libpq.
@safe
final class ServerConnection {
  /// The stage of a connection.
  enum Stage: Equatable {
    /// libpq waits until the socket can be read or written.
    case connecting(waitsForReading: Bool)
    /// The server has accepted the connection, and accepts changes.
    case connected
    /// The connection cannot be used.
    case failed
  }

  private let connection: OpaquePointer
  private let notices = ServerNotices()
  /// The process that opened the connection.
  private let process: Int32
  /// The stage of the connection.
  private(set) var stage: Stage

  /// Starts to connect. Returns nil if memory is exhausted.
  ///
  /// - Parameters:
  ///   - parameters: the parameters; later ones override earlier ones.
  ///   - expands: whether the parameter `dbname` is a connection string.
  init?(_ parameters: [ConnectionParameter], expands: Bool = false) {
    // SAFETY: this only compares the pointer with null.
    guard let connection = unsafe Self.start(parameters, expands: expands) else { return nil }
    // SAFETY: this object owns the connection, which only `deinit` closes.
    unsafe self.connection = connection
    process = getpid()
    // SAFETY: the connection is open.
    stage =
      unsafe PQstatus(connection) == CONNECTION_BAD ? .failed : .connecting(waitsForReading: false)
    // SAFETY: libpq calls the function only within its own calls for this connection, which lives
    // no longer than this object and its notices.
    _ = unsafe PQsetNoticeReceiver(
      connection,
      { notices, result in
        // SAFETY: the pointer is the one passed below. The result belongs to libpq.
        guard let notices = unsafe notices, let result = unsafe result else { return }
        // SAFETY: as above.
        unsafe Unmanaged<ServerNotices>.fromOpaque(notices).takeUnretainedValue().add(
          ServerResult.refusal(of: result).message)
      }, Unmanaged.passUnretained(notices).toOpaque())
  }

  deinit {
    if process == getpid() {
      // SAFETY: `init` opened the connection, which nothing uses after this.
      unsafe PQfinish(connection)
    } else {
      // This process is a copy, and its parent still uses the connection. PQfinish would tell the
      // server to end the connection, and libpq has no other function that frees the memory.
      // SAFETY: the descriptor is a copy that belongs to this process.
      _ = unsafe close(PQsocket(connection))
    }
  }

  private static func start(_ parameters: [ConnectionParameter], expands: Bool) -> OpaquePointer? {
    var text: [CChar] = []
    var offsets: [(keyword: Int, value: Int)] = []
    for parameter in parameters {
      let keyword = text.count
      text += parameter.keyword.utf8CString
      offsets.append((keyword, text.count))
      text += parameter.value.utf8CString
    }
    // SAFETY: all offsets are those of C strings within the buffer, which lives during the call.
    // libpq copies the strings.
    return unsafe text.withUnsafeBufferPointer { text -> OpaquePointer? in
      guard let base = text.baseAddress else { return nil }
      let keywords = unsafe offsets.map { unsafe Optional(base + $0.keyword) } + [nil]
      let values = unsafe offsets.map { unsafe Optional(base + $0.value) } + [nil]
      return unsafe PQconnectStartParams(keywords, values, expands ? 1 : 0)
    }
  }

  // MARK: - Connecting

  /// All parameters of the connection, with those of a service file and the defaults.
  var parameters: [ConnectionParameter] {
    // SAFETY: the connection is open. libpq returns an array that ends with an option without a
    // keyword, or null.
    guard let options = unsafe PQconninfo(connection) else { return [] }
    // SAFETY: libpq allocated the array, which is used only above the end of this function.
    defer { unsafe PQconninfoFree(options) }
    var parameters: [ConnectionParameter] = []
    var index = 0
    // SAFETY: the loop ends at the last option. All texts are C strings that live as long as the
    // array.
    while let keyword = unsafe options[index].keyword {
      // SAFETY: as above.
      if let value = unsafe options[index].val, unsafe value.pointee != 0 {
        // SAFETY: as above.
        parameters.append(
          unsafe ConnectionParameter(String(cString: keyword), String(cString: value)))
      }
      index += 1
    }
    return parameters
  }

  /// Continues to connect, once the socket is ready.
  private func advance() {
    // SAFETY: the connection is open.
    stage =
      switch unsafe PQconnectPoll(connection) {
      case PGRES_POLLING_OK: .connected
      case PGRES_POLLING_READING: .connecting(waitsForReading: true)
      case PGRES_POLLING_WRITING: .connecting(waitsForReading: false)
      default: .failed
      }
    guard stage == .connected else { return }
    // SAFETY: the connection is open. The pipeline lets several statements share a round trip.
    if unsafe PQsetnonblocking(connection, 1) != 0 || PQenterPipelineMode(connection) != 1 {
      stage = .failed
    }
  }

  /// Waits until one of the connections is ready. Returns its index, or nil if all of them failed.
  static func first(
    of connections: [ServerConnection], until deadline: EngineDeadline
  ) throws(EngineError) -> Int? {
    while true {
      var requests: [pollfd] = []
      var waiting: [Int] = []
      for (index, connection) in connections.enumerated() {
        switch connection.stage {
        case .connected: return index
        case .failed: continue
        case .connecting(let reads):
          requests.append(connection.request(reads ? POLLIN : POLLOUT))
          waiting.append(index)
        }
      }
      guard !waiting.isEmpty else { return nil }
      guard try wait(for: &requests, until: deadline) else { throw .deadline }
      for (request, index) in zip(requests, waiting) where request.revents != 0 {
        connections[index].advance()
      }
    }
  }

  private func request(_ events: Int32) -> pollfd {
    // SAFETY: the connection is open.
    pollfd(fd: unsafe PQsocket(connection), events: Int16(truncatingIfNeeded: events), revents: 0)
  }

  /// Returns whether a descriptor became ready before the deadline.
  private static func wait(
    for requests: inout [pollfd], until deadline: EngineDeadline
  ) throws(EngineError) -> Bool {
    while true {
      let left = deadline.milliseconds
      // SAFETY: the array has as many elements as the call is told, and lives during the call.
      let count = unsafe poll(&requests, nfds_t(requests.count), Int32(clamping: left))
      guard count <= 0 else { return true }
      guard count == 0 || cposix_errno() == EINTR else { throw .unreachable }
      if left == 0 || count == 0 && deadline.milliseconds == 0 { return false }
    }
  }

  // MARK: - State

  /// The message of libpq about its last failure.
  var message: String {
    // SAFETY: the message is a C string that lives until the next call of libpq.
    unsafe String(cString: PQerrorMessage(connection))
  }

  /// Whether libpq refused the server because it accepts no changes. The text is libpq's own, which
  /// is translated only in programs that set a locale.
  var isStandby: Bool {
    stage == .failed
      && ["session is read-only", "server is in hot standby mode"].contains {
        message.contains($0)
      }
  }

  /// Whether no transaction is open and nothing is in transit.
  var isIdle: Bool {
    // SAFETY: the connection is open.
    unsafe PQtransactionStatus(connection) == PQTRANS_IDLE && stage == .connected
  }

  /// Whether this process has a transaction open that can still commit.
  var isInTransaction: Bool {
    // SAFETY: the connection is open.
    unsafe PQtransactionStatus(connection) == PQTRANS_INTRANS && process == getpid()
  }

  /// Whether this process opened the connection, and the server has sent nothing since the last
  /// exchange. Between exchanges a server sends that it closes the connection, or a notice. After
  /// either, the connection is not used again.
  var isUsable: Bool {
    guard process == getpid(), isIdle else { return false }
    var request = request(POLLIN)
    // SAFETY: the call writes one structure, which outlives it.
    return unsafe poll(&request, 1, 0) == 0
  }

  /// Whether the server is on this machine or has a verified certificate.
  var isServerVerified: Bool {
    let parameters = parameters
    let value = { (keyword: String) in parameters.first { $0.keyword == keyword }?.value ?? "" }
    let host = value("host")
    if value("hostaddr").isEmpty, host.isEmpty || host.hasPrefix("/") || host.hasPrefix("@") {
      return true
    }
    // SAFETY: the connection is open.
    return unsafe PQsslInUse(connection) == 1
      && ["verify-ca", "verify-full"].contains(value("sslmode"))
  }

  // MARK: - Statements

  /// Sends statements together, and returns what the server answered to all of them.
  ///
  /// The answer is complete: the server has committed or rolled back, and is ready for the next
  /// statements. Statements outside of a transaction block commit together.
  func exchange(
    _ statements: [SQLStatement], until deadline: EngineDeadline
  ) throws(EngineError) -> SQLReply {
    notices.forget()
    for statement in statements {
      guard send(statement) else { throw .unreachable }
    }
    // SAFETY: the connection is open.
    guard unsafe PQpipelineSync(connection) == 1 else { throw .unreachable }
    var reply = SQLReply()
    while try !collect(&reply) {
      // SAFETY: the connection is open.
      let unsent = unsafe PQflush(connection)
      guard unsent >= 0 else { throw .unreachable }
      var requests = [request(unsent == 1 ? POLLIN | POLLOUT : POLLIN)]
      guard try Self.wait(for: &requests, until: deadline) else { throw .deadline }
      if Int32(requests[0].revents) & ~POLLOUT != 0 {
        // SAFETY: the connection is open.
        guard unsafe PQconsumeInput(connection) == 1 else { throw .unreachable }
      }
    }
    reply.notices = notices.messages
    return reply
  }

  /// Adds the results that have arrived. Returns whether the server is ready for the next
  /// statements.
  private func collect(_ reply: inout SQLReply) throws(EngineError) -> Bool {
    // SAFETY: the connection is open. PQgetResult does not wait unless libpq is busy.
    while unsafe PQisBusy(connection) == 0 {
      // SAFETY: as above. A null result separates the results of two statements.
      guard let pointer = unsafe PQgetResult(connection) else {
        // SAFETY: the connection is open.
        guard unsafe PQstatus(connection) == CONNECTION_OK else { throw .unreachable }
        continue
      }
      // SAFETY: libpq gives the result to its caller.
      let result = unsafe ServerResult(takingOver: pointer)
      switch result.status {
      case PGRES_PIPELINE_SYNC: return true
      case PGRES_TUPLES_OK, PGRES_COMMAND_OK: reply.results.append((result.rows, result.tag))
      case PGRES_PIPELINE_ABORTED: continue
      case PGRES_FATAL_ERROR:
        let refusal = result.refusal
        // libpq reports a lost connection as an error without a code.
        guard !refusal.state.isEmpty else { throw .unreachable }
        reply.refusal = reply.refusal ?? refusal
      default: throw .refused
      }
    }
    return false
  }

  /// Adds a statement to those that the next synchronisation sends.
  private func send(_ statement: SQLStatement) -> Bool {
    let values = statement.values.map(\.binary)
    var bytes: [UInt8] = []
    let offsets = values.map { value -> Int in
      defer { bytes += value ?? [] }
      return bytes.count
    }
    // The address of an empty value must not be null, which means NULL.
    bytes.append(0)
    let lengths = values.map { Int32(clamping: $0?.count ?? 0) }
    let formats = values.map { _ in Int32(1) }
    let count = Int32(clamping: values.count)
    // SAFETY: all addresses are within the buffer, which lives during the call like the other
    // arrays and the strings. libpq copies all of them. `count` is the number of elements of each
    // array.
    return unsafe bytes.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return false }
      let addresses = unsafe zip(values, offsets).map { value, offset in
        unsafe value == nil
          ? nil : UnsafeRawPointer(base + offset).assumingMemoryBound(to: CChar.self)
      }
      switch statement.form {
      case .text(let text):
        // SAFETY: as above.
        return unsafe PQsendQueryParams(
          connection, text, count, nil, addresses, lengths, formats, 1) == 1
      case .preparation(let name, let text):
        // SAFETY: as above.
        return unsafe PQsendPrepare(connection, name, text, 0, nil) == 1
      case .prepared(let name):
        // SAFETY: as above.
        return unsafe PQsendQueryPrepared(
          connection, name, count, addresses, lengths, formats, 1) == 1
      }
    }
  }
}
