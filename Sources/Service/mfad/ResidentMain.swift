import MFABase
import MFACPOSIX
import MFAGateways
import MFADecider

@main
enum ResidentMain {
  static func main() {
    let arguments = ProcessArguments.own
    let isGateway = arguments.count > 1 && arguments[1] == ("--gateway" as StaticString).bytes
    exit(isGateway ? GatewayServer.run() : ResidentProgram.run())
  }
}
