import MFAPAMStack

/// The services of a host, except `mfa-enroll` and files that only other services include.
package struct ExaminedServices {
  /// The names of all services that have a file.
  package let all: [[UInt8]]
  /// The services whose `auth` stack calls the module.
  package let withModule: [ServiceWithModule]
  /// The services whose stack cannot be read, each with the reason.
  package let unreadable: [(service: [UInt8], refusal: StackRefusal)]

  /// The names of the services whose `auth` stack calls the module, or would call it if libpam read
  /// their files as they look.
  package let meantToAsk: [[UInt8]]

  /// Reads the stacks of a host's services.
  package init(of host: any ExaminedHost) throws(StackRefusal) {
    all = try host.services().filter {
      !IncludedServiceFile.contains($0) && $0 != EnrollmentService.name
    }
    var withModule: [ServiceWithModule] = []
    var unreadable: [(service: [UInt8], refusal: StackRefusal)] = []
    var meantToAsk: [[UInt8]] = []
    for service in all {
      do throws(StackRefusal) {
        let stack = try Self.stack(of: service, host.stacks)
        if let service = ServiceWithModule(name: service, stack: stack) {
          withModule.append(service)
          meantToAsk.append(service.name)
        } else if !StrayModuleLines.lookalikes(stack, .auth, of: service).isEmpty {
          meantToAsk.append(service)
        }
      } catch {
        unreadable.append((service, error))
        if UnreadableStack.mentionsModule(service, error, host.stacks) {
          meantToAsk.append(service)
        }
      }
    }
    self.withModule = withModule
    self.unreadable = unreadable
    self.meantToAsk = meantToAsk
  }

  private static func stack(
    of service: [UInt8], _ source: some StackSource
  ) throws(StackRefusal) -> ServiceStack {
    try ServiceStack(.auth, of: service, from: source)
  }
}
