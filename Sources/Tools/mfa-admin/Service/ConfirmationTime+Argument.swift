import ArgumentParser
import MFAServiceSwitch

extension ConfirmationTime: ExpressibleByArgument {}
