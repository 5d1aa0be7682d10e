import MFABytes
import MFACPOSIX
import MFAGatewayRunner
import MFAResident
import MFASystem

@main
enum ResidentMain {
  static func main() {
    let arguments = ProcessArguments.own
    let isGateway = arguments.count > 1 && arguments[1] == ("--gateway" as StaticString).bytes
    exit(isGateway ? GatewayServer.run() : ResidentProgram.run())
  }
}
