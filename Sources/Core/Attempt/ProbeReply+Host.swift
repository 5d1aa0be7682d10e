import MFABase
import MFAModel
import MFAStore
import MFAWire

// MUST 1: the store counts as usable only if a sign-in could count an attempt and read a record: its folders,
// its key and its audit log are opened, and may be written to. (`ProbeTests`)
extension ProbeReply {
  /// Finds out what this process can read and write on its host.
  package init<Machine: AuthenticationHost>(on host: Machine, user: UInt32)
  where Machine.Store == LocalFactorStore {
    self.init()
    self.user = user
    do throws(ConfigurationError) {
      _ = try host.configuration(at: nil)
      configuration = try Self.digestOfConfiguration()
    } catch {
      configurationProblem = Self.pairs { $0.add(error) }
    }
    do throws(SystemError) {
      folder = try FileIdentity.of(InstalledPath.store.bytes)?.place ?? []
    } catch {
      // `storeProblem` says more.
    }
    do throws(FactorStoreError) {
      key = try host.store().requireUsable()
    } catch {
      storeProblem = Self.pairs { $0.add(error) }
    }
  }

  private static func pairs(_ describe: (inout LogLine) -> Void) -> [UInt8] {
    var line = LogLine()
    describe(&line)
    return Array(line.text.prefix(512))
  }

  /// FNV-1a: a difference is shown to an administrator, and grants nothing.
  private static func digestOfConfiguration() throws(ConfigurationError) -> UInt64 {
    var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    try ConfigurationFile.forEachLayer { (layer) throws(ConfigurationError) in
      let layer = try layer.get()
      for byte in layer.path + [0] + layer.text + [0] {
        digest = (digest ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
      }
    }
    return digest
  }
}
