#if Fleet
import GRPCCore

/// A method of a verifier. Each one takes byte strings and returns byte strings, which PROTOCOL.md lists.
package enum RealmMethod: String, Sendable {
  /// Decides about a request of the module or the helper.
  case decide = "Decide"
  /// Replaces the certificate of a host.
  case renew = "Renew"
  /// Tells whether the verifier and its decision service work.
  case check = "Check"
  /// Permits what a host may do about a user while no verifier answers.
  case permit = "Permit"
  /// Renews permits.
  case renewPermits = "RenewPermits"
  /// Takes the report of what a host decided while no verifier answered.
  case report = "Report"
  /// Admits a host that has a ticket, and no certificate yet.
  case join = "Join"

  fileprivate var descriptor: MethodDescriptor {
    MethodDescriptor(
      service: ServiceDescriptor(fullyQualifiedService: "mfa.realm.v1.Verifier"), method: rawValue,
      type: .unary)
  }
}

/// A service with some of the methods.
package protocol RealmService: RegistrableRPCService {
  /// The methods.
  static var methods: [RealmMethod] { get }

  /// Returns the reply of a method to a request with these strings. An `RPCError` becomes the status of the call.
  func reply(
    of method: RealmMethod, to strings: [[UInt8]], _ metadata: Metadata, _ context: ServerContext
  ) async throws -> [[UInt8]]
}

extension RealmService {
  /// Registers the methods.
  package func registerMethods<Transport: ServerTransport>(with router: inout RPCRouter<Transport>)
  {
    for method in Self.methods {
      router.registerHandler(
        forMethod: method.descriptor, deserializer: ByteStringsCoder(),
        serializer: ByteStringsCoder()
      ) { request, context in
        let request = try await ServerRequest(stream: request)
        return StreamingServerResponse(
          single: ServerResponse(
            message: try await reply(of: method, to: request.message, request.metadata, context)))
      }
    }
  }
}

extension GRPCClient {
  /// Calls a method. Throws an `RPCError` if there is no reply in time.
  package func call(
    _ method: RealmMethod, _ strings: [[UInt8]] = [], metadata: Metadata = [:], timeout: Duration
  ) async throws -> [[UInt8]] {
    var options = CallOptions.defaults
    options.timeout = timeout
    return try await unary(
      request: ClientRequest(message: strings, metadata: metadata), descriptor: method.descriptor,
      serializer: ByteStringsCoder(), deserializer: ByteStringsCoder(), options: options
    ) { response in try response.message }
  }
}
#endif
