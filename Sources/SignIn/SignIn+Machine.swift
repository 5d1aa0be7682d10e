import FactorStore
import Factors
import Policy
import System

// What a sign-in asks of the machine, with each failure as an outcome.
extension SignIn {
  func options() throws(Outcome.Failure) -> ModuleOptions {
    do throws(ModuleOptions.Refusal) {
      return try ModuleOptions(request.arguments)
    } catch {
      throw .arguments(error)
    }
  }

  func configuration(
    _ options: ModuleOptions
  ) throws(Outcome.Failure) -> Configuration {
    let path = options.configuration ?? ConfigurationFile.standardPath
    do throws(ConfigurationFile.Failure) {
      return try host.configuration(at: path)
    } catch {
      throw .configuration(path: path, error)
    }
  }

  func account() throws(Outcome.Failure) -> Account? {
    do throws(SystemError) {
      return try host.account(named: request.user)
    } catch {
      throw .account(error)
    }
  }

  func openStore() throws(Outcome.Failure) -> Machine.Store {
    do throws(FactorStoreError) { return try host.store() } catch { throw .store(error) }
  }

  func snapshot(
    _ store: Machine.Store, _ account: Account
  ) throws(Outcome.Failure) -> FactorSnapshot? {
    do throws(FactorStoreError) {
      return try store.snapshot(of: account)
    } catch {
      throw .store(error)
    }
  }

  func now() throws(Outcome.Failure) -> Int64 {
    do throws(SystemError) { return try host.now() } catch { throw .clock(error) }
  }
}
